"""Rules on fill values."""

from collections.abc import Iterator
from typing import Any, Final

from zarrdb.lint.arraydocument import ArrayDocument
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import declaration, rule
from zarrdb.metadata import AcceptedField
from zarrdb.metadata.fill_value import canonical_fill_value
from zarrdb.metadata.problem import shown

_TYPED: Final = ("json/*", "dtype/invalid")


@declaration(
    "fill-value/wrong-type",
    level="error",
    subject="array",
    requires=_TYPED,
    reasons=("fill-value:*",),
)
def wrong_type() -> None:
    """The fill value is no value of the data type.

    Why: readers refuse the array, or make something of it that was not meant.

    Fix: write numbers without quotes, `NaN`, `Infinity` and `-Infinity` as strings in exactly
    this spelling, text for texts.
    """


@declaration(
    "fill-value/out-of-range",
    level="error",
    subject="array",
    requires=_TYPED,
    reasons=("fill-value:out-of-range",),
)
def out_of_range() -> None:
    """The fill value is outside the range of its integer type.

    Why: readers wrap it around to another number, or refuse the array.

    Fix: choose a value in the range that the message gives.
    """


@declaration(
    "fill-value/invalid-bytes",
    level="error",
    subject="array",
    requires=_TYPED,
    reasons=("fill-value:not-base64", "fill-value:wrong-byte-length"),
)
def invalid_bytes() -> None:
    """The fill value of a bytes type is not base64 of the right length.

    Why: readers refuse it, cut it, or fill it up with zeros.

    Fix: write standard base64 with its padding, of as many bytes as an item has.
    """


@declaration(
    "fill-value/null",
    level="error",
    subject="array",
    requires=_TYPED,
    reasons=("fill-value:null-fill-value",),
)
def null() -> None:
    """The fill value of a v3 array is null.

    Why: v3 has no undefined fill value; readers refuse the array.

    Fix: choose a value; `"NaN"` is a good one for floats.
    """


@declaration(
    "fill-value/integral-float",
    level="warning",
    subject="array",
    requires=_TYPED,
    reasons=("fill-value:integral-float",),
)
def integral_float() -> None:
    """The fill value of an integer type is written as a float.

    Why: `0.0` is no integer; strict readers refuse it.

    Fix: write it without the point.
    """


@declaration(
    "fill-value/legacy-number",
    level="warning",
    subject="array",
    requires=_TYPED,
    reasons=("fill-value:legacy-number",),
)
def legacy_number() -> None:
    """The fill value is the 0 or 1 that old libraries wrote for another type.

    Why: for a bool, a text or bytes it is no value; readers that know the habit take it as
    false, true or empty, others refuse the array.

    Fix: write `false` or `true`, `""`, or base64.
    """


@rule("fill-value/overflow", level="warning", subject="array", requires=_TYPED)
def overflow(array: ArrayDocument) -> Iterator[Hit]:
    """The fill value is past the range of its float type.

    Why: it reads as infinity.

    Fix: choose a smaller number, or write `"Infinity"` if that is meant.
    """
    value, field = array.value.get("fill_value"), array.data_type
    if not isinstance(field, AcceptedField) or array.has_problem("fill_value"):
        return
    if array.family in ("float", "complex") and _becomes_infinite(value, field):
        yield array.hit(("fill_value",), f"{shown(value)} reads as infinity")


def _becomes_infinite(value: Any, field: AcceptedField) -> bool:
    if value is None or isinstance(value, str):
        return False
    canonical: Any = canonical_fill_value(value, field)
    pairs = zip(value, canonical, strict=True) if isinstance(value, list) else ((value, canonical),)
    return any(isinstance(after, str) and not isinstance(before, str) for before, after in pairs)
