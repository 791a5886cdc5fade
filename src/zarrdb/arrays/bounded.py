"""Decompression that stops at a size: a small value must not become all of the memory.

numcodecs decodes whatever comes: 204 kB became 200 MiB. So sizes are taken from headers where
a format has one that its decoder holds to, and streams are decoded here, up to the bound.
"""

import bz2
import lzma
import sys
import zlib
from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from zarrdb.encoded import headers
from zarrdb.errors import CorruptError

_GZIP_WINDOW: Final = 16 + zlib.MAX_WBITS

_LZMA_MEMORY: Final = 256 << 20
"""Bytes of a dictionary: the highest level of xz takes 64 MiB, a header may ask for 4 GiB."""
_ZSTD_BLOCK: Final = 128 << 10
"""Bytes that a block of a zstd frame decodes to at most (RFC 8878, 3.1.1.2)."""


class Expanded(NamedTuple):
    """More bytes than there may be: at least so many."""

    size: int


def decompress(
    codec: str, parameters: Mapping[str, Any], value: bytes, limit: int
) -> bytes | Expanded | None:
    """The decoded bytes of a stream format; None for a codec that is none.

    Raises CorruptError where the value is no such stream.
    """
    decode = _STREAMS.get(codec)
    if decode is None:
        return None
    try:
        decoded = decode(value, parameters, min(limit, sys.maxsize - 1) + 1)
    except (zlib.error, OSError, EOFError, lzma.LZMAError, ValueError) as error:
        raise CorruptError(f"{codec} cannot decode it: {error}") from None
    return Expanded(len(decoded)) if len(decoded) > limit else decoded


def told_size(codec: str, value: bytes) -> int | None:
    """The size that a value of a format with a header decodes to, at most.

    None for a codec that has no such header. Raises CorruptError where there should be one.
    """
    if codec not in ("blosc", "zstd", "lz4"):
        return None
    found = headers.READERS[codec](value[: headers.HEAD], len(value))
    if found is None:
        raise CorruptError(f"does not begin with a header of {codec}")
    if found.stored is not None and found.stored > len(value):
        # blosc would read past the end.
        raise CorruptError(f"{codec} cannot decode it: it ends too early")
    return _zstd_blocks(value) if found.decoded is None else found.decoded


def _gzip(value: bytes, _: Mapping[str, Any], most: int) -> bytes:
    decoded = b""
    while value:
        stream = zlib.decompressobj(_GZIP_WINDOW)
        decoded += stream.decompress(value, most - len(decoded))
        if not stream.eof:
            if len(decoded) >= most:
                break
            raise EOFError("it ends too early")
        # Several members may follow one another, and zeros after them.
        value = stream.unused_data.lstrip(b"\0")
    return decoded


def _zlib(value: bytes, _: Mapping[str, Any], most: int) -> bytes:
    stream = zlib.decompressobj()
    decoded = stream.decompress(value, most)
    if not stream.eof and len(decoded) < most:
        raise EOFError("it ends too early")
    return decoded


def _bz2(value: bytes, _: Mapping[str, Any], most: int) -> bytes:
    decoded = b""
    while value and len(decoded) < most:
        stream = bz2.BZ2Decompressor()
        decoded += stream.decompress(value, most - len(decoded))
        if not stream.eof:
            if len(decoded) >= most:
                break
            raise EOFError("it ends too early")
        value = stream.unused_data
    return decoded


def _lzma(value: bytes, parameters: Mapping[str, Any], most: int) -> bytes:
    form = parameters.get("format", lzma.FORMAT_XZ)
    if form == lzma.FORMAT_RAW:
        stream = lzma.LZMADecompressor(format=form, filters=parameters.get("filters"))
    else:
        stream = lzma.LZMADecompressor(format=form, memlimit=_LZMA_MEMORY)
    decoded = stream.decompress(value, most)
    # A raw stream may have no end of its own.
    if not stream.eof and len(decoded) < most and form != lzma.FORMAT_RAW:
        raise EOFError("it ends too early")
    return decoded


_STREAMS: Final[Mapping[str, Callable[[bytes, Mapping[str, Any], int], bytes]]] = {
    "gzip": _gzip,
    "zlib": _zlib,
    "bz2": _bz2,
    "lzma": _lzma,
}


def _zstd_blocks(value: bytes) -> int:
    """What the blocks of a zstd frame decode to at most, where its header does not say."""
    descriptor = value[4]
    # No content size means no single segment: a window descriptor follows.
    place = 6 + (0, 1, 2, 4)[descriptor & 0x03]
    total = 0
    while place + 3 <= len(value):
        header = int.from_bytes(value[place : place + 3], "little")
        last, kind, size = header & 1, header >> 1 & 3, header >> 3
        total += _ZSTD_BLOCK if kind == 2 else size
        place += 3 + (1 if kind == 1 else size)
        if last:
            return total
    raise CorruptError("zstd cannot decode it: it ends too early")
