"""Rules on what is right and still will not be read, or written, everywhere."""

from collections.abc import Iterator
from typing import Any, Final

from zarrdb.lint.arraydocument import ArrayDocument
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import declaration, rule
from zarrdb.metadata import AcceptedField, Loc
from zarrdb.metadata.problem import shown

_TYPED: Final = ("json/*", "dtype/invalid")

_WIDE: Final = ("str", "bytes", "void")

_UNREAD: Final = "zarr-python 3.4 does not read it"
_UNREAD_NAMES: Final = {"r*": "raw bits", "rectilinear": "a rectilinear chunk grid"}

_MAX_ZSTD_LEVEL: Final = 22


@rule("portability/zero-width", level="warning", subject="array", requires=_TYPED)
def zero_width(array: ArrayDocument) -> Iterator[Hit]:
    """A text or bytes type of no width.

    Why: `<U0` or `|S0` comes from empty columns; zarr-python 2 reads it, zarr-python 3
    refuses the array.

    Fix: write the array with a width of 1.
    """
    field = array.data_type
    if not isinstance(field, AcceptedField) or array.family not in _WIDE:
        return
    if field.configuration.get("itemsize") == 0:
        text = f"{shown(field.value)} holds nothing"
        yield array.hit(array.data_type_loc, text, "zarr-python 3 refuses it")


@rule(
    "portability/record-form",
    level="info",
    subject="array",
    requires=("json/*", "dtype/invalid-record"),
)
def record_form(array: ArrayDocument) -> Iterator[Hit]:
    """A structured data type with a sub-array in it, or without any field.

    Why: NumPy and zarr-python 2 have such types, zarr-python 3 refuses them.

    Fix: make the sub-array further axes of the array, or fields of their own.
    """
    field = array.data_type
    if array.zarr_format != 2 or array.family != "struct" or not isinstance(field, AcceptedField):
        return
    if not field.configuration["fields"]:
        yield array.hit(array.data_type_loc, "a record without fields", "zarr-python 3 refuses it")
    for loc, inner in field.walk(array.data_type_loc):
        records = inner.configuration.get("fields", ()) if isinstance(inner, AcceptedField) else ()
        for index, record in enumerate(records):
            if len(record) > 2:
                yield array.hit(
                    (*loc, "fields", index), "a field that is an array", "zarr-python 3 refuses it"
                )


@rule(
    "portability/truncated-fill",
    level="warning",
    subject="array",
    requires=("json/*", "fill-value/*"),
)
def truncated_fill(array: ArrayDocument) -> Iterator[Hit]:
    """The fill value is a text that is longer than an item.

    Why: readers cut it without a word.

    Fix: shorten it, or widen the data type.
    """
    value, field = array.value.get("fill_value"), array.data_type
    if array.family != "str" or not isinstance(field, AcceptedField) or not isinstance(value, str):
        return
    width = field.configuration["itemsize"]
    if len(value) > width:
        yield array.hit(
            ("fill_value",), f"{len(value)} characters for an item of {width}", "readers cut it"
        )


@rule(
    "portability/unwritable-parameter",
    level="warning",
    subject="array",
    requires=("json/*", "codec/*"),
)
def unwritable_parameter(array: ArrayDocument) -> Iterator[Hit]:
    """A codec parameter with which chunks can be read but not written.

    Why: the compressor refuses it, or was not built with it, so that a change to the array
    fails.

    Fix: choose another value; chunks that exist stay readable.
    """
    for loc, field in array.codecs:
        if isinstance(field, AcceptedField):
            for name, why in _unwritable(field.name, field.configuration):
                yield array.hit((*loc, name), f"{shown(field.configuration[name])}: {why}")


@rule("portability/short-form", level="info", subject="array", requires=("json/*", "codec/*"))
def short_form(array: ArrayDocument) -> Iterator[Hit]:
    """A field is spelled in a form that zarr-python 3.4 does not read.

    Why: the specification allows a bare name as well as an object with a name, but the most
    common reader does not know both everywhere.

    Fix: write data types without parameters as bare names, and everything else as objects.
    """
    if array.zarr_format != 3:
        return
    for at, outer in array.reading.fields:
        for loc, field in outer.walk(at):
            if field.kind.slot == "data_types":
                if isinstance(field.value, dict) and not field.value.get("configuration"):
                    yield array.hit(loc, "an object where a bare name is usual", _UNREAD)
            elif isinstance(field.value, str):
                yield array.hit(loc, "a bare name where an object is usual", _UNREAD)


@rule(
    "portability/unread-extension",
    level="info",
    subject="array",
    requires=("json/*", "dtype/*", "array/*"),
)
def unread_extension(array: ArrayDocument) -> Iterator[Hit]:
    """An extension that is specified, but that zarr-python 3.4 cannot read as installed.

    Why: raw bits and rectilinear grids are in the specifications or the registry of
    extensions, and a transposition may go before sharding; not every reader has them.

    Fix: nothing, if the readers that matter have it.
    """
    if array.zarr_format != 3:
        return
    for loc, field in array.reading.walk():
        if isinstance(field, AcceptedField) and field.definition is not None:
            name = field.definition.name
            if name in _UNREAD_NAMES:
                yield array.hit(loc, f"{_UNREAD_NAMES[name]}", _UNREAD)
    place = _transposed_shard(array)
    if place is not None:
        yield array.hit(place, "inner chunks that fit only the transposed chunk", _UNREAD)


@declaration("portability/huge-value", level="info", subject="key")
def huge_value() -> None:
    """A value is larger than SQLite holds.

    Why: stock builds stop at 1,000,000,000 bytes for a value with its key, so that the store
    cannot become a .zarrdb.

    Fix: choose smaller chunks or shards.
    """


def _transposed_shard(array: ArrayDocument) -> Loc | None:
    """Where shards get transposed chunks, and their inner chunks do not divide the others."""
    names = [field.name for _, field in array.codecs]
    if "sharding_indexed" not in names or array.chunks is None:
        return None
    place = names.index("sharding_indexed")
    field = array.codecs[place][1]
    if "transpose" not in names[:place] or not isinstance(field, AcceptedField):
        return None
    inner = field.configuration["chunk_shape"]
    divided = all(not size % part for size, part in zip(array.chunks, inner, strict=True))
    return None if divided else array.codecs[place][0]


def _unwritable(name: str | None, configuration: dict[str, Any]) -> Iterator[tuple[str, str]]:
    if name == "blosc" and configuration.get("cname") == "snappy":
        yield "cname", "Blosc is no longer built with it"
    if name == "zstd" and configuration.get("level", 0) > _MAX_ZSTD_LEVEL:
        yield "level", f"Zstandard takes no level above {_MAX_ZSTD_LEVEL}"
    if name == "lzma" and configuration.get("format", 1) == 0:
        yield "format", "0 is for reading only"
