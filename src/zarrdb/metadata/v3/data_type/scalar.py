"""The core v3 data types: bool, integers, floats and complex numbers.

Zarr v3 specification, "Data types" and "Fill value".
"""

import re
from typing import Annotated, Any, Final, Literal, TypeAlias

from zarrdb.metadata import reasons
from zarrdb.metadata.definition import EmptyConfiguration
from zarrdb.metadata.problem import Problem, Problems, shown, under
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.shape import Interval
from zarrdb.metadata.v3.chunk import Storage, storage_of
from zarrdb.metadata.v3.data_type.float_text import float_bits, float_spelling
from zarrdb.metadata.v3.kinds import ZarrV3DataTypeDefinition
from zarrdb.metadata.value import JSONValue

ZarrV3FloatSpecial: TypeAlias = Literal["NaN", "Infinity", "-Infinity"]
"""Floats that have a name; any other NaN is written by its bits."""

ZarrV3FloatFillValue: TypeAlias = float | int | str
"""The fill value of a float: a number, a name, or `0x` and the bits in hexadecimal digits."""

ZarrV3ComplexFillValue: TypeAlias = tuple[ZarrV3FloatFillValue, ZarrV3FloatFillValue]
"""The fill value of a complex number: its real and imaginary parts."""

_NAMES: Final = ("NaN", "Infinity", "-Infinity")
_HEX: Final = re.compile(r"0x[0-9a-fA-F]*")


def _width(data_type: AcceptedField) -> int:
    """Bytes of a float."""
    return storage_of(data_type).size or 0


def _float_problems(value: Any, width: int) -> Problems:
    """The rule of texts for floats of some bytes."""
    if not isinstance(value, str) or value in _NAMES:
        return ()
    is_hex = _HEX.fullmatch(value) is not None
    if is_hex and len(value) == 2 + 2 * width:
        return ()
    reason = reasons.WRONG_HEX if is_hex else reasons.NOT_ALLOWED
    wanted = f"a number, {', '.join(_NAMES)} or 0x and {2 * width} hexadecimal digits"
    text = f"expected {wanted}, got {shown(value)}"
    return (Problem((), "invalid_value", text, reason),)


def _float_rules(value: Any, data_type: AcceptedField) -> Problems:
    return _float_problems(value, _width(data_type))


def _float_canonical(value: Any, data_type: AcceptedField) -> JSONValue:
    width = _width(data_type)
    return float_spelling(float_bits(value, width), width)


def _complex_rules(value: Any, data_type: AcceptedField) -> Problems:
    real, imaginary = (_float_problems(part, _width(data_type) // 2) for part in value)
    return under(0, real) + under(1, imaginary)


def _complex_canonical(value: Any, data_type: AcceptedField) -> JSONValue:
    width = _width(data_type) // 2
    return [float_spelling(float_bits(part, width), width) for part in value]


def _integer(name: str, low: int, high: int, size: int) -> ZarrV3DataTypeDefinition[Any]:
    return ZarrV3DataTypeDefinition(
        name=name,
        configuration=EmptyConfiguration,
        fill_value=Annotated[int, Interval(ge=low, le=high)],
        storage=Storage(size, ordered=size > 1),
    )


def _signed(size: int) -> ZarrV3DataTypeDefinition[Any]:
    half = 1 << (8 * size - 1)
    return _integer(f"int{8 * size}", -half, half - 1, size)


def _unsigned(size: int) -> ZarrV3DataTypeDefinition[Any]:
    return _integer(f"uint{8 * size}", 0, (1 << 8 * size) - 1, size)


def _float(size: int) -> ZarrV3DataTypeDefinition[Any]:
    return ZarrV3DataTypeDefinition(
        name=f"float{8 * size}",
        configuration=EmptyConfiguration,
        fill_value=ZarrV3FloatFillValue,
        fill_value_rules=_float_rules,
        fill_value_canonical=_float_canonical,
        storage=Storage(size, ordered=True),
    )


def _complex(size: int) -> ZarrV3DataTypeDefinition[Any]:
    return ZarrV3DataTypeDefinition(
        name=f"complex{8 * size}",
        configuration=EmptyConfiguration,
        fill_value=ZarrV3ComplexFillValue,
        fill_value_rules=_complex_rules,
        fill_value_canonical=_complex_canonical,
        storage=Storage(size, ordered=True),
    )


BOOL_DATA_TYPE_V3: Final = ZarrV3DataTypeDefinition[Any](
    name="bool",
    configuration=EmptyConfiguration,
    fill_value=bool,
    storage=Storage(1, ordered=False),
)
"""True or false in one byte."""

INT8_DATA_TYPE_V3: Final = _signed(1)
INT16_DATA_TYPE_V3: Final = _signed(2)
INT32_DATA_TYPE_V3: Final = _signed(4)
INT64_DATA_TYPE_V3: Final = _signed(8)
UINT8_DATA_TYPE_V3: Final = _unsigned(1)
UINT16_DATA_TYPE_V3: Final = _unsigned(2)
UINT32_DATA_TYPE_V3: Final = _unsigned(4)
UINT64_DATA_TYPE_V3: Final = _unsigned(8)
FLOAT16_DATA_TYPE_V3: Final = _float(2)
FLOAT32_DATA_TYPE_V3: Final = _float(4)
FLOAT64_DATA_TYPE_V3: Final = _float(8)
COMPLEX64_DATA_TYPE_V3: Final = _complex(8)
COMPLEX128_DATA_TYPE_V3: Final = _complex(16)
