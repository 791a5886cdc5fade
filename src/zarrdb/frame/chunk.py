"""A stored chunk: its header, where its blocks are, and some of its blocks made a chunk.

Layout: c-blosc2's README_CHUNK_FORMAT; all numbers are little-endian.
"""

from collections.abc import Sequence
from struct import Struct
from typing import TYPE_CHECKING, NamedTuple

from zarrdb.errors import FrameError
from zarrdb.frame.codec import Buffer

if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    from zarrdb.frame.header import Header

HEADER_LENGTH = 32
_OLD_HEADER_LENGTH = 16

ZEROS, NANS, VALUE, UNWRITTEN = 1, 2, 3, 4
"""What a chunk, or the offset of one, can say instead of storing items."""

NAN = {4: b"\0\0\xc0\x7f", 8: b"\0\0\0\0\0\0\xf8\x7f"}
"""By item size: the C library knows no other, and does not look at the data type."""

_SIZES = Struct("<4B3i")
_INT = Struct("<i")
_VERSIONS = range(1, 7)
_EXTENDED = 0b101
_MEMCPYED = 0b10
_NOT_SPLIT = 0x10
_USER_CODEC = 6
_DELTA = 3
_NDCELL, _NDMEAN = 32, 33
_DICTIONARY, _LAZY = 1, 8
_VARIABLE_BLOCKS = 1
_MAX_DICTIONARY = 1 << 15
_MAX_TYPESIZE = 255
"""Longer items are stored as bytes."""


class ChunkHeader(NamedTuple):
    """What the first bytes of a chunk say; sizes in bytes."""

    raw: bytes
    nbytes: int
    blocksize: int
    cbytes: int
    extended: bool
    memcpyed: bool
    special: int
    delta: bool
    dictionary: bool
    variable_blocks: bool
    codec: int
    """Its number in a chunk: LZ4 and LZ4HC have the same."""
    typesize: int
    nstreams: int
    """Streams of every block, but for a short last one."""
    needs_array: bool
    """The codec or a filter asks for the shape of the array."""


def parse_chunk_header(data: Buffer, room: int) -> ChunkHeader:
    """The header of any chunk that has `room` bytes.

    Raises ValueError for one that the C library must not see.
    """
    if len(data) < _OLD_HEADER_LENGTH:
        raise ValueError("it is cut short inside its header")
    version, _, flags, typesize, nbytes, blocksize, cbytes = _SIZES.unpack_from(data)
    extended = flags & _EXTENDED == _EXTENDED
    if version not in _VERSIONS or typesize == 0 or nbytes < 0 or blocksize < 0:
        raise ValueError("its header is damaged")
    length = HEADER_LENGTH if extended else _OLD_HEADER_LENGTH
    if not length <= cbytes <= room:
        raise ValueError(f"it says {cbytes} compressed bytes, there is room for {room}")
    if len(data) < length:
        raise ValueError("it is cut short inside its header")
    filters, last = (set(data[16:22]), data[31]) if extended else (set(), 0)
    if last & _LAZY:
        raise ValueError("it is flagged as stored elsewhere")
    header = ChunkHeader(
        raw=bytes(data[:length]),
        nbytes=nbytes,
        blocksize=blocksize,
        cbytes=cbytes,
        extended=extended,
        memcpyed=bool(flags & _MEMCPYED),
        special=last >> 4 & 7,
        delta=_DELTA in filters,
        dictionary=bool(last & _DICTIONARY),
        variable_blocks=extended and bool(data[30] & _VARIABLE_BLOCKS),
        codec=flags >> 5,
        typesize=typesize,
        nstreams=1 if flags & _NOT_SPLIT else typesize,
        needs_array=flags >> 5 == _USER_CODEC or not filters.isdisjoint((_NDCELL, _NDMEAN)),
    )
    _check_plain(header)
    return header


def _check_plain(header: ChunkHeader) -> None:
    if header.special not in (0, ZEROS, NANS, VALUE, UNWRITTEN):
        raise ValueError(f"it is a run of the unknown kind {header.special}")
    if header.special not in (0, VALUE) and header.cbytes != HEADER_LENGTH:
        raise ValueError(f"it is a run, but has {header.cbytes - HEADER_LENGTH} compressed bytes")
    if header.memcpyed and not header.special and header.cbytes != len(header.raw) + header.nbytes:
        raise ValueError("it is stored uncompressed, but not as long as its items")


def check_array_chunk(header: ChunkHeader, array: "Header") -> None:
    """Raise ValueError for a chunk that is none of this array."""
    geometry = array.geometry
    if header.nbytes != geometry.chunk_nbytes:
        raise ValueError(f"it holds {header.nbytes} bytes, chunks have {geometry.chunk_nbytes}")
    if header.variable_blocks:
        raise ValueError("its blocks have variable lengths")
    stored = {size if size <= _MAX_TYPESIZE else 1 for size in array.itemsizes}
    if header.typesize not in stored:
        raise ValueError(f"its items have {header.typesize} bytes, not {geometry.itemsize}")
    if header.special == VALUE and header.cbytes - HEADER_LENGTH != geometry.itemsize:
        raise ValueError("it repeats a value that is no item")
    if header.special == NANS and geometry.itemsize not in NAN:
        raise ValueError(f"it is a run of NaNs of {geometry.itemsize} bytes")
    if not header.special and header.blocksize != geometry.block_nbytes:
        raise ValueError(
            f"its blocks have {header.blocksize} bytes, those of the array {geometry.block_nbytes}"
        )


class Layout(NamedTuple):
    """Where the blocks of a chunk are, relative to its start."""

    header: ChunkHeader
    starts: "np.ndarray[Any, np.dtype[np.int64]]"
    extents: "np.ndarray[Any, np.dtype[np.int64]]"
    dictionary: tuple[int, int]
    """Offset and size of the section of the dictionary; nothing if it has none."""


def layout_length(nblocks: int) -> int:
    """How many bytes of a chunk tell where its blocks are."""
    return HEADER_LENGTH + 4 * nblocks


def parse_layout(data: Buffer, header: ChunkHeader, nblocks: int) -> Layout:
    """Where the blocks are; raises ValueError for blocks outside of the chunk.

    Uncompressed chunks store them in a row; the starts of others follow the header and
    need not ascend, as chunks are compressed by several threads.
    """
    import numpy as np

    if header.memcpyed:
        sizes = np.full(nblocks, header.blocksize, np.int64)
        return Layout(
            header, len(header.raw) + header.blocksize * np.arange(nblocks), sizes, (0, 0)
        )
    first = len(header.raw)
    end = first + 4 * nblocks
    if len(data) < end or header.cbytes < end:
        raise ValueError("it is cut short inside the starts of its blocks")
    starts = np.frombuffer(data, "<i4", nblocks, first).astype(np.int64)
    if ((starts < end) | (starts >= header.cbytes)).any():
        raise ValueError("one of its blocks starts outside of it")
    bounds = np.append(np.sort(starts), header.cbytes)
    if (np.diff(bounds) == 0).any():
        raise ValueError("two of its blocks start at the same place")
    extents = bounds[np.searchsorted(bounds, starts, side="right")] - starts
    section = int(bounds[0]) - end if header.dictionary else 0
    if header.dictionary and section <= _INT.size:
        raise ValueError("its dictionary is missing")
    return Layout(header, starts, extents, (end, section))


def check_dictionary(section: Buffer) -> None:
    """Raise ValueError for the section of a dictionary that does not hold one."""
    (size,) = _INT.unpack_from(section)
    if not 0 < size <= min(_MAX_DICTIONARY, len(section) - _INT.size):
        raise ValueError("its dictionary is damaged")


def chunk_of_blocks(header: ChunkHeader, blocks: Sequence[Buffer], dictionary: Buffer) -> bytes:
    """A chunk made of some blocks of another, in this order.

    Blocks do not depend on one another, except for the filter delta, which needs block 0 of
    the chunk to be the first; a header has no checksum; all blocks of an array are of the
    same size. So the C library decodes it like any chunk.
    """
    position = layout_length(len(blocks)) + len(dictionary)
    starts = bytearray()
    for block in blocks:
        starts += _INT.pack(position)
        position += len(block)
    head = bytearray(header.raw)
    _INT.pack_into(head, 4, len(blocks) * header.blocksize)
    _INT.pack_into(head, 12, position)
    return b"".join((head, starts, dictionary, *blocks))


def run_chunk(kind: int, typesize: int, nbytes: int, blocksize: int, value: bytes = b"") -> bytes:
    """A chunk of `nbytes` that only says what it is made of."""
    head = bytearray(HEADER_LENGTH)
    sizes = (nbytes, blocksize, HEADER_LENGTH + len(value))
    _SIZES.pack_into(head, 0, 5, 1, _EXTENDED, typesize if typesize < 256 else 1, *sizes)
    head[31] = kind << 4
    return bytes(head) + value


def bad_chunk(name: str, nchunk: int, what: object) -> FrameError:
    """The error for a chunk that cannot be read."""
    return FrameError(f"{name}: chunk {nchunk}: {what}", reason="bad-chunk")
