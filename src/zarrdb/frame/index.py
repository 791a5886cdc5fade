"""The offsets of the chunks: which are in the file, where, and which are only said.

Stored as a Blosc2 chunk of nchunks 64-bit integers behind the last chunk. An offset of zero
or more counts from the end of the header; in a negative one the top byte says what the
whole chunk is made of.
"""

from typing import TYPE_CHECKING

from zarrdb.errors import FrameError, SelectionError
from zarrdb.frame.chunk import (
    HEADER_LENGTH,
    NAN,
    NANS,
    UNWRITTEN,
    VALUE,
    ZEROS,
    ChunkHeader,
    parse_chunk_header,
)
from zarrdb.frame.codec import Buffer, decompress
from zarrdb.frame.streams import check_all_blocks

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    import numpy as np

    from zarrdb.frame.header import Header

    Offsets: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"

# 16 million chunks; an index of that length takes 256 MiB of memory with its extents.
MAX_CHUNKS = 1 << 24


class Index:
    """The place, or the kind, of every chunk."""

    __slots__ = ("_extents", "_offsets")

    def __init__(self, offsets: "Offsets", extents: "Offsets") -> None:
        self._offsets = offsets
        self._extents = extents

    def __len__(self) -> int:
        return len(self._offsets)

    def kind(self, nchunk: int) -> int:
        """ZEROS, NANS or UNWRITTEN for a chunk that is not in the file, otherwise 0.

        Raises SelectionError for a number that no chunk has.
        """
        if not 0 <= nchunk < len(self):
            raise SelectionError(f"no chunk {nchunk}, there are {len(self)}")
        offset = int(self._offsets[nchunk])
        return 0 if offset >= 0 else offset >> 56 & 7

    def offset(self, nchunk: int) -> int:
        """Where a stored chunk starts in the file."""
        return int(self._offsets[nchunk])

    def extent(self, nchunk: int) -> int:
        """How many bytes a stored chunk has at most."""
        return int(self._extents[nchunk])

    def written(self) -> "np.ndarray[Any, np.dtype[np.bool_]]":
        """For every chunk whether it was ever written; zeros that were stored count."""
        import numpy as np

        return np.asarray((self._offsets >= 0) | (self._offsets >> 56 & 7 != UNWRITTEN))

    def tally(self) -> dict[int, int]:
        """How many chunks there are of each kind: stored ones (0), ZEROS, NANS, UNWRITTEN."""
        import numpy as np

        kinds = np.where(self._offsets >= 0, 0, self._offsets >> 56 & 7)
        return {kind: int((kinds == kind).sum()) for kind in (0, ZEROS, NANS, UNWRITTEN)}

    def stored(self) -> "Offsets":
        """The numbers of the chunks that are in the file, in the order of their places."""
        import numpy as np

        numbers = np.flatnonzero(self._offsets >= 0)
        return numbers[np.argsort(self._offsets[numbers], kind="stable")]


def index_header(header: "Header", data: Buffer) -> ChunkHeader:
    """The header of the chunk that holds the offsets, from its first bytes."""
    nchunks = header.geometry.nchunks
    if nchunks > MAX_CHUNKS:
        raise _bad_index(header, f"{nchunks} chunks are more than {MAX_CHUNKS}, the most it reads")
    try:
        found = parse_chunk_header(data, header.frame_len - header.index_at)
    except ValueError as error:
        raise _bad_index(header, f"at byte {header.index_at}: {error}") from error
    if found.nbytes != 8 * nchunks:
        raise _bad_index(header, f"{found.nbytes // 8} offsets for {nchunks} chunks")
    return found


def parse_index(header: "Header", data: Buffer) -> Index:
    """The index, from the chunk that holds it."""
    import numpy as np

    nchunks = header.geometry.nchunks
    if not nchunks:
        return Index(np.empty(0, np.int64), np.empty(0, np.int64))
    found = index_header(header, data)
    if found.special:
        # One offset for all: such an index takes no memory, however many chunks it has.
        one = _placed(header, np.array([_repeated(header, found, data)]))
        return Index(*(np.broadcast_to(part, nchunks) for part in one))
    try:
        check_all_blocks(found, data)
        content = decompress(memoryview(data)[: found.cbytes])
    except ValueError as error:
        raise _bad_index(header, f"at byte {header.index_at}: {error}") from error
    return Index(*_placed(header, np.frombuffer(content, "<i8").astype(np.int64)))


def _repeated(header: "Header", found: ChunkHeader, data: Buffer) -> "np.int64":
    """The offset that all chunks have."""
    import numpy as np

    if found.special == VALUE and found.cbytes - HEADER_LENGTH == 8:
        value = np.int64(np.frombuffer(data, "<i8", 1, HEADER_LENGTH)[0])
    elif found.special == ZEROS:
        value = np.int64(0)
    else:
        raise _bad_index(header, "the offsets are no numbers")
    if value >= 0 and header.geometry.nchunks > 1:
        raise _bad_index(header, "chunks 0 and 1 have the same offset")
    return value


def _placed(header: "Header", offsets: "Offsets") -> "tuple[Offsets, Offsets]":
    """Every offset, checked, and how many bytes there are for the chunk."""
    import numpy as np

    cbytes = header.fixed.cbytes
    kinds = offsets >> 56 & 0xFF
    runs = (ZEROS, UNWRITTEN, *([NANS] if header.geometry.itemsize in NAN else []))
    said = np.isin(kinds, [0x80 | kind for kind in runs])
    stored = offsets >= 0
    bad = np.where(stored, offsets > cbytes - HEADER_LENGTH, ~said)
    if bad.any():
        raise _bad_index(header, f"the offset of chunk {int(bad.argmax())} points nowhere")
    bounds = np.append(np.sort(offsets[stored]), cbytes)
    if (np.diff(bounds) == 0).any():
        where = int(bounds[:-1][np.diff(bounds) == 0][0])
        first, second = np.flatnonzero(offsets == where)[:2]
        raise _bad_index(header, f"chunks {first} and {second} have the same offset")
    following = np.minimum(np.searchsorted(bounds, offsets, side="right"), len(bounds) - 1)
    most = header.geometry.chunk_nbytes + HEADER_LENGTH
    extents = np.where(stored, np.minimum(bounds[following] - offsets, most), 0)
    return np.where(stored, offsets + header.data_at, offsets), extents


def _bad_index(header: "Header", what: str) -> FrameError:
    return FrameError(f"{header.name}: {what}", reason="bad-index")
