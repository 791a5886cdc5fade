"""The data types that zarr-python 2 writes, one definition a NumPy family."""

from typing import Any, Final

from zarrdb.metadata.v2.data_type.fixed_width import (
    BYTES_DATA_TYPE_V2,
    STR_DATA_TYPE_V2,
    VOID_DATA_TYPE_V2,
)
from zarrdb.metadata.v2.data_type.object import OBJECT_DATA_TYPE_V2
from zarrdb.metadata.v2.data_type.scalar import (
    BOOL_DATA_TYPE_V2,
    COMPLEX_DATA_TYPE_V2,
    FLOAT_DATA_TYPE_V2,
    INT_DATA_TYPE_V2,
    UINT_DATA_TYPE_V2,
)
from zarrdb.metadata.v2.data_type.struct import STRUCT_DATA_TYPE_V2
from zarrdb.metadata.v2.data_type.time import DATETIME64_DATA_TYPE_V2, TIMEDELTA64_DATA_TYPE_V2
from zarrdb.metadata.v2.kinds import ZarrV2DataTypeDefinition, ZarrV2DataTypeMetadata

DATA_TYPES_V2: Final[tuple[ZarrV2DataTypeDefinition[Any], ...]] = (
    BOOL_DATA_TYPE_V2,
    INT_DATA_TYPE_V2,
    UINT_DATA_TYPE_V2,
    FLOAT_DATA_TYPE_V2,
    COMPLEX_DATA_TYPE_V2,
    BYTES_DATA_TYPE_V2,
    STR_DATA_TYPE_V2,
    VOID_DATA_TYPE_V2,
    DATETIME64_DATA_TYPE_V2,
    TIMEDELTA64_DATA_TYPE_V2,
    OBJECT_DATA_TYPE_V2,
    STRUCT_DATA_TYPE_V2,
)
"""Every v2 data type."""

__all__ = ["DATA_TYPES_V2", "ZarrV2DataTypeMetadata"]
