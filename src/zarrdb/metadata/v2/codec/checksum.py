"""The v2 checksums that numcodecs configures: crc32, crc32c, adler32 and fletcher32."""

from typing import Final, Literal, NotRequired

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata.definition import EmptyConfiguration
from zarrdb.metadata.v2.codec.parameters import Defaults
from zarrdb.metadata.v2.kinds import ZarrV2CodecDefinition


class ZarrV2Checksum32Parameters(TypedDict, closed=True):
    """Where the checksum stands: at the start unless given, for crc32c at the end."""

    location: NotRequired[ReadOnly[Literal["start", "end"] | None]]


CRC32_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="crc32",
    configuration=ZarrV2Checksum32Parameters,
    canonical=Defaults((("location", "start"),)),
)
"""`numcodecs.CRC32`."""

CRC32C_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="crc32c",
    configuration=ZarrV2Checksum32Parameters,
    canonical=Defaults((("location", "end"),)),
)
"""`numcodecs.CRC32C`."""

ADLER32_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="adler32",
    configuration=ZarrV2Checksum32Parameters,
    canonical=Defaults((("location", "start"),)),
)
"""`numcodecs.Adler32`."""

FLETCHER32_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="fletcher32", configuration=EmptyConfiguration
)
"""`numcodecs.Fletcher32`, which takes no parameters."""
