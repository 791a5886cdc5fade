"""Data types and codecs by the names that zarr shows."""

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any, Final, NamedTuple

_KINDS: Final = {"b": "bool", "i": "int", "u": "uint", "f": "float", "c": "complex"}
_TIMES: Final = {"M": "datetime64", "m": "timedelta64"}
_TEXT_CODECS: Final = {"vlen-utf8": "string", "vlen-bytes": "variable_length_bytes"}
_SIZES: Final = {
    "bool": 1,
    "bfloat16": 2,
    "numpy.datetime64": 8,
    "numpy.timedelta64": 8,
}
# Codecs that turn an array into bytes; what comes before them are filters.
_SERIALIZERS: Final = frozenset(
    {
        *("bytes", "endian", "sharding_indexed", "vlen-utf8", "vlen-bytes", "vlen-array"),
        *("packbits", "pcodec", "zfp", "zfpy", "n5_default"),
        *("numcodecs.pcodec", "numcodecs.zfpy"),
    }
)
_SHUFFLES: Final = {-1: "auto shuffle", 0: "no shuffle", 1: "shuffle", 2: "bitshuffle"}
_SILENT: Final = frozenset({"id", "name", "blocksize", "typesize", "index_codecs", "codecs"})


class DataType(NamedTuple):
    """A data type: zarr's name of it, and the bytes of an item where they are fixed."""

    name: str
    size: int | None = None


class Codec(NamedTuple):
    """One step of an array's pipeline: `role` is `filter`, `serializer` or `compressor`."""

    role: str
    label: str
    """As shown: `zstd (level 3)`."""


def data_type_v2(value: object, filters: object) -> DataType | None:
    """The type of a `dtype` member; None if it is no typestring and no record."""
    if isinstance(value, list):
        return _record(value)
    if not isinstance(value, str) or len(value) < 2 or value[0] not in "<>|":
        return None
    kind, rest = value[1], value[2:]
    digits, bracket, unit = rest.partition("[")
    size = int(digits) if _is_number(digits) else None
    if kind == "O":
        return DataType(_object_name(filters))
    if size is None:
        return None
    if kind in _KINDS:
        return DataType("bool" if kind == "b" else f"{_KINDS[kind]}{8 * size}", size)
    if kind in _TIMES:
        return DataType(_TIMES[kind] + bracket + unit, size)
    if kind in "SUV":
        return DataType(value, 4 * size if kind == "U" else size)
    return None


def data_type_v3(value: object) -> DataType | None:
    """The type of a `data_type` member; None if it has no name."""
    settings: Mapping[str, Any] = {}
    if isinstance(value, dict):
        settings = _settings(value)
        value = value.get("name")
    if not isinstance(value, str) or not value:
        return None
    name, size = value, _SIZES.get(value)
    bits = value.lstrip("abcdefghijklmnopqrstuvwxyz")
    if size is None and _is_number(bits):
        size = max(1, int(bits) // 8)
    if type(settings.get("length_bytes")) is int:
        size = settings["length_bytes"]
    if isinstance(settings.get("unit"), str):
        factor = settings.get("scale_factor", 1)
        name += f"[{'' if factor == 1 else factor}{settings['unit']}]"
    record = _fields_v3(settings.get("fields"))
    return DataType(name + record.name, record.size) if record else DataType(name, size)


def codecs_v2(compressor: object, filters: object) -> tuple[Codec, ...]:
    """Filters and compressor of a `.zarray`, as far as they can be named."""
    steps = [("filter", step) for step in filters] if isinstance(filters, list) else []
    steps.append(("compressor", compressor))
    return tuple(
        Codec(role, label(step["id"], step))
        for role, step in steps
        if isinstance(step, dict) and isinstance(step.get("id"), str)
    )


def codecs_v3(value: object) -> tuple[Codec, ...]:
    """The codecs of a `zarr.json`, as far as they can be named.

    Where a sharding codec is the only one, those inside its shards, as in zarr-python.
    """
    steps = [(name, _settings(step)) for step in _items(value) if (name := codec_name(step))]
    if len(steps) == 1 and steps[0][0] == "sharding_indexed":
        return codecs_v3(steps[0][1].get("codecs"))
    names = [name for name, _ in steps]
    middle = next((i for i, name in enumerate(names) if name in _SERIALIZERS), None)
    return tuple(
        Codec(_role(position, middle), label(name, settings))
        for position, (name, settings) in enumerate(steps)
    )


def codec_name(step: object) -> str | None:
    """The name of a v3 codec, written as an object or as a name alone."""
    name = step.get("name") if isinstance(step, dict) else step
    return name if isinstance(name, str) and name else None


def shard_chunk_shape(codecs: object) -> object:
    """The `chunk_shape` inside the shards, if a sharding codec is among the codecs."""
    for step in _items(codecs):
        if codec_name(step) == "sharding_indexed":
            return _settings(step).get("chunk_shape")
    return None


def label(name: str, settings: Mapping[str, Any]) -> str:
    """A codec with what matters of its settings: `blosc (lz4, level 5, shuffle)`."""
    words = [word for key, value in settings.items() if (word := _setting(key, value))]
    return f"{name} ({', '.join(words)})" if words else name


def _setting(key: str, value: object) -> str | None:
    if key in _SILENT or value is None or value is False:
        return None
    if key in ("level", "clevel", "acceleration"):
        return f"{'level' if key == 'clevel' else key} {value}"
    if key == "shuffle" and isinstance(value, int):
        return _SHUFFLES.get(value, f"shuffle {value}")
    if key in ("endian", "cname", "shuffle") and isinstance(value, str):
        return "no shuffle" if value == "noshuffle" else value
    if value is True:
        return key
    if isinstance(value, (int, float, str)):
        return f"{key} {value}"
    if isinstance(value, list) and all(isinstance(item, int) for item in value):
        return f"{key} {' x '.join(map(str, value))}"
    return None


def _role(position: int, middle: int | None) -> str:
    if middle is None or position > middle:
        return "compressor"
    return "serializer" if position == middle else "filter"


def _items(value: object) -> Iterable[Any]:
    return value if isinstance(value, list) else ()


def _settings(step: object) -> Mapping[str, Any]:
    settings = step.get("configuration") if isinstance(step, dict) else None
    return settings if isinstance(settings, dict) else {}


def _object_name(filters: object) -> str:
    for step in _items(filters):
        if (
            isinstance(step, dict)
            and isinstance(step.get("id"), str)
            and step["id"] in _TEXT_CODECS
        ):
            return _TEXT_CODECS[step["id"]]
    return "object"


def _record(fields: list[Any]) -> DataType | None:
    """A record of format 2: a list of name, type and, for an array in it, shape."""
    parts: list[tuple[str, DataType]] = []
    for field in fields:
        if not isinstance(field, list) or len(field) < 2 or not isinstance(field[0], str):
            return None
        inner = data_type_v2(field[1], None)
        if inner is None:
            return None
        shape = field[2] if len(field) > 2 and isinstance(field[2], list) else []
        parts.append((field[0], _repeated(inner, shape)))
    return _joined(parts) if parts else None


def _fields_v3(fields: object) -> DataType | None:
    """The fields of a struct, each an object or a pair of name and type."""
    parts: list[tuple[str, DataType]] = []
    for field in _items(fields):
        if isinstance(field, dict):
            field = [field.get("name"), field.get("data_type")]
        if not isinstance(field, list) or len(field) != 2 or not isinstance(field[0], str):
            return None
        inner = data_type_v3(field[1])
        if inner is None:
            return None
        parts.append((field[0], inner))
    return _joined(parts) if parts else None


def _repeated(item: DataType, shape: list[Any]) -> DataType:
    if item.size is None or not all(type(length) is int and length >= 0 for length in shape):
        return DataType(item.name)
    return DataType(item.name, item.size * prod(shape))


def _joined(parts: list[tuple[str, DataType]]) -> DataType:
    sizes = [part.size for _, part in parts if part.size is not None]
    text = ", ".join(f"{name}: {part.name}" for name, part in parts)
    return DataType(f"{{{text}}}", sum(sizes) if len(sizes) == len(parts) else None)


def _is_number(text: str) -> bool:
    # Nine digits are more than any type has, and few enough to compute with.
    return text.isdecimal() and text.isascii() and len(text) < 10
