"""The shape of v3 array metadata: the `zarr.json` of an array."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from zarrdb.metadata.shape import Ge
from zarrdb.metadata.v3.kinds import (
    ZarrV3ChunkGridField,
    ZarrV3ChunkKeyEncodingField,
    ZarrV3CodecField,
    ZarrV3DataTypeField,
    ZarrV3StorageTransformerField,
)
from zarrdb.metadata.value import JSONValue

ZarrV3MetadataStoreKey: TypeAlias = Literal["zarr.json"]
"""The name of the document, of arrays and groups alike."""

ZARR_V3_METADATA_STORE_KEY: Final[ZarrV3MetadataStoreKey] = "zarr.json"
"""The last component of the key of a node's document."""


class ZarrV3ArrayMetadataJSON(TypedDict, extra_items=JSONValue):  # type: ignore[call-arg]
    """A `zarr.json` of an array (core specification, "Array metadata").

    A reader refuses a further member unless it says `"must_understand": false`.
    """

    zarr_format: Literal[3]
    node_type: Literal["array"]
    shape: tuple[Annotated[int, Ge(0)], ...]
    data_type: ZarrV3DataTypeField
    chunk_grid: ZarrV3ChunkGridField
    chunk_key_encoding: ZarrV3ChunkKeyEncodingField
    fill_value: JSONValue
    codecs: tuple[ZarrV3CodecField, ...]
    attributes: NotRequired[Mapping[str, JSONValue]]
    storage_transformers: NotRequired[tuple[ZarrV3StorageTransformerField, ...]]
    dimension_names: NotRequired[tuple[str | None, ...]]


__all__ = ["ZARR_V3_METADATA_STORE_KEY", "ZarrV3ArrayMetadataJSON", "ZarrV3MetadataStoreKey"]
