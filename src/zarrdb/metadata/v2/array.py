"""The shape of v2 array metadata: `.zarray`, and an array with its attributes."""

from collections.abc import Mapping
from typing import Annotated, Final, Literal, NotRequired, TypeAlias

from typing_extensions import TypedDict

from zarrdb.metadata.shape import Ge
from zarrdb.metadata.v2.kinds import ZarrV2CodecField, ZarrV2DataTypeField
from zarrdb.metadata.value import JSONValue

ZarrV2ArrayMetadataStoreKey: TypeAlias = Literal[".zarray"]
"""The name of the document."""

ZARR_V2_ARRAY_METADATA_STORE_KEY: Final[ZarrV2ArrayMetadataStoreKey] = ".zarray"
"""The last component of the key of an array's document."""

ZarrV2ArrayOrder: TypeAlias = Literal["C", "F"]
"""How the items of a chunk lie: by rows or by columns."""

ZARR_V2_ARRAY_ORDER: Final = ("C", "F")
"""The values of `order`."""

ZarrV2ArrayDimensionSeparator: TypeAlias = Literal[".", "/"]
"""What stands between the indexes of a chunk's key: `0.0`, the default, or `0/0`."""

ZARR_V2_ARRAY_DIMENSION_SEPARATOR: Final = (".", "/")
"""The values of `dimension_separator`."""


class ZarrV2ZArrayJSON(TypedDict):
    """A `.zarray` document; attributes are not in it (specification, "Metadata")."""

    zarr_format: Literal[2]
    shape: tuple[Annotated[int, Ge(0)], ...]
    chunks: tuple[Annotated[int, Ge(0)], ...]
    dtype: ZarrV2DataTypeField
    compressor: ZarrV2CodecField | None
    fill_value: JSONValue
    order: ZarrV2ArrayOrder
    filters: tuple[ZarrV2CodecField, ...] | None
    dimension_separator: NotRequired[ZarrV2ArrayDimensionSeparator]


class ZarrV2ArrayMetadataJSON(TypedDict, extra_items=JSONValue):  # type: ignore[call-arg]
    """An array in memory: `.zarray` with the attributes of `.zattrs` in it.

    Readers ignore further members.
    """

    zarr_format: Literal[2]
    shape: tuple[Annotated[int, Ge(0)], ...]
    chunks: tuple[Annotated[int, Ge(0)], ...]
    dtype: ZarrV2DataTypeField
    compressor: ZarrV2CodecField | None
    fill_value: JSONValue
    order: ZarrV2ArrayOrder
    filters: tuple[ZarrV2CodecField, ...] | None
    dimension_separator: NotRequired[ZarrV2ArrayDimensionSeparator]
    attributes: NotRequired[Mapping[str, JSONValue]]
    """From the `.zattrs` beside it."""


__all__ = [
    "ZARR_V2_ARRAY_DIMENSION_SEPARATOR",
    "ZARR_V2_ARRAY_METADATA_STORE_KEY",
    "ZARR_V2_ARRAY_ORDER",
    "ZarrV2ArrayDimensionSeparator",
    "ZarrV2ArrayMetadataJSON",
    "ZarrV2ArrayMetadataStoreKey",
    "ZarrV2ArrayOrder",
    "ZarrV2ZArrayJSON",
]
