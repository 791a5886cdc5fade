"""The trailer of a frame and the attributes in it (Blosc2's vlmeta).

Each value is a Blosc2 chunk that holds MessagePack; blosc2 adds types of its own. Those that
only carry data are decoded, those that refer to files, hosts or code stay opaque.
"""

from collections.abc import Mapping
from math import inf, isfinite, prod
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple, cast

from zarrdb.frame.chunk import UNWRITTEN, parse_chunk_header
from zarrdb.frame.codec import decompress, package
from zarrdb.frame.dtypes import parse_dtype
from zarrdb.frame.header import MIN_TRAILER, bad_metalayer, parse_metalayers
from zarrdb.frame.streams import check_all_blocks

if TYPE_CHECKING:
    from zarrdb.frame.header import Header

# From the end: the length of the trailer with its type in front, and a fingerprint.
_END = Struct(">BI18s")
_UINT32 = 0xCE
_FIRST = 2
"""Where the attributes stand in the trailer: behind the array's mark and a version."""

# An attribute is metadata; what is larger is a lie or belongs into an array.
MAX_ATTRIBUTE = 64 << 20

_COMPLEX, _SET, _ARRAY = 44, 45, 46
_TWO_FLOATS = Struct(">2d")
_TUPLE = "__tuple__"
_NOT_FINITE = {inf: "Infinity", -inf: "-Infinity"}


class Opaque(NamedTuple):
    """A value of a MessagePack extension that is kept as it is."""

    code: int
    data: bytes


def trailer_length(tail: bytes, room: int) -> int:
    """The length of a trailer that ends with `tail` and has `room` bytes at most.

    Raises ValueError if it does not say one.
    """
    if len(tail) >= _END.size:
        mark, length, _ = _END.unpack_from(tail, len(tail) - _END.size)
        if mark == _UINT32 and MIN_TRAILER <= length <= room:
            return cast("int", length)
    raise ValueError("the length of the trailer does not fit the frame")


def parse_attributes(header: "Header", trailer: bytes) -> dict[str, object]:
    """Names and values; raises FrameError for any that cannot be read."""
    stored = parse_metalayers(header.name, trailer, len(trailer) - _END.size, _FIRST)
    values: dict[str, object] = {}
    for name, content in stored.items():
        try:
            values[name] = _decode(content)
        except ValueError as error:
            raise bad_metalayer(header.name, f"attribute {name!r}: {error}") from error
    return values


def _decode(content: bytes) -> object:
    chunk = parse_chunk_header(content, len(content))
    if chunk.nbytes > MAX_ATTRIBUTE:
        raise ValueError(f"it says {chunk.nbytes} bytes, at most {MAX_ATTRIBUTE} are read")
    if chunk.special == UNWRITTEN:
        raise ValueError("it was never written")
    check_all_blocks(chunk, content)
    try:
        return decode_value(decompress(memoryview(content)[: chunk.cbytes]))
    except (TypeError, KeyError, OverflowError, RecursionError) as error:
        raise ValueError("its value cannot be read") from error


def decode_value(data: bytes) -> object:
    """The value that blosc2 has written as MessagePack; raises what its parts raise."""
    return package("msgpack").unpackb(data, list_hook=_decode_list, ext_hook=_decode_extension)


def encode_value(value: object) -> bytes:
    """The value as blosc2 writes it; raises TypeError, ValueError and OverflowError."""
    packed = package("msgpack").packb(value, default=_encode_extension, strict_types=True)
    return cast("bytes", packed)


def _encode_extension(value: object) -> object:
    import numpy as np

    extension = package("msgpack").ExtType
    if isinstance(value, Opaque):
        return extension(*value)
    if isinstance(value, tuple):
        return [_TUPLE, *value]
    if isinstance(value, set | frozenset):
        return extension(_SET, encode_value(list(value)))
    if isinstance(value, complex):
        return extension(_COMPLEX, _TWO_FLOATS.pack(value.real, value.imag))
    if isinstance(value, np.generic):
        return value.item()
    if isinstance(value, np.ndarray) and not value.dtype.hasobject and not value.dtype.names:
        parts = {"dtype": {"str": value.dtype.str}, "shape": list(value.shape)}
        return extension(_ARRAY, encode_value(parts | {"data": value.tobytes()}))
    raise TypeError(f"{type(value).__name__} cannot be an attribute of a frame")


def _decode_list(items: list[object]) -> object:
    return tuple(items[1:]) if items[:1] == [_TUPLE] else items


def _decode_extension(code: int, data: bytes) -> object:
    if code == _COMPLEX and len(data) == _TWO_FLOATS.size:
        return complex(*_TWO_FLOATS.unpack(data))
    if code == _SET:
        return set(cast("list[object]", decode_value(data)))
    if code == _ARRAY:
        parts = decode_value(data)
        if isinstance(parts, dict) and "str" in parts.get("dtype", ()):
            return _decode_array(parts["dtype"]["str"], parts["shape"], parts["data"])
    return Opaque(code, data)


def _decode_array(text: str, shape: list[int], data: bytes) -> object:
    import numpy as np

    dtype = parse_dtype(text)
    if not all(type(n) is int and n >= 0 for n in shape):
        raise ValueError(f"an array of the shape {shape}")
    if len(data) != prod(shape) * dtype.itemsize:
        raise ValueError("an array that is not as long as its shape")
    return np.frombuffer(data, dtype).reshape(shape)


def as_json(attributes: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
    """The attributes that JSON can hold, and the names of the others.

    Tuples, sets and arrays become lists, complex numbers [real, imaginary], numbers that are
    not finite the names that Zarr has for them.
    """
    kept: dict[str, object] = {}
    left_out = []
    for name, value in attributes.items():
        try:
            kept[name] = _json_value(value)
        except TypeError:
            left_out.append(name)
    return kept, left_out


def _json_value(value: object) -> object:
    import numpy as np

    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value if isfinite(value) else _NOT_FINITE.get(value, "NaN")
    if isinstance(value, complex):
        return [_json_value(value.real), _json_value(value.imag)]
    if isinstance(value, np.ndarray):
        return _json_value(value.tolist())
    if isinstance(value, dict) and all(isinstance(key, str) for key in value):
        return {key: _json_value(item) for key, item in value.items()}
    if isinstance(value, set):
        return sorted(map(_json_value, value), key=repr)
    if isinstance(value, list | tuple) and not isinstance(value, Opaque):
        return [_json_value(item) for item in value]
    raise TypeError
