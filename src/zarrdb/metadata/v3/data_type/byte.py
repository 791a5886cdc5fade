"""The v3 data types of bytes: raw bits (`r*`) and `bytes`, of any length.

Zarr v3 specification, "Data types"; zarr-extensions, `bytes`.
"""

from base64 import b64decode, b64encode
from typing import Annotated, Any, Final, TypeAlias

from typing_extensions import TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.base64 import decoded_size
from zarrdb.metadata.definition import EmptyConfiguration
from zarrdb.metadata.problem import Problem, Problems, shown
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.shape import Interval
from zarrdb.metadata.v3.chunk import VARIABLE, Storage
from zarrdb.metadata.v3.kinds import RAW_NAME, ZarrV3DataTypeDefinition
from zarrdb.metadata.value import JSONValue

ZarrV3ByteValue: TypeAlias = Annotated[int, Interval(ge=0, le=255)]

ZarrV3RawBytesFillValue: TypeAlias = tuple[ZarrV3ByteValue, ...]
"""The fill value of raw bits: every byte as a number."""

ZarrV3BytesFillValue: TypeAlias = tuple[ZarrV3ByteValue, ...] | str
"""The fill value of `bytes`: every byte as a number, or base64 of them."""


class ZarrV3RawBytesConfiguration(TypedDict, closed=True):
    """What the name `r16` carries: `{"bits": 16}`."""

    bits: int


def _raw_rules(configuration: ZarrV3RawBytesConfiguration) -> Problems:
    bits = configuration["bits"]
    if bits and bits % 8 == 0:
        return ()
    text = f"expected whole bytes, a multiple of 8 bits, got {shown(bits)}"
    return (Problem(("bits",), "invalid_value", text, reasons.WRONG_SIZE),)


def _raw_fill_value_rules(value: Any, data_type: AcceptedField) -> Problems:
    size = data_type.configuration["bits"] // 8
    if len(value) == size:
        return ()
    text = f"expected {shown(size)} bytes, got {len(value)}"
    return (Problem((), "invalid_value", text, reasons.WRONG_BYTE_LENGTH),)


def _raw_storage(data_type: AcceptedField) -> Storage:
    """Of the order of more than one byte the specification says nothing."""
    size = data_type.configuration["bits"] // 8
    return Storage(size, ordered=False if size == 1 else None)


def _fill_value_rules(value: Any, _: AcceptedField) -> Problems:
    if not isinstance(value, str) or decoded_size(value) is not None:
        return ()
    text = "expected standard base64 with its padding"
    return (Problem((), "invalid_value", text, reasons.NOT_BASE64),)


def _fill_value_canonical(value: Any, _: AcceptedField) -> JSONValue:
    data = b64decode(value) if isinstance(value, str) else bytes(value)
    return b64encode(data).decode("ascii")


RAW_BYTES_DATA_TYPE_V3: Final = ZarrV3DataTypeDefinition(
    name=RAW_NAME,
    configuration=ZarrV3RawBytesConfiguration,
    rules=_raw_rules,
    fill_value=ZarrV3RawBytesFillValue,
    fill_value_rules=_raw_fill_value_rules,
    storage=_raw_storage,
)
"""`r8` `r16` `r24`: so many bits of anything, in whole bytes."""

BYTES_DATA_TYPE_V3: Final = ZarrV3DataTypeDefinition(
    name="bytes",
    configuration=EmptyConfiguration,
    fill_value=ZarrV3BytesFillValue,
    fill_value_rules=_fill_value_rules,
    fill_value_canonical=_fill_value_canonical,
    storage=VARIABLE,
)
"""Bytes, each value of any length."""
