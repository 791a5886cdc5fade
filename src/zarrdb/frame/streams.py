"""The streams of the blocks of a chunk: whether they are as long as their places.

The C library decodes a stream without looking at what is behind it, so a length that was
overwritten may give zeros, or other items, without an error. A chunk has no checksum, but its
blocks leave no room, and its writer stores only those bytes as they are that the codec cannot
shorten.
"""

from typing import TYPE_CHECKING

from zarrdb.frame.chunk import ChunkHeader, Layout, check_dictionary, parse_layout
from zarrdb.frame.codec import Buffer, always_shortens, is_thorough

if TYPE_CHECKING:
    from typing import Any

_INT = 4
"""Bytes in front of every stream, which say its length."""

# What damaged disks and downloads leave is a hole of one byte; noise does not repeat so often.
# One byte of a cache line is looked at: four of them are in every run of 256.
_STEP = 64
_RUN = 3 * _STEP + 1


def check_blocks(header: ChunkHeader, data: Buffer, nblocks: int) -> None:
    """Raise ValueError for a chunk whose blocks or dictionary do not fill their places.

    `data` is the chunk from its start. Runs and uncompressed chunks have no streams.
    """
    if header.memcpyed or header.special:
        return
    layout = parse_layout(data, header, nblocks)
    at, size = layout.dictionary
    if size:
        check_dictionary(data[at : at + size])
    runs = _runs(data) if is_thorough(header.codec) and not header.dictionary else []
    stored = _check_streams(layout, data, runs)
    for start in stored:
        stream = bytes(data[start : start + header.blocksize // header.nstreams])
        if always_shortens(header.codec, stream):
            raise ValueError("bytes that its codec would have shortened were overwritten")


def check_all_blocks(header: ChunkHeader, data: Buffer) -> None:
    """The same for a chunk that is none of the array, whose last block may be short."""
    if header.variable_blocks:
        raise ValueError("its blocks have variable lengths")
    if header.nbytes and not 0 < header.blocksize <= header.nbytes:
        raise ValueError(f"it has {header.nbytes} bytes in blocks of {header.blocksize}")
    check_blocks(header, data, -(-header.nbytes // max(header.blocksize, 1)))


def _check_streams(layout: Layout, data: Buffer, runs: list[int]) -> list[int]:
    """Check the lengths of all streams; the places of those with a run that are not compressed.

    Raises ValueError for a block whose streams are not as long as it is.
    """
    import numpy as np

    header = layout.header
    length = header.blocksize // header.nstreams
    full = header.nbytes // header.blocksize
    sizes: np.ndarray[Any, Any] = np.ndarray(len(data) - _INT + 1, "<i4", data, strides=(1,))
    positions = layout.starts.copy()
    found = []
    for i in range(header.nstreams):
        # A short last block has one stream. What is beyond the end stays there.
        here = positions[:full] if i else positions
        csize = sizes[np.minimum(here, len(sizes) - 1)]
        here += _INT
        if runs:
            found.append(here[:full][csize[:full] == length])
        # Below zero: a run of one byte, behind which a token stands.
        here += np.where(csize < 0, 1, csize)
    wrong = positions != layout.starts + layout.extents
    if wrong.any():
        raise ValueError(f"the streams of block {wrong.argmax()} are not as long as the block")
    if not runs:
        return []
    stored = np.concatenate(found)
    first = np.append(runs, len(data))[np.searchsorted(runs, stored)]
    hits: list[int] = stored[first + _RUN <= stored + length].tolist()
    return hits


def _runs(data: Buffer) -> list[int]:
    """Places from which on one byte repeats for long."""
    import numpy as np

    seen = np.frombuffer(data, np.uint8)[::_STEP]
    same = seen[1:] == seen[:-1]
    places = (np.flatnonzero(same[:-2] & same[1:-1] & same[2:]) * _STEP).tolist()
    return [at for at in places if len(set(data[at : at + _RUN])) == 1]
