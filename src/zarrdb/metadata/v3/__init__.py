"""Metadata of Zarr v3: the shapes of its documents, its definitions, and their reader.

    >>> from zarrdb.metadata.v3 import ZarrV3Reader
    >>> document = {
    ...     "zarr_format": 3, "node_type": "array", "shape": [4], "data_type": "float32",
    ...     "fill_value": 0, "chunk_key_encoding": "default", "codecs": ["bytes", "mine"],
    ...     "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    ... }
    >>> reading = ZarrV3Reader().array(document)
    >>> reading.codecs
    (<AcceptedField: v3 codec 'bytes'>, <UnclaimedField: v3 codec 'mine'>)
    >>> [each.message for each in reading.problems]
    ['`endian` is missing, which "float32" needs: little or big']

Names that end in `JSON`, `Configuration` or `FillValue` are types of JSON values. Constants
that end in `_V3` are definitions or, in the plural, all of a kind; `CORE_V3` is the scope of
all of them. Other registered extensions are in `zarrdb.metadata.v3.registered`.
"""

from zarrdb.metadata.v3.array import (
    ZARR_V3_METADATA_STORE_KEY,
    ZarrV3ArrayMetadataJSON,
    ZarrV3MetadataStoreKey,
)
from zarrdb.metadata.v3.chunk import (
    UNKNOWN,
    VARIABLE,
    Chunk,
    Lengths,
    Storage,
    storage_of,
)
from zarrdb.metadata.v3.chunk_grid import (
    CHUNK_GRIDS_V3,
    RECTILINEAR_CHUNK_GRID_V3,
    REGULAR_CHUNK_GRID_V3,
    ZarrV3ChunkEdges,
    ZarrV3ChunkLength,
    ZarrV3RectilinearConfiguration,
    ZarrV3RegularConfiguration,
)
from zarrdb.metadata.v3.chunk_key_encoding import (
    CHUNK_KEY_ENCODINGS_V3,
    DEFAULT_CHUNK_KEY_ENCODING_V3,
    V2_CHUNK_KEY_ENCODING_V3,
    ZarrV3Separator,
    ZarrV3SeparatorConfiguration,
)
from zarrdb.metadata.v3.codec import (
    CODECS_V3,
)
from zarrdb.metadata.v3.codec.arithmetic import (
    CAST_VALUE_CODEC_V3,
    SCALE_OFFSET_CODEC_V3,
    ZarrV3CastValueConfiguration,
    ZarrV3OutOfRange,
    ZarrV3Rounding,
    ZarrV3ScalarMap,
    ZarrV3ScalarPair,
    ZarrV3ScaleOffsetConfiguration,
)
from zarrdb.metadata.v3.codec.bytes import (
    BYTES_CODEC_V3,
    ZarrV3BytesConfiguration,
    ZarrV3Endian,
)
from zarrdb.metadata.v3.codec.compression import (
    BLOSC_CODEC_V3,
    CRC32C_CODEC_V3,
    GZIP_CODEC_V3,
    ZSTD_CODEC_V3,
    ZarrV3BloscConfiguration,
    ZarrV3BloscShuffle,
    ZarrV3GzipConfiguration,
    ZarrV3ZstdConfiguration,
)
from zarrdb.metadata.v3.codec.sharding import (
    SHARDING_CODEC_V3,
    ZarrV3IndexLocation,
    ZarrV3ShardingConfiguration,
)
from zarrdb.metadata.v3.codec.transpose import (
    TRANSPOSE_CODEC_V3,
    ZarrV3TransposeConfiguration,
)
from zarrdb.metadata.v3.data_type import (
    DATA_TYPES_V3,
)
from zarrdb.metadata.v3.data_type.byte import (
    BYTES_DATA_TYPE_V3,
    RAW_BYTES_DATA_TYPE_V3,
    ZarrV3BytesFillValue,
    ZarrV3ByteValue,
    ZarrV3RawBytesConfiguration,
    ZarrV3RawBytesFillValue,
)
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
    ZarrV3ComplexFillValue,
    ZarrV3FloatFillValue,
    ZarrV3FloatSpecial,
)
from zarrdb.metadata.v3.data_type.struct import (
    STRUCT_DATA_TYPE_V3,
    ZarrV3StructConfiguration,
    ZarrV3StructField,
    ZarrV3StructFillValue,
)
from zarrdb.metadata.v3.data_type.text import (
    STRING_DATA_TYPE_V3,
)
from zarrdb.metadata.v3.data_type.time import (
    DATETIME64_DATA_TYPE_V3,
    TIMEDELTA64_DATA_TYPE_V3,
    ZarrV3TimeConfiguration,
    ZarrV3TimeFillValue,
    ZarrV3TimeUnit,
)
from zarrdb.metadata.v3.definition import (
    CORE_V3,
    ZarrV3ArrayExtraFieldDefinition,
    ZarrV3ChunkGridDefinition,
    ZarrV3ChunkKeyEncodingDefinition,
    ZarrV3CodecDefinition,
    ZarrV3Context,
    ZarrV3ContextSlots,
    ZarrV3DataTypeDefinition,
    ZarrV3GroupExtraFieldDefinition,
    ZarrV3Kind,
    ZarrV3StorageTransformerDefinition,
)
from zarrdb.metadata.v3.extra_field import (
    CONSOLIDATED_METADATA_V3,
    ZarrV3ConsolidatedEnvelopeJSON,
)
from zarrdb.metadata.v3.group import (
    ZarrV3ConsolidatedMetadataJSON,
    ZarrV3GroupMetadataJSON,
)
from zarrdb.metadata.v3.kinds import (
    CodecKind,
    ZarrV3ChunkGridField,
    ZarrV3ChunkKeyEncodingField,
    ZarrV3CodecField,
    ZarrV3DataTypeField,
    ZarrV3FixedSizeCodecField,
    ZarrV3MetadataFieldJSON,
    ZarrV3NamedConfigJSON,
    ZarrV3StorageTransformerField,
)
from zarrdb.metadata.v3.pipeline import (
    Stage,
)
from zarrdb.metadata.v3.read_array import (
    ZarrV3ArrayReading,
)
from zarrdb.metadata.v3.read_consolidated import (
    ZarrV3ConsolidatedReading,
)
from zarrdb.metadata.v3.read_node import (
    ZarrV3GroupReading,
    ZarrV3UnknownReading,
)
from zarrdb.metadata.v3.reader import (
    ZarrV3Reader,
)

__all__ = [
    "BLOSC_CODEC_V3",
    "BOOL_DATA_TYPE_V3",
    "BYTES_CODEC_V3",
    "BYTES_DATA_TYPE_V3",
    "CAST_VALUE_CODEC_V3",
    "CHUNK_GRIDS_V3",
    "CHUNK_KEY_ENCODINGS_V3",
    "CODECS_V3",
    "COMPLEX64_DATA_TYPE_V3",
    "COMPLEX128_DATA_TYPE_V3",
    "CONSOLIDATED_METADATA_V3",
    "CORE_V3",
    "CRC32C_CODEC_V3",
    "DATA_TYPES_V3",
    "DATETIME64_DATA_TYPE_V3",
    "DEFAULT_CHUNK_KEY_ENCODING_V3",
    "FLOAT16_DATA_TYPE_V3",
    "FLOAT32_DATA_TYPE_V3",
    "FLOAT64_DATA_TYPE_V3",
    "GZIP_CODEC_V3",
    "INT8_DATA_TYPE_V3",
    "INT16_DATA_TYPE_V3",
    "INT32_DATA_TYPE_V3",
    "INT64_DATA_TYPE_V3",
    "RAW_BYTES_DATA_TYPE_V3",
    "RECTILINEAR_CHUNK_GRID_V3",
    "REGULAR_CHUNK_GRID_V3",
    "SCALE_OFFSET_CODEC_V3",
    "SHARDING_CODEC_V3",
    "STRING_DATA_TYPE_V3",
    "STRUCT_DATA_TYPE_V3",
    "TIMEDELTA64_DATA_TYPE_V3",
    "TRANSPOSE_CODEC_V3",
    "UINT8_DATA_TYPE_V3",
    "UINT16_DATA_TYPE_V3",
    "UINT32_DATA_TYPE_V3",
    "UINT64_DATA_TYPE_V3",
    "UNKNOWN",
    "V2_CHUNK_KEY_ENCODING_V3",
    "VARIABLE",
    "ZARR_V3_METADATA_STORE_KEY",
    "ZSTD_CODEC_V3",
    "Chunk",
    "CodecKind",
    "Lengths",
    "Stage",
    "Storage",
    "ZarrV3ArrayExtraFieldDefinition",
    "ZarrV3ArrayMetadataJSON",
    "ZarrV3ArrayReading",
    "ZarrV3BloscConfiguration",
    "ZarrV3BloscShuffle",
    "ZarrV3ByteValue",
    "ZarrV3BytesConfiguration",
    "ZarrV3BytesFillValue",
    "ZarrV3CastValueConfiguration",
    "ZarrV3ChunkEdges",
    "ZarrV3ChunkGridDefinition",
    "ZarrV3ChunkGridField",
    "ZarrV3ChunkKeyEncodingDefinition",
    "ZarrV3ChunkKeyEncodingField",
    "ZarrV3ChunkLength",
    "ZarrV3CodecDefinition",
    "ZarrV3CodecField",
    "ZarrV3ComplexFillValue",
    "ZarrV3ConsolidatedEnvelopeJSON",
    "ZarrV3ConsolidatedMetadataJSON",
    "ZarrV3ConsolidatedReading",
    "ZarrV3Context",
    "ZarrV3ContextSlots",
    "ZarrV3DataTypeDefinition",
    "ZarrV3DataTypeField",
    "ZarrV3Endian",
    "ZarrV3FixedSizeCodecField",
    "ZarrV3FloatFillValue",
    "ZarrV3FloatSpecial",
    "ZarrV3GroupExtraFieldDefinition",
    "ZarrV3GroupMetadataJSON",
    "ZarrV3GroupReading",
    "ZarrV3GzipConfiguration",
    "ZarrV3IndexLocation",
    "ZarrV3Kind",
    "ZarrV3MetadataFieldJSON",
    "ZarrV3MetadataStoreKey",
    "ZarrV3NamedConfigJSON",
    "ZarrV3OutOfRange",
    "ZarrV3RawBytesConfiguration",
    "ZarrV3RawBytesFillValue",
    "ZarrV3Reader",
    "ZarrV3RectilinearConfiguration",
    "ZarrV3RegularConfiguration",
    "ZarrV3Rounding",
    "ZarrV3ScalarMap",
    "ZarrV3ScalarPair",
    "ZarrV3ScaleOffsetConfiguration",
    "ZarrV3Separator",
    "ZarrV3SeparatorConfiguration",
    "ZarrV3ShardingConfiguration",
    "ZarrV3StorageTransformerDefinition",
    "ZarrV3StorageTransformerField",
    "ZarrV3StructConfiguration",
    "ZarrV3StructField",
    "ZarrV3StructFillValue",
    "ZarrV3TimeConfiguration",
    "ZarrV3TimeFillValue",
    "ZarrV3TimeUnit",
    "ZarrV3TransposeConfiguration",
    "ZarrV3UnknownReading",
    "ZarrV3ZstdConfiguration",
    "storage_of",
]
