"""How an array is cut into chunks and a chunk into blocks, as arithmetic."""

from collections.abc import Iterator
from itertools import product
from math import prod


class Geometry:
    """Shape, chunk shape, block shape and item size of one array, and what follows from them.

    Chunks are numbered in C order of the chunk grid, blocks in C order of the block grid of
    a chunk. A stored chunk is padded to whole blocks, chunks at the edge to whole chunks.
    """

    __slots__ = (
        "block_grid",
        "block_nbytes",
        "blocks",
        "chunk_nbytes",
        "chunks",
        "grid",
        "itemsize",
        "nblocks",
        "nchunks",
        "shape",
    )

    def __init__(
        self,
        shape: tuple[int, ...],
        chunks: tuple[int, ...],
        blocks: tuple[int, ...],
        itemsize: int,
    ) -> None:
        self.shape = shape
        self.chunks = chunks
        self.blocks = blocks
        self.itemsize = itemsize
        self.grid = _cells(shape, chunks)
        self.block_grid = _cells(chunks, blocks)
        # An array of no items may have chunks of no items, and stores nothing.
        self.nchunks = prod(self.grid) if all(shape) else 0
        self.nblocks = prod(self.block_grid)
        self.block_nbytes = prod(blocks) * itemsize
        self.chunk_nbytes = self.nblocks * self.block_nbytes

    @property
    def padded(self) -> tuple[int, ...]:
        """The shape of a chunk as it is stored."""
        return tuple(n * b for n, b in zip(self.block_grid, self.blocks, strict=True))

    def region(self, nchunk: int) -> tuple[slice, ...]:
        """The part of the array that a chunk covers."""
        coordinates = unravel(nchunk, self.grid)
        return tuple(
            slice(i * c, min((i + 1) * c, n))
            for i, c, n in zip(coordinates, self.chunks, self.shape, strict=True)
        )


def _cells(shape: tuple[int, ...], cell: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(-(-n // c) if c else 0 for n, c in zip(shape, cell, strict=True))


def unravel(number: int, grid: tuple[int, ...]) -> tuple[int, ...]:
    """The coordinates of a cell, from its number in C order."""
    coordinates = []
    for size in reversed(grid):
        number, i = divmod(number, size)
        coordinates.append(i)
    return tuple(reversed(coordinates))


def ravel(coordinates: tuple[int, ...], grid: tuple[int, ...]) -> int:
    """The number of a cell in C order, from its coordinates."""
    number = 0
    for i, size in zip(coordinates, grid, strict=True):
        number = number * size + i
    return number


def cut(wanted: range, cell: int) -> Iterator[tuple[int, slice, range]]:
    """The cells of one axis that an ascending range touches.

    Each with its number, where its items go among those wanted, and their positions in it.
    """
    first = 0
    while first < len(wanted):
        number, position = divmod(wanted[first], cell)
        count = min(-(-(cell - position) // wanted.step), len(wanted) - first)
        inside = range(position, position + (count - 1) * wanted.step + 1, wanted.step)
        yield number, slice(first, first + count), inside
        first += count


class Piece:
    """What a box wants of one cell: where it goes in the result, and what it is in the cell."""

    __slots__ = ("inside", "number", "target")

    def __init__(self, number: int, target: tuple[slice, ...], inside: tuple[range, ...]) -> None:
        self.number = number
        self.target = target
        self.inside = inside

    @property
    def source(self) -> tuple[slice, ...]:
        """The wanted items as slices of the cell."""
        return tuple(slice(r.start, r.stop, r.step) for r in self.inside)


def pieces(box: tuple[range, ...], cell: tuple[int, ...], grid: tuple[int, ...]) -> Iterator[Piece]:
    """The cells of a grid that a box of ascending ranges touches, in C order."""
    axes = [list(cut(wanted, size)) for wanted, size in zip(box, cell, strict=True)]
    for parts in product(*axes):
        yield Piece(
            ravel(tuple(number for number, _, _ in parts), grid),
            tuple(target for _, target, _ in parts),
            tuple(inside for _, _, inside in parts),
        )
