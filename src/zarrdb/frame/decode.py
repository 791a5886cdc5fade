"""Stored chunks and blocks made items of an array."""

from collections.abc import Mapping
from os import cpu_count
from typing import TYPE_CHECKING

from zarrdb.frame.chunk import (
    HEADER_LENGTH,
    NAN,
    NANS,
    VALUE,
    ChunkHeader,
    bad_chunk,
    chunk_of_blocks,
)
from zarrdb.frame.codec import Buffer, compress, decompress, decompress_in_array
from zarrdb.frame.geometry import Piece, pieces
from zarrdb.frame.plan import Parts, Whole
from zarrdb.frame.streams import check_blocks

if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    from zarrdb.frame.header import Header

# From here on a second thread of the decompressor gains more than it costs to start.
_MANY_BYTES = 1 << 20
_MOST_THREADS = 4


def fill_run(
    header: "Header", kind: int, target: "np.ndarray[Any, Any]", value: bytes = b""
) -> None:
    """Give all items of `target`, of the stored type, what a run of this kind stands for.

    Zeros too for a chunk that was never written: what it holds is nowhere defined.
    """
    import numpy as np

    size = header.dtype.itemsize
    item = {VALUE: value, NANS: NAN.get(size)}.get(kind) or bytes(size)
    target[...] = np.frombuffer(item, header.stored_dtype)[0]


def place_of(piece: Piece, out: "np.ndarray[Any, Any]") -> "np.ndarray[Any, Any]":
    """The view of `out` that a piece fills; one also of an array without dimensions."""
    key: Any = (*piece.target, ...)
    view: np.ndarray[Any, Any] = out[key]
    return view


def place(
    header: "Header", piece: Piece, fetched: Whole | Parts, out: "np.ndarray[Any, Any]"
) -> None:
    """Decode what a box wants of one chunk into its place in `out`, of the stored type.

    Raises FrameError.
    """
    target = place_of(piece, out)
    try:
        if isinstance(fetched, Parts):
            _place_blocks(header, piece, _decode_blocks(fetched), target)
        elif fetched.header.special:
            value = fetched.data[HEADER_LENGTH:]
            fill_run(header, fetched.header.special, target, value)
        else:
            _place_chunk(header, piece, decode_whole(header, fetched), target)
    except ValueError as error:
        raise bad_chunk(header.name, piece.number, error) from error


def decode_whole(header: "Header", fetched: Whole) -> bytes:
    """The padded content of a chunk in the order of its blocks; raises ValueError."""
    geometry = header.geometry
    check_blocks(fetched.header, fetched.data, geometry.nblocks)
    if fetched.header.memcpyed:
        return fetched.data[len(fetched.header.raw) :]
    if fetched.header.needs_array:
        content = decompress_in_array(fetched.data, geometry, header.dtype)
    else:
        content = decompress(fetched.data, nthreads=_threads(fetched.header))
    if len(content) != geometry.chunk_nbytes:
        raise ValueError(f"it decodes to {len(content)} bytes, not {geometry.chunk_nbytes}")
    return content


def whole_blocks(header: "Header", nchunk: int, stored: Whole) -> bytes:
    """The stored bytes of a chunk whose blocks fill their places; raises FrameError."""
    try:
        check_blocks(stored.header, stored.data, header.geometry.nblocks)
    except ValueError as error:
        raise bad_chunk(header.name, nchunk, error) from error
    return stored.data


def without_delta(header: "Header", nchunk: int, stored: Whole) -> bytes:
    """A chunk compressed anew, without the filter delta; raises FrameError."""
    try:
        content = decode_whole(header, stored)
    except ValueError as error:
        raise bad_chunk(header.name, nchunk, error) from error
    geometry = header.geometry
    return compress(
        content, typesize=geometry.itemsize, blocksize=geometry.block_nbytes, nthreads=1
    )


def _threads(header: ChunkHeader) -> int:
    if header.delta or header.nbytes < _MANY_BYTES:
        return 1
    return min(_MOST_THREADS, cpu_count() or 1)


def _decode_blocks(parts: Parts) -> Mapping[int, Buffer]:
    """The content of each block by its number."""
    header = parts.header
    if header.memcpyed:
        return parts.blocks
    chunk = chunk_of_blocks(header, list(parts.blocks.values()), parts.dictionary)
    check_blocks(header._replace(cbytes=len(chunk)), chunk, len(parts.blocks))
    content = memoryview(decompress(chunk))
    size = header.blocksize
    if len(content) != size * len(parts.blocks):
        raise ValueError("its blocks decode to another size")
    return {n: content[i * size : (i + 1) * size] for i, n in enumerate(parts.blocks)}


def _place_blocks(
    header: "Header",
    piece: Piece,
    contents: Mapping[int, Buffer],
    target: "np.ndarray[Any, Any]",
) -> None:
    import numpy as np

    geometry = header.geometry
    for part in pieces(piece.inside, geometry.blocks, geometry.block_grid):
        block = np.frombuffer(contents[part.number], header.stored_dtype).reshape(geometry.blocks)
        target[part.target] = block[part.source]


def _place_chunk(
    header: "Header", piece: Piece, content: bytes, target: "np.ndarray[Any, Any]"
) -> None:
    import numpy as np

    geometry = header.geometry
    ndim = len(geometry.shape)
    stored = np.frombuffer(content, header.stored_dtype).reshape(
        geometry.block_grid + geometry.blocks
    )
    # The axes of the grid and of the blocks side by side: (grid 0, block 0, grid 1, …).
    order = [axis for pair in zip(range(ndim), range(ndim, 2 * ndim), strict=True) for axis in pair]
    chunk = stored.transpose(order)
    if geometry.nblocks > 1 and target.shape == geometry.padded:
        # All of it: one copy instead of two, which are most of the time of a large read.
        _by_blocks(target, geometry.blocks)[...] = chunk
    else:
        target[...] = chunk.reshape(geometry.padded)[piece.source]


def _by_blocks(target: "np.ndarray[Any, Any]", blocks: tuple[int, ...]) -> "np.ndarray[Any, Any]":
    """The same items with every axis split into one of the block grid and one of the block."""
    from numpy.lib.stride_tricks import as_strided

    axes = list(zip(target.shape, target.strides, blocks, strict=True))
    shape = [n for size, _, block in axes for n in (size // block, block)]
    strides = [n for _, stride, block in axes for n in (stride * block, stride)]
    return as_strided(target, shape, strides)
