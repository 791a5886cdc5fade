"""Reading v3 fields in a scope: the kinds, the scope class, and the scope of what is known.

`resolve("float32", ZarrV3DataTypeDefinition, CORE_V3)` reads a data type,
`resolve({"name": "gzip", "configuration": {"level": 1}}, ZarrV3CodecDefinition, CORE_V3)` a
codec. A name that the scope does not have is unclaimed.
"""

from typing import Final

from zarrdb.metadata.v3.chunk_grid import CHUNK_GRIDS_V3
from zarrdb.metadata.v3.chunk_key_encoding import CHUNK_KEY_ENCODINGS_V3
from zarrdb.metadata.v3.codec import CODECS_V3
from zarrdb.metadata.v3.context import ZarrV3Context, ZarrV3ContextSlots, ZarrV3Kind
from zarrdb.metadata.v3.data_type import DATA_TYPES_V3
from zarrdb.metadata.v3.extra_field import (
    CONSOLIDATED_METADATA_V3,
    ZarrV3ArrayExtraFieldDefinition,
    ZarrV3GroupExtraFieldDefinition,
)
from zarrdb.metadata.v3.kinds import (
    ZarrV3ChunkGridDefinition,
    ZarrV3ChunkKeyEncodingDefinition,
    ZarrV3CodecDefinition,
    ZarrV3DataTypeDefinition,
    ZarrV3StorageTransformerDefinition,
)

CORE_V3: Final = ZarrV3Context(
    data_types=DATA_TYPES_V3,
    chunk_grids=CHUNK_GRIDS_V3,
    chunk_key_encodings=CHUNK_KEY_ENCODINGS_V3,
    codecs=CODECS_V3,
    group_extra_fields=(CONSOLIDATED_METADATA_V3,),
)
"""What the core specification defines, and the extensions that have one of their own."""

__all__ = [
    "CORE_V3",
    "ZarrV3ArrayExtraFieldDefinition",
    "ZarrV3ChunkGridDefinition",
    "ZarrV3ChunkKeyEncodingDefinition",
    "ZarrV3CodecDefinition",
    "ZarrV3Context",
    "ZarrV3ContextSlots",
    "ZarrV3DataTypeDefinition",
    "ZarrV3GroupExtraFieldDefinition",
    "ZarrV3Kind",
    "ZarrV3StorageTransformerDefinition",
]
