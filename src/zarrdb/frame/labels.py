"""The codecs and filters of Blosc2 by name."""

from collections.abc import Mapping
from typing import Final

from zarrdb.frame.header import Compression

_CODECS: Final[Mapping[int, str]] = {
    0: "blosclz",
    1: "lz4",
    2: "lz4hc",
    4: "zlib",
    5: "zstd",
    32: "ndlz",
    33: "zfp_acc",
    34: "zfp_prec",
    35: "zfp_rate",
    36: "openhtj2k",
    37: "grok",
    38: "openzl",
    39: "j2k",
    40: "htj2k",
}
_NO_FILTER: Final = 0
_FILTERS: Final[Mapping[int, str]] = {
    1: "shuffle",
    2: "bitshuffle",
    3: "delta",
    4: "trunc_prec",
    32: "ndcell",
    33: "ndmean",
    34: "bytedelta_buggy",
    35: "bytedelta",
    36: "int_trunc",
}


def codec_label(compression: Compression) -> str:
    """The codec that new chunks get: `zstd (level 5)`."""
    name = _CODECS.get(compression.codec, f"codec {compression.codec}")
    words = [f"level {compression.level}", *(["dictionary"] if compression.use_dict else [])]
    return f"{name} ({', '.join(words)})"


def filter_labels(compression: Compression) -> list[str]:
    """The filters before it, in the order in which they are applied."""
    wanted = [number for number in compression.filters if number != _NO_FILTER]
    return [_FILTERS.get(number, f"filter {number}") for number in wanted]
