"""The v3 codecs: those of the core, and registered ones with a specification."""

from typing import Any, Final

from zarrdb.metadata.v3.codec.arithmetic import CAST_VALUE_CODEC_V3, SCALE_OFFSET_CODEC_V3
from zarrdb.metadata.v3.codec.bytes import BYTES_CODEC_V3
from zarrdb.metadata.v3.codec.compression import (
    BLOSC_CODEC_V3,
    CRC32C_CODEC_V3,
    GZIP_CODEC_V3,
    ZSTD_CODEC_V3,
)
from zarrdb.metadata.v3.codec.sharding import SHARDING_CODEC_V3
from zarrdb.metadata.v3.codec.transpose import TRANSPOSE_CODEC_V3
from zarrdb.metadata.v3.kinds import ZarrV3CodecDefinition

CODECS_V3: Final[tuple[ZarrV3CodecDefinition[Any], ...]] = (
    TRANSPOSE_CODEC_V3,
    SCALE_OFFSET_CODEC_V3,
    CAST_VALUE_CODEC_V3,
    BYTES_CODEC_V3,
    SHARDING_CODEC_V3,
    GZIP_CODEC_V3,
    BLOSC_CODEC_V3,
    ZSTD_CODEC_V3,
    CRC32C_CODEC_V3,
)
"""Every v3 codec of the core scope."""
