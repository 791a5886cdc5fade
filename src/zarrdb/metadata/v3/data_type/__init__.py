"""The v3 data types: those of the core, and registered ones with a specification."""

from typing import Any, Final

from zarrdb.metadata.v3.data_type.byte import BYTES_DATA_TYPE_V3, RAW_BYTES_DATA_TYPE_V3
from zarrdb.metadata.v3.data_type.scalar import (
    BOOL_DATA_TYPE_V3,
    COMPLEX64_DATA_TYPE_V3,
    COMPLEX128_DATA_TYPE_V3,
    FLOAT16_DATA_TYPE_V3,
    FLOAT32_DATA_TYPE_V3,
    FLOAT64_DATA_TYPE_V3,
    INT8_DATA_TYPE_V3,
    INT16_DATA_TYPE_V3,
    INT32_DATA_TYPE_V3,
    INT64_DATA_TYPE_V3,
    UINT8_DATA_TYPE_V3,
    UINT16_DATA_TYPE_V3,
    UINT32_DATA_TYPE_V3,
    UINT64_DATA_TYPE_V3,
)
from zarrdb.metadata.v3.data_type.struct import STRUCT_DATA_TYPE_V3
from zarrdb.metadata.v3.data_type.text import STRING_DATA_TYPE_V3
from zarrdb.metadata.v3.data_type.time import DATETIME64_DATA_TYPE_V3, TIMEDELTA64_DATA_TYPE_V3
from zarrdb.metadata.v3.kinds import ZarrV3DataTypeDefinition

DATA_TYPES_V3: Final[tuple[ZarrV3DataTypeDefinition[Any], ...]] = (
    BOOL_DATA_TYPE_V3,
    INT8_DATA_TYPE_V3,
    INT16_DATA_TYPE_V3,
    INT32_DATA_TYPE_V3,
    INT64_DATA_TYPE_V3,
    UINT8_DATA_TYPE_V3,
    UINT16_DATA_TYPE_V3,
    UINT32_DATA_TYPE_V3,
    UINT64_DATA_TYPE_V3,
    FLOAT16_DATA_TYPE_V3,
    FLOAT32_DATA_TYPE_V3,
    FLOAT64_DATA_TYPE_V3,
    COMPLEX64_DATA_TYPE_V3,
    COMPLEX128_DATA_TYPE_V3,
    RAW_BYTES_DATA_TYPE_V3,
    BYTES_DATA_TYPE_V3,
    STRING_DATA_TYPE_V3,
    DATETIME64_DATA_TYPE_V3,
    TIMEDELTA64_DATA_TYPE_V3,
    STRUCT_DATA_TYPE_V3,
)
"""Every v3 data type of the core scope."""
