"""The v2 compressors that numcodecs configures: zlib, gzip, bz2, lzma, blosc, zstd and lz4.

A parameter with a default may be absent; the canonical form fills it in.
"""

from typing import Annotated, Any, Final, Literal, NotRequired, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata.shape import Ge, Interval
from zarrdb.metadata.v2.codec.parameters import Defaults
from zarrdb.metadata.v2.kinds import ZarrV2CodecDefinition
from zarrdb.metadata.value import JSONValue

ZarrV2CompressionLevel: TypeAlias = Annotated[int, Interval(ge=-1, le=9)]
"""The level of zlib and gzip: none at 0, most at 9, the library's own at -1."""

ZarrV2BloscCName: TypeAlias = Literal["blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"]
"""The compressors within Blosc."""

CInt: TypeAlias = Annotated[int, Interval(ge=-(2**31), le=2**31 - 1)]
"""An integer that is passed to C as an `int`."""


class ZarrV2ZlibParameters(TypedDict, closed=True):
    """`zlib`: level 1 unless given."""

    level: NotRequired[ReadOnly[ZarrV2CompressionLevel]]


class ZarrV2GzipParameters(TypedDict, closed=True):
    """`gzip`: level 1 unless given."""

    level: NotRequired[ReadOnly[ZarrV2CompressionLevel]]


class ZarrV2Bz2Parameters(TypedDict, closed=True):
    """`bz2`: level 1 unless given."""

    level: NotRequired[ReadOnly[Annotated[int, Interval(ge=1, le=9)]]]


class ZarrV2LzmaParameters(TypedDict, closed=True):
    """`lzma`: format 1, check -1, no preset and no filters unless given, as Python's `lzma`."""

    format: NotRequired[ReadOnly[Annotated[int, Interval(ge=0, le=3)]]]
    check: NotRequired[ReadOnly[int]]
    preset: NotRequired[ReadOnly[Annotated[int, Ge(0)] | None]]
    filters: NotRequired[ReadOnly[tuple[JSONValue, ...] | None]]


class ZarrV2BloscParameters(TypedDict, closed=True):
    """`blosc`: lz4 at level 5 with byte shuffle unless given.

    `shuffle` is -1 by the item size, 0 none, 1 by byte, 2 by bit; true and false are read as 1
    and 0. `blocksize` 0 leaves the choice to Blosc, which raises any other below 128 to 128.
    """

    cname: NotRequired[ReadOnly[ZarrV2BloscCName]]
    clevel: NotRequired[ReadOnly[Annotated[int, Interval(ge=0, le=9)]]]
    shuffle: NotRequired[ReadOnly[Literal[-1, 0, 1, 2] | bool]]
    blocksize: NotRequired[ReadOnly[CInt]]
    typesize: NotRequired[ReadOnly[Annotated[int, Interval(ge=1, le=2**31 - 1)] | None]]


class ZarrV2ZstdParameters(TypedDict, closed=True):
    """`zstd`: its own level, 0, and no checksum unless given.

    The library moves a level past its own range into it.
    """

    level: NotRequired[ReadOnly[CInt]]
    checksum: NotRequired[ReadOnly[bool]]


class ZarrV2Lz4Parameters(TypedDict, closed=True):
    """`lz4`: acceleration 1 unless given; the library reads a lower one as 1."""

    acceleration: NotRequired[ReadOnly[CInt]]


_LEVEL_ONE: Final = Defaults((("level", 1),))
_BLOSC: Final = Defaults((("cname", "lz4"), ("clevel", 5), ("shuffle", 1), ("blocksize", 0)))


def _blosc_canonical(configuration: Any) -> Any:
    full = _BLOSC(configuration)
    full["shuffle"] = int(full["shuffle"])
    if full.get("typesize", 0) is None:
        del full["typesize"]
    return full


ZLIB_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="zlib", configuration=ZarrV2ZlibParameters, canonical=_LEVEL_ONE
)
"""`numcodecs.Zlib`."""

GZIP_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="gzip", configuration=ZarrV2GzipParameters, canonical=_LEVEL_ONE
)
"""`numcodecs.GZip`."""

BZ2_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="bz2", configuration=ZarrV2Bz2Parameters, canonical=_LEVEL_ONE
)
"""`numcodecs.BZ2`."""

LZMA_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="lzma",
    configuration=ZarrV2LzmaParameters,
    canonical=Defaults((("format", 1), ("check", -1), ("preset", None), ("filters", None))),
)
"""`numcodecs.LZMA`."""

BLOSC_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="blosc", configuration=ZarrV2BloscParameters, canonical=_blosc_canonical
)
"""`numcodecs.Blosc`."""

ZSTD_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="zstd",
    configuration=ZarrV2ZstdParameters,
    canonical=Defaults((("level", 0), ("checksum", False))),
)
"""`numcodecs.Zstd`."""

LZ4_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="lz4",
    configuration=ZarrV2Lz4Parameters,
    canonical=Defaults((("acceleration", 1),)),
)
"""`numcodecs.LZ4`."""
