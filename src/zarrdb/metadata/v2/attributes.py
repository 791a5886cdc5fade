"""The shape of v2 attributes: `.zattrs`, beside the document of an array or a group."""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from zarrdb.metadata.value import JSONValue

ZarrV2AttributesStoreKey: TypeAlias = Literal[".zattrs"]
"""The name of the document."""

ZARR_V2_ATTRIBUTES_STORE_KEY: Final[ZarrV2AttributesStoreKey] = ".zattrs"
"""The last component of the key of a node's attributes."""

ZarrV2ZAttrsJSON: TypeAlias = Mapping[str, JSONValue]
"""A `.zattrs` document: an object with anything in it (specification, "Attributes")."""

__all__ = [
    "ZARR_V2_ATTRIBUTES_STORE_KEY",
    "ZarrV2AttributesStoreKey",
    "ZarrV2ZAttrsJSON",
]
