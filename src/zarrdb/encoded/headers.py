"""Headers of compressed values: their format, and the sizes they tell.

Nothing is decoded and nothing is read here: the caller hands in the first bytes of a value,
`HEAD` of them or all, for gzip its last four too, and the value's length.
"""

import struct
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple

HEAD: Final = 18
"""Bytes from the start of a value that every reader here can do with."""


class Encoded(NamedTuple):
    """What a header says; a size that it does not tell is None."""

    decoded: int | None
    """Bytes after decoding."""
    stored: int | None
    """Bytes that the value must have."""
    detail: str = ""
    """The compressor inside a container format: `blosc` holds `zstd`, for example."""


_BLOSC: Final = struct.Struct("<BBBBIII")
_BLOSC_COMPRESSORS: Final = ("blosclz", "lz4", "snappy", "zlib", "zstd")
_BLOSC_MAX_VERSION: Final = 2
_BLOSC_STORED: Final = 0x02

_ZSTD_MAGIC: Final = b"\x28\xb5\x2f\xfd"
_ZSTD_MIN: Final = 6


def blosc(head: bytes, _size: int) -> Encoded | None:
    """Blosc 1: a header of 16 bytes that tells both sizes."""
    if len(head) < _BLOSC.size:
        return None
    version, _, flags, itemsize, decoded, block, stored = _BLOSC.unpack_from(head)
    compressor = flags >> 5
    if not 1 <= version <= _BLOSC_MAX_VERSION or compressor >= len(_BLOSC_COMPRESSORS):
        return None
    if itemsize == 0 or stored < _BLOSC.size or (decoded and not block):
        return None
    detail = "stored" if flags & _BLOSC_STORED else _BLOSC_COMPRESSORS[compressor]
    return Encoded(decoded, stored, detail)


def zstd(head: bytes, _size: int) -> Encoded | None:
    """Zstandard (RFC 8878): the content size is in the frame header, if the writer knew it."""
    if len(head) < _ZSTD_MIN or head[:4] != _ZSTD_MAGIC:
        return None
    descriptor = head[4]
    single = bool(descriptor & 0x20)
    flag = descriptor >> 6
    width = (1 if single else 0, 2, 4, 8)[flag]
    start = 5 + (not single) + (0, 1, 2, 4)[descriptor & 0x03]
    if descriptor & 0x08 or len(head) < start + width:
        return None
    if not width:
        return Encoded(None, None)
    decoded = int.from_bytes(head[start : start + width], "little")
    return Encoded(decoded + 256 if width == 2 else decoded, None)


def lz4(head: bytes, size: int) -> Encoded | None:
    """numcodecs' LZ4: the decoded size in four bytes, then one block.

    A block grows by at most one byte in 255 and 16 more, and shrinks to no less than 1 in 255.
    """
    if len(head) < 5:
        return None
    decoded = int.from_bytes(head[:4], "little")
    block = size - 4
    if decoded > block * 255 or block > decoded + decoded // 255 + 16:
        return None
    return Encoded(decoded, None)


def gzip(head: bytes, size: int) -> Encoded | None:
    """gzip (RFC 1952): the decoded size, modulo 2**32, is in the last four bytes."""
    if size < 18 or head[:3] != b"\x1f\x8b\x08" or head[3] & 0xE0:
        return None
    return Encoded(None, None)


def zlib(head: bytes, size: int) -> Encoded | None:
    """zlib (RFC 1950): a method and a check on two bytes, no size."""
    if size < 8 or head[0] & 0x0F != 8 or head[0] >> 4 > 7 or (head[0] << 8 | head[1]) % 31:
        return None
    return Encoded(None, None)


def bz2(head: bytes, _size: int) -> Encoded | None:
    """bzip2: a magic, the level, and the magic of a block or of the end."""
    if head[:3] != b"BZh" or not b"1" <= head[3:4] <= b"9":
        return None
    if head[4:10] not in (b"1AY&SY", b"\x17rE8P\x90"):
        return None
    return Encoded(None, None)


READERS: Final[Mapping[str, Callable[[bytes, int], Encoded | None]]] = MappingProxyType(
    {"blosc": blosc, "zstd": zstd, "lz4": lz4, "gzip": gzip, "zlib": zlib, "bz2": bz2}
)
"""By codec: the header of a value of so many bytes, or None if it has none of that format."""


def gzip_decoded(tail: bytes) -> int:
    """The decoded size, modulo 2**32, that the last four bytes of a gzip value tell.

    It is that of the last member alone, where there are several.
    """
    return int.from_bytes(tail[-4:], "little")
