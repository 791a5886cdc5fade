"""The shape of `.zmetadata`, a copy of all documents below a group.

No specification describes it; this is what zarr-python 2 writes.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from typing_extensions import TypedDict

from zarrdb.metadata.v2.array import ZarrV2ZArrayJSON
from zarrdb.metadata.v2.attributes import ZarrV2ZAttrsJSON
from zarrdb.metadata.v2.group import ZarrV2ZGroupJSON

ZarrV2ConsolidatedMetadataStoreKey: TypeAlias = Literal[".zmetadata"]
"""The name of the document."""

ZARR_V2_CONSOLIDATED_METADATA_STORE_KEY: Final[ZarrV2ConsolidatedMetadataStoreKey] = ".zmetadata"
"""The last component of the key of consolidated metadata."""


class ZarrV2ConsolidatedMetadataJSON(TypedDict):
    """A `.zmetadata` document: the documents, each under its key below the group.

    What a document is follows from the last component of its key.
    """

    zarr_consolidated_format: Literal[1]
    metadata: Mapping[str, ZarrV2ZArrayJSON | ZarrV2ZGroupJSON | ZarrV2ZAttrsJSON]


__all__ = [
    "ZARR_V2_CONSOLIDATED_METADATA_STORE_KEY",
    "ZarrV2ConsolidatedMetadataJSON",
    "ZarrV2ConsolidatedMetadataStoreKey",
]
