"""Reading v2 fields in a scope: the kinds, the scope class, and the scope of what is known.

`resolve("<f4", ZarrV2DataTypeDefinition, CORE_V2)` reads a dtype as its family, `float`, with
`{"byteorder": "<", "itemsize": 4}`; `resolve({"id": "zlib"}, ZarrV2CodecDefinition, CORE_V2)`
reads a codec by its id. A type code or an id that the scope does not have is unclaimed.
"""

from typing import Final

from zarrdb.metadata.v2.codec import CODECS_V2
from zarrdb.metadata.v2.context import ZarrV2Context, ZarrV2ContextSlots, ZarrV2Kind
from zarrdb.metadata.v2.data_type import DATA_TYPES_V2
from zarrdb.metadata.v2.kinds import (
    ZarrV2CodecDefinition,
    ZarrV2DataTypeDefinition,
    ZarrV2DataTypeField,
)

CORE_V2: Final = ZarrV2Context(data_types=DATA_TYPES_V2, codecs=CODECS_V2)
"""The data types that zarr-python 2 writes and the codecs that numcodecs configures."""

__all__ = [
    "CORE_V2",
    "ZarrV2CodecDefinition",
    "ZarrV2Context",
    "ZarrV2ContextSlots",
    "ZarrV2DataTypeDefinition",
    "ZarrV2DataTypeField",
    "ZarrV2Kind",
]
