"""Metadata of Zarr v2: the shapes of its documents, its definitions, and their reader.

    >>> from zarrdb.metadata.v2 import ZarrV2Reader
    >>> document = {
    ...     "zarr_format": 2, "shape": [4], "chunks": [2], "order": "C", "dtype": "<f4",
    ...     "fill_value": 0, "filters": None, "compressor": {"id": "zlib", "level": 12},
    ... }
    >>> reading = ZarrV2Reader().document(".zarray", document)
    >>> reading.dtype
    <AcceptedField: v2 data type '<f4'>
    >>> [(each.loc, each.message) for each in reading.problems]
    [(('compressor', 'level'), 'expected an integer from -1 to 9, got 12')]

Names that end in `JSON`, `Metadata`, `Parameters`, `Configuration` or `FillValue` are types of
JSON values. Constants that end in `_V2` are definitions or, in the plural, all of a kind;
`CORE_V2` is the scope of all of them.
"""

from zarrdb.metadata.v2.array import (
    ZARR_V2_ARRAY_DIMENSION_SEPARATOR,
    ZARR_V2_ARRAY_METADATA_STORE_KEY,
    ZARR_V2_ARRAY_ORDER,
    ZarrV2ArrayDimensionSeparator,
    ZarrV2ArrayMetadataJSON,
    ZarrV2ArrayMetadataStoreKey,
    ZarrV2ArrayOrder,
    ZarrV2ZArrayJSON,
)
from zarrdb.metadata.v2.attributes import (
    ZARR_V2_ATTRIBUTES_STORE_KEY,
    ZarrV2AttributesStoreKey,
    ZarrV2ZAttrsJSON,
)
from zarrdb.metadata.v2.codec import CODECS_V2
from zarrdb.metadata.v2.codec.checksum import (
    ADLER32_CODEC_V2,
    CRC32_CODEC_V2,
    CRC32C_CODEC_V2,
    FLETCHER32_CODEC_V2,
    ZarrV2Checksum32Parameters,
)
from zarrdb.metadata.v2.codec.compression import (
    BLOSC_CODEC_V2,
    BZ2_CODEC_V2,
    GZIP_CODEC_V2,
    LZ4_CODEC_V2,
    LZMA_CODEC_V2,
    ZLIB_CODEC_V2,
    ZSTD_CODEC_V2,
    ZarrV2BloscCName,
    ZarrV2BloscParameters,
    ZarrV2Bz2Parameters,
    ZarrV2CompressionLevel,
    ZarrV2GzipParameters,
    ZarrV2Lz4Parameters,
    ZarrV2LzmaParameters,
    ZarrV2ZlibParameters,
    ZarrV2ZstdParameters,
)
from zarrdb.metadata.v2.codec.filters import (
    ASTYPE_CODEC_V2,
    BITROUND_CODEC_V2,
    DELTA_CODEC_V2,
    FIXEDSCALEOFFSET_CODEC_V2,
    PACKBITS_CODEC_V2,
    QUANTIZE_CODEC_V2,
    SHUFFLE_CODEC_V2,
    ZarrV2AsTypeParameters,
    ZarrV2BitRoundParameters,
    ZarrV2DeltaParameters,
    ZarrV2FixedScaleOffsetParameters,
    ZarrV2QuantizeParameters,
    ZarrV2ShuffleParameters,
)
from zarrdb.metadata.v2.codec.vlen import (
    VLEN_ARRAY_CODEC_V2,
    VLEN_BYTES_CODEC_V2,
    VLEN_UTF8_CODEC_V2,
    ZarrV2VLenArrayParameters,
)
from zarrdb.metadata.v2.consolidated import (
    ZARR_V2_CONSOLIDATED_METADATA_STORE_KEY,
    ZarrV2ConsolidatedMetadataJSON,
    ZarrV2ConsolidatedMetadataStoreKey,
)
from zarrdb.metadata.v2.data_type import DATA_TYPES_V2
from zarrdb.metadata.v2.data_type.fixed_width import (
    BYTES_DATA_TYPE_V2,
    STR_DATA_TYPE_V2,
    VOID_DATA_TYPE_V2,
    ZarrV2Base64FillValue,
)
from zarrdb.metadata.v2.data_type.object import OBJECT_DATA_TYPE_V2, ZarrV2ObjectConfiguration
from zarrdb.metadata.v2.data_type.scalar import (
    BOOL_DATA_TYPE_V2,
    COMPLEX_DATA_TYPE_V2,
    FLOAT_DATA_TYPE_V2,
    INT_DATA_TYPE_V2,
    UINT_DATA_TYPE_V2,
    ZarrV2ByteOrder,
    ZarrV2ComplexComponent,
    ZarrV2ComplexFillValue,
    ZarrV2FloatFillValue,
    ZarrV2FloatSpecial,
    ZarrV2ScalarConfiguration,
)
from zarrdb.metadata.v2.data_type.struct import (
    STRUCT_DATA_TYPE_V2,
    ZarrV2StructConfiguration,
    ZarrV2StructRecord,
    item_size,
)
from zarrdb.metadata.v2.data_type.time import (
    DATETIME64_DATA_TYPE_V2,
    TIMEDELTA64_DATA_TYPE_V2,
    ZarrV2TimeConfiguration,
    ZarrV2TimeFillValue,
)
from zarrdb.metadata.v2.definition import (
    CORE_V2,
    ZarrV2CodecDefinition,
    ZarrV2Context,
    ZarrV2ContextSlots,
    ZarrV2DataTypeDefinition,
    ZarrV2DataTypeField,
    ZarrV2Kind,
)
from zarrdb.metadata.v2.group import (
    ZARR_V2_GROUP_METADATA_STORE_KEY,
    ZarrV2GroupMetadataJSON,
    ZarrV2GroupMetadataStoreKey,
    ZarrV2ZGroupJSON,
)
from zarrdb.metadata.v2.kinds import ZarrV2CodecField, ZarrV2CodecMetadata, ZarrV2DataTypeMetadata
from zarrdb.metadata.v2.read_array import ZarrV2ArrayReading
from zarrdb.metadata.v2.read_consolidated import ZarrV2ConsolidatedReading
from zarrdb.metadata.v2.read_node import ZarrV2GroupReading, ZarrV2UnknownReading
from zarrdb.metadata.v2.reader import ZarrV2Reader

__all__ = [
    "ADLER32_CODEC_V2",
    "ASTYPE_CODEC_V2",
    "BITROUND_CODEC_V2",
    "BLOSC_CODEC_V2",
    "BOOL_DATA_TYPE_V2",
    "BYTES_DATA_TYPE_V2",
    "BZ2_CODEC_V2",
    "CODECS_V2",
    "COMPLEX_DATA_TYPE_V2",
    "CORE_V2",
    "CRC32C_CODEC_V2",
    "CRC32_CODEC_V2",
    "DATA_TYPES_V2",
    "DATETIME64_DATA_TYPE_V2",
    "DELTA_CODEC_V2",
    "FIXEDSCALEOFFSET_CODEC_V2",
    "FLETCHER32_CODEC_V2",
    "FLOAT_DATA_TYPE_V2",
    "GZIP_CODEC_V2",
    "INT_DATA_TYPE_V2",
    "LZ4_CODEC_V2",
    "LZMA_CODEC_V2",
    "OBJECT_DATA_TYPE_V2",
    "PACKBITS_CODEC_V2",
    "QUANTIZE_CODEC_V2",
    "SHUFFLE_CODEC_V2",
    "STRUCT_DATA_TYPE_V2",
    "STR_DATA_TYPE_V2",
    "TIMEDELTA64_DATA_TYPE_V2",
    "UINT_DATA_TYPE_V2",
    "VLEN_ARRAY_CODEC_V2",
    "VLEN_BYTES_CODEC_V2",
    "VLEN_UTF8_CODEC_V2",
    "VOID_DATA_TYPE_V2",
    "ZARR_V2_ARRAY_DIMENSION_SEPARATOR",
    "ZARR_V2_ARRAY_METADATA_STORE_KEY",
    "ZARR_V2_ARRAY_ORDER",
    "ZARR_V2_ATTRIBUTES_STORE_KEY",
    "ZARR_V2_CONSOLIDATED_METADATA_STORE_KEY",
    "ZARR_V2_GROUP_METADATA_STORE_KEY",
    "ZLIB_CODEC_V2",
    "ZSTD_CODEC_V2",
    "ZarrV2ArrayDimensionSeparator",
    "ZarrV2ArrayMetadataJSON",
    "ZarrV2ArrayMetadataStoreKey",
    "ZarrV2ArrayOrder",
    "ZarrV2ArrayReading",
    "ZarrV2AsTypeParameters",
    "ZarrV2AttributesStoreKey",
    "ZarrV2Base64FillValue",
    "ZarrV2BitRoundParameters",
    "ZarrV2BloscCName",
    "ZarrV2BloscParameters",
    "ZarrV2ByteOrder",
    "ZarrV2Bz2Parameters",
    "ZarrV2Checksum32Parameters",
    "ZarrV2CodecDefinition",
    "ZarrV2CodecField",
    "ZarrV2CodecMetadata",
    "ZarrV2ComplexComponent",
    "ZarrV2ComplexFillValue",
    "ZarrV2CompressionLevel",
    "ZarrV2ConsolidatedMetadataJSON",
    "ZarrV2ConsolidatedMetadataStoreKey",
    "ZarrV2ConsolidatedReading",
    "ZarrV2Context",
    "ZarrV2ContextSlots",
    "ZarrV2DataTypeDefinition",
    "ZarrV2DataTypeField",
    "ZarrV2DataTypeMetadata",
    "ZarrV2DeltaParameters",
    "ZarrV2FixedScaleOffsetParameters",
    "ZarrV2FloatFillValue",
    "ZarrV2FloatSpecial",
    "ZarrV2GroupMetadataJSON",
    "ZarrV2GroupMetadataStoreKey",
    "ZarrV2GroupReading",
    "ZarrV2GzipParameters",
    "ZarrV2Kind",
    "ZarrV2Lz4Parameters",
    "ZarrV2LzmaParameters",
    "ZarrV2ObjectConfiguration",
    "ZarrV2QuantizeParameters",
    "ZarrV2Reader",
    "ZarrV2ScalarConfiguration",
    "ZarrV2ShuffleParameters",
    "ZarrV2StructConfiguration",
    "ZarrV2StructRecord",
    "ZarrV2TimeConfiguration",
    "ZarrV2TimeFillValue",
    "ZarrV2UnknownReading",
    "ZarrV2VLenArrayParameters",
    "ZarrV2ZArrayJSON",
    "ZarrV2ZAttrsJSON",
    "ZarrV2ZGroupJSON",
    "ZarrV2ZlibParameters",
    "ZarrV2ZstdParameters",
    "item_size",
]
