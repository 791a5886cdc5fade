"""The shape of v2 group metadata: `.zgroup`, and a group with its attributes."""

from collections.abc import Mapping
from typing import Final, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from zarrdb.metadata.value import JSONValue

ZarrV2GroupMetadataStoreKey: TypeAlias = Literal[".zgroup"]
"""The name of the document."""

ZARR_V2_GROUP_METADATA_STORE_KEY: Final[ZarrV2GroupMetadataStoreKey] = ".zgroup"
"""The last component of the key of a group's document."""


class ZarrV2ZGroupJSON(TypedDict, closed=True):
    """A `.zgroup` document, which has this one member (specification, "Groups")."""

    zarr_format: Literal[2]


class ZarrV2GroupMetadataJSON(TypedDict, closed=True):
    """A group in memory: `.zgroup` with the attributes of `.zattrs` in it."""

    zarr_format: Literal[2]
    attributes: NotRequired[Mapping[str, JSONValue]]


__all__ = [
    "ZARR_V2_GROUP_METADATA_STORE_KEY",
    "ZarrV2GroupMetadataJSON",
    "ZarrV2GroupMetadataStoreKey",
    "ZarrV2ZGroupJSON",
]
