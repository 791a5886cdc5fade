"""The v2 scalar families: bool, int, uint, float and complex.

Each definition is filed under its family and reads every typestring of it.
"""

from typing import Annotated, Any, Final, Literal, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Problem, Problems, shown
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.shape import Ge
from zarrdb.metadata.v2.data_type.typestr import Sized, orderless, orderless_byte
from zarrdb.metadata.v2.kinds import ZarrV2DataTypeDefinition
from zarrdb.metadata.value import JSONValue

ZarrV2ByteOrder: TypeAlias = Literal["<", ">", "|"]
"""Little-endian, big-endian, and of no meaning."""

ZarrV2FloatSpecial: TypeAlias = Literal["NaN", "Infinity", "-Infinity"]
"""Floats that have a name instead of a number (specification, "Fill value encoding")."""

ZarrV2FloatFillValue: TypeAlias = float | int | ZarrV2FloatSpecial | None
"""The fill value of a float: a number, a name, or null."""

ZarrV2ComplexComponent: TypeAlias = float | int | ZarrV2FloatSpecial
"""The real or the imaginary part of a complex fill value; null is none."""

ZarrV2ComplexFillValue: TypeAlias = tuple[ZarrV2ComplexComponent, ZarrV2ComplexComponent] | None
"""The fill value of a complex number: its real and imaginary parts, or null."""


class ZarrV2ScalarConfiguration(TypedDict, closed=True):
    """What a typestring carries: `<f4` is `{"byteorder": "<", "itemsize": 4}`."""

    byteorder: ReadOnly[ZarrV2ByteOrder]
    itemsize: ReadOnly[Annotated[int, Ge(0)]]


def _int_fill_value_rules(value: Any, data_type: AcceptedField) -> Problems:
    half = 2 ** (8 * data_type.configuration["itemsize"] - 1)
    return _within(value, -half, half - 1)


def _uint_fill_value_rules(value: Any, data_type: AcceptedField) -> Problems:
    return _within(value, 0, 2 ** (8 * data_type.configuration["itemsize"]) - 1)


def _within(value: int | None, low: int, high: int) -> Problems:
    if value is None or low <= value <= high:
        return ()
    text = f"expected an integer from {low} to {high}, got {shown(value)}"
    return (Problem((), "invalid_value", text, reasons.OUT_OF_RANGE),)


# The first magnitude that rounds to infinity, halfway past the largest float of the width.
_INFINITE_FROM: Final = {2: 65520.0, 4: 2.0**128 - 2.0**103}


def rounded(value: Any, width: int) -> JSONValue:
    """A float as itself, or by name where a float of `width` bytes has no number for it."""
    if isinstance(value, str):
        return value
    try:
        number = float(value)
    except OverflowError:
        return "Infinity" if value > 0 else "-Infinity"
    if abs(number) >= _INFINITE_FROM.get(width, float("inf")):
        return "Infinity" if number > 0 else "-Infinity"
    return number


def _float_canonical(value: Any, data_type: AcceptedField) -> JSONValue:
    return None if value is None else rounded(value, data_type.configuration["itemsize"])


def _complex_canonical(value: Any, data_type: AcceptedField) -> JSONValue:
    width = data_type.configuration["itemsize"] // 2
    return None if value is None else [rounded(part, width) for part in value]


_ONE_BYTE: Final = frozenset({1})

BOOL_DATA_TYPE_V2: Final = ZarrV2DataTypeDefinition(
    name="bool",
    configuration=ZarrV2ScalarConfiguration,
    rules=Sized((1,), None),
    canonical=orderless,
    fill_value=bool | None,
)
"""`|b1`: true or false in one byte."""

INT_DATA_TYPE_V2: Final = ZarrV2DataTypeDefinition(
    name="int",
    configuration=ZarrV2ScalarConfiguration,
    rules=Sized((1, 2, 4, 8), _ONE_BYTE),
    canonical=orderless_byte,
    fill_value=int | None,
    fill_value_rules=_int_fill_value_rules,
)
"""`|i1` `<i2` `<i4` `<i8`: signed integers, with a fill value in their range."""

UINT_DATA_TYPE_V2: Final = ZarrV2DataTypeDefinition(
    name="uint",
    configuration=ZarrV2ScalarConfiguration,
    rules=Sized((1, 2, 4, 8), _ONE_BYTE),
    canonical=orderless_byte,
    fill_value=int | None,
    fill_value_rules=_uint_fill_value_rules,
)
"""`|u1` `<u2` `<u4` `<u8`: unsigned integers, with a fill value in their range."""

FLOAT_DATA_TYPE_V2: Final = ZarrV2DataTypeDefinition(
    name="float",
    configuration=ZarrV2ScalarConfiguration,
    rules=Sized((2, 4, 8), frozenset()),
    fill_value=ZarrV2FloatFillValue,
    fill_value_canonical=_float_canonical,
)
"""`<f2` `<f4` `<f8`: IEEE 754 floats, with a number or a name as fill value."""

COMPLEX_DATA_TYPE_V2: Final = ZarrV2DataTypeDefinition(
    name="complex",
    configuration=ZarrV2ScalarConfiguration,
    rules=Sized((8, 16), frozenset()),
    fill_value=ZarrV2ComplexFillValue,
    fill_value_canonical=_complex_canonical,
)
"""`<c8` `<c16`: two floats, with `[real, imaginary]` as fill value."""
