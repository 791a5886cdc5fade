"""Rules on data types."""

from collections.abc import Iterator
from typing import Final

from zarrdb.lint.arraydocument import ArrayDocument
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import declaration, rule
from zarrdb.metadata import AcceptedField, UnclaimedField, canonical_of
from zarrdb.metadata.problem import shown

_JSON: Final = ("json/*",)
_VALID: Final = ("json/*", "dtype/invalid")

_OBJECT_CODECS: Final = frozenset(
    {"vlen-utf8", "vlen-bytes", "vlen-array", "json2", "msgpack2", "pickle", "categorize"}
)


@declaration("dtype/invalid", level="error", subject="array", requires=_JSON, reasons=("dtype:*",))
def invalid() -> None:
    """The data type is none: its form, size, byte order or unit is wrong.

    Why: readers refuse the array.

    Fix: v2 writes NumPy's typestrings, `<f4` or `|u1`, times with their unit, `<M8[ns]`; v3
    writes names, `float32`, and objects with a name and a configuration.
    """


@declaration(
    "dtype/other-format-name",
    level="error",
    subject="array",
    requires=_JSON,
    reasons=("dtype:other-format-name",),
)
def other_format_name() -> None:
    """The data type is spelled as in the other Zarr format.

    Why: `<f4` belongs in a `.zarray`, `float32` in a `zarr.json`; readers refuse the array.

    Fix: write the name of this format.
    """


@rule(
    "dtype/invalid-record",
    level="error",
    subject="array",
    requires=_JSON,
    reasons=("record:*", "dtype:duplicate-field"),
)
def invalid_record(array: ArrayDocument) -> Iterator[Hit]:
    """A field of a structured data type is not as it has to be.

    Why: a record has a name, a data type and perhaps a shape; no name comes twice, and an
    object has no place in fixed bytes.

    Fix: correct the field that the message names.
    """
    if array.family != "struct" or array.data_type is None:
        return
    for loc, field in array.data_type.walk(array.data_type_loc):
        if field.definition is not None and field.definition.name == "object":
            yield array.hit(loc[:-1], "an object has no place in a record")


@rule("dtype/object-without-codec", level="error", subject="array", requires=_VALID)
def object_without_codec(array: ArrayDocument) -> Iterator[Hit]:
    r"""The data type is `|O` and no filter encodes objects.

    Why: objects have no bytes of their own; without a codec that makes some of them nobody
    can read the array.

    Fix: add the filter that the array was written with, `vlen-utf8` for texts.
    """
    if array.zarr_format != 2 or array.family != "object":
        return
    if array.value.get("filters", ()) not in (None, [], ()):
        filters = [field for loc, field in array.codecs if loc[0] == "filters"]
        if any(f.name in _OBJECT_CODECS or isinstance(f, UnclaimedField) for f in filters):
            return
    yield array.hit(("dtype",), "objects, and no filter that encodes them")


@rule("dtype/not-canonical", level="info", subject="array", requires=_VALID)
def not_canonical(array: ArrayDocument) -> Iterator[Hit]:
    """The data type reads right, but is written otherwise than writers do.

    Why: readers that compare texts, instead of understanding them, do not know it.

    Fix: write the usual form.
    """
    field = array.data_type
    if not isinstance(field, AcceptedField) or not isinstance(field.value, str):
        return
    usual = canonical_of(field)
    if usual != field.value:
        yield array.hit(("dtype",), f"{shown(field.value)} is usually written {shown(usual)}")


@rule("dtype/unclaimed", level="info", subject="array", requires=_VALID)
def unclaimed(array: ArrayDocument) -> Iterator[Hit]:
    """A data type that nobody in scope knows.

    Why: it may be an extension that other readers have; nothing about it, the fill value or
    the length of chunks can be judged.

    Fix: correct the name if it is misspelled, or add it to the project's scope.
    """
    for each in array.strangers("data_types"):
        yield array.hit(
            each.loc, f"{shown(each.name)} is outside the scope", _near(array, each.name)
        )


def _near(array: ArrayDocument, name: str) -> str | None:
    if array.zarr_format == 2:
        return None
    from difflib import get_close_matches

    near = get_close_matches(name, array.names("data_types"), n=1, cutoff=0.8)
    return f"did you mean {near[0]}?" if near else None
