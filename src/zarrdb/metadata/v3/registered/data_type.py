"""Registered v3 data types without a specification of their own: what zarr-python writes."""

from typing import Annotated, Any, Final, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.base64 import sized_problems
from zarrdb.metadata.definition import EmptyConfiguration
from zarrdb.metadata.problem import Problem, Problems
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.shape import Ge
from zarrdb.metadata.v3.chunk import VARIABLE, Storage, storage_of
from zarrdb.metadata.v3.data_type.byte import BYTES_DATA_TYPE_V3
from zarrdb.metadata.v3.kinds import ZarrV3DataTypeDefinition, ZarrV3DataTypeField

_BYTES_PER_CODE_POINT: Final = 4


class ZarrV3FixedLengthConfiguration(TypedDict, closed=True):
    """The bytes of every value."""

    length_bytes: ReadOnly[Annotated[int, Ge(0)]]


ZarrV3StructuredField: TypeAlias = tuple[str, ZarrV3DataTypeField]
"""A field of a record: its name and its type."""


class ZarrV3StructuredConfiguration(TypedDict, closed=True):
    """The fields of a record, as zarr-python 3.0 and 3.1 wrote them."""

    fields: ReadOnly[tuple[ZarrV3StructuredField, ...]]


def _size(data_type: AcceptedField) -> int:
    size: int = data_type.configuration["length_bytes"]
    return size


def _orderless(data_type: AcceptedField) -> Storage:
    return Storage(_size(data_type), ordered=False)


def _ordered(data_type: AcceptedField) -> Storage:
    return Storage(_size(data_type), ordered=True)


def _utf32_rules(configuration: ZarrV3FixedLengthConfiguration) -> Problems:
    if configuration["length_bytes"] % _BYTES_PER_CODE_POINT == 0:
        return ()
    text = f"expected whole code points, of {_BYTES_PER_CODE_POINT} bytes each"
    return (Problem(("length_bytes",), "invalid_value", text, reasons.WRONG_SIZE),)


def _padded_rules(value: Any, data_type: AcceptedField) -> Problems:
    return sized_problems(value, 0, _size(data_type))


def _exact_rules(value: Any, data_type: AcceptedField) -> Problems:
    return sized_problems(value, _size(data_type), _size(data_type))


def _structured_storage(data_type: AcceptedField) -> Storage:
    """The fields are packed; such arrays were written without a byte order."""
    sizes = [storage_of(field).size for _, field in data_type.nested]
    known = [size for size in sizes if size is not None]
    return Storage(sum(known) if len(known) == len(sizes) else None)


def _structured_rules(value: Any, data_type: AcceptedField) -> Problems:
    size = storage_of(data_type).size
    return () if size is None else sized_problems(value, size, size)


NULL_TERMINATED_BYTES_DATA_TYPE_V3: Final = ZarrV3DataTypeDefinition(
    name="null_terminated_bytes",
    configuration=ZarrV3FixedLengthConfiguration,
    fill_value=str,
    fill_value_rules=_padded_rules,
    storage=_orderless,
)
"""NumPy's `S`: so many bytes or fewer; the fill value is base64."""

RAW_BYTES_OF_LENGTH_DATA_TYPE_V3: Final = ZarrV3DataTypeDefinition(
    name="raw_bytes",
    configuration=ZarrV3FixedLengthConfiguration,
    fill_value=str,
    fill_value_rules=_exact_rules,
    storage=_orderless,
)
"""NumPy's `V`: so many bytes of anything; the fill value is base64."""

FIXED_LENGTH_UTF32_DATA_TYPE_V3: Final = ZarrV3DataTypeDefinition(
    name="fixed_length_utf32",
    configuration=ZarrV3FixedLengthConfiguration,
    rules=_utf32_rules,
    fill_value=str,
    storage=_ordered,
)
"""NumPy's `U`: text in four bytes a code point."""

VARIABLE_LENGTH_BYTES_DATA_TYPE_V3: Final = ZarrV3DataTypeDefinition(
    name="variable_length_bytes",
    configuration=EmptyConfiguration,
    fill_value=BYTES_DATA_TYPE_V3.fill_value,
    fill_value_rules=BYTES_DATA_TYPE_V3.fill_value_rules,
    fill_value_canonical=BYTES_DATA_TYPE_V3.fill_value_canonical,
    storage=VARIABLE,
)
"""`bytes` by an earlier name."""

STRUCTURED_DATA_TYPE_V3: Final = ZarrV3DataTypeDefinition(
    name="structured",
    configuration=ZarrV3StructuredConfiguration,
    fill_value=str,
    fill_value_rules=_structured_rules,
    storage=_structured_storage,
)
"""`struct` by an earlier name, its fields as pairs; the fill value is base64 of a record."""

REGISTERED_DATA_TYPES_V3: Final[tuple[ZarrV3DataTypeDefinition[Any], ...]] = (
    NULL_TERMINATED_BYTES_DATA_TYPE_V3,
    RAW_BYTES_OF_LENGTH_DATA_TYPE_V3,
    FIXED_LENGTH_UTF32_DATA_TYPE_V3,
    VARIABLE_LENGTH_BYTES_DATA_TYPE_V3,
    STRUCTURED_DATA_TYPE_V3,
)
"""Every v3 data type that is registered and outside the core scope."""
