"""The v3 codecs from bytes to bytes: gzip, blosc, zstd and crc32c."""

from typing import Annotated, Any, Final, Literal, NotRequired, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.checks import missing
from zarrdb.metadata.definition import EmptyConfiguration
from zarrdb.metadata.problem import Problem, Problems, shown
from zarrdb.metadata.shape import Ge, Interval
from zarrdb.metadata.v2.codec.compression import ZarrV2BloscCName as ZarrV3BloscCName
from zarrdb.metadata.v3.kinds import ZarrV3CodecDefinition

ZarrV3BloscShuffle: TypeAlias = Literal["noshuffle", "shuffle", "bitshuffle"]
"""No shuffle, by byte, and by bit."""


class ZarrV3GzipConfiguration(TypedDict, closed=True):
    """`gzip`: none at level 0, most at 9."""

    level: ReadOnly[Annotated[int, Interval(ge=0, le=9)]]


class ZarrV3BloscConfiguration(TypedDict, closed=True):
    """`blosc`: `typesize` is the size that shuffles work on, and needed for them.

    `blocksize` 0 leaves the choice to Blosc.
    """

    cname: ReadOnly[ZarrV3BloscCName]
    clevel: ReadOnly[Annotated[int, Interval(ge=0, le=9)]]
    shuffle: ReadOnly[ZarrV3BloscShuffle]
    typesize: NotRequired[ReadOnly[int]]
    blocksize: ReadOnly[Annotated[int, Ge(0)]]


class ZarrV3ZstdConfiguration(TypedDict, closed=True):
    """`zstd`: the levels of the library; no checksum unless given (zarr-extensions)."""

    level: ReadOnly[Annotated[int, Interval(ge=-(2**17), le=22)]]
    checksum: NotRequired[ReadOnly[bool]]


def _blosc_rules(configuration: Any) -> Problems:
    if configuration["shuffle"] == "noshuffle":
        return ()
    if "typesize" not in configuration:
        return missing("typesize")
    if configuration["typesize"] >= 1:
        return ()
    text = f"expected an integer at least 1, got {shown(configuration['typesize'])}"
    return (Problem(("typesize",), "invalid_value", text, reasons.OUT_OF_RANGE),)


def _blosc_canonical(configuration: Any) -> Any:
    """Without a shuffle nobody looks at the size."""
    if configuration["shuffle"] != "noshuffle":
        return configuration
    return {name: item for name, item in configuration.items() if name != "typesize"}


def _zstd_canonical(configuration: Any) -> Any:
    if configuration.get("checksum", True):
        return configuration
    return {"level": configuration["level"]}


GZIP_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="gzip", configuration=ZarrV3GzipConfiguration, kind="bytes_bytes"
)
"""RFC 1952."""

BLOSC_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="blosc",
    configuration=ZarrV3BloscConfiguration,
    rules=_blosc_rules,
    canonical=_blosc_canonical,
    kind="bytes_bytes",
)
"""Blosc, version 1."""

ZSTD_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="zstd",
    configuration=ZarrV3ZstdConfiguration,
    canonical=_zstd_canonical,
    kind="bytes_bytes",
)
"""RFC 8878."""

CRC32C_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="crc32c", configuration=EmptyConfiguration, kind="bytes_bytes", fixed_size=True
)
"""Four bytes of checksum behind the data."""
