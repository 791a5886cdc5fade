"""The chunks of a Blosc2 frame, or of a part of it, as values of a new Zarr array."""

from collections.abc import Iterator
from itertools import groupby
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zarrdb.arrays.codecs import DEFAULT, Codec
from zarrdb.arrays.view import frame_view
from zarrdb.arrays.write import ArrayWriter, ZarrFormat
from zarrdb.errors import VerificationError
from zarrdb.fanout import workers
from zarrdb.frame.attributes import as_json
from zarrdb.frame.geometry import ravel, unravel
from zarrdb.inorder import in_order
from zarrdb.keys import Remark, printable

if TYPE_CHECKING:
    import numpy as np

    from zarrdb.frame import FrameFile

    Array = np.ndarray[Any, np.dtype[Any]]
    Mask = np.ndarray[Any, np.dtype[np.bool_]]
    Numbers = np.ndarray[Any, np.dtype[np.int64]]

# Decoded bytes of the chunks that one worker takes at a time: some requests' worth.
_RUN: Final = 8 << 20
# Decoded bytes that all workers hold together, unless a single chunk has more.
_MOST: Final = 256 << 20
# Workers that wait for a server need no processor.
_REMOTE_WORKERS: Final = 8

_MOST_DIGITS: Final = 16
"""More than any index has: there are at most 16 million chunks."""


class Recoding(NamedTuple):
    """How a frame becomes a Zarr array."""

    selection: str = ""
    """What of the array: NumPy's slices, as `cat --slice` takes them."""
    codec: Codec = DEFAULT
    zarr_format: ZarrFormat = 3
    verify: bool = False
    """Whether each value is decoded again and compared with the items of the frame."""
    jobs: int | None = None


class Recoder:
    """One frame on its way to a Zarr array; chunks that were never written stay away.

    Raises UsageError for a selection that does not fit, TargetError for a data type that
    Zarr has not, and what reading the frame raises.
    """

    def __init__(self, frame: "FrameFile", recoding: Recoding) -> None:
        self._frame = frame
        self._recoding = recoding
        self._view = frame_view(frame, recoding.selection)
        self._is_whole = self._view.shape == frame.shape and all(
            axis.start == 0 and axis.step == 1 for axis in self._view.axes
        )
        attributes, self._left_out = as_json(frame.attributes)
        chunks = [c for c, axis in zip(frame.chunks, self._view.axes, strict=True) if axis.keep]
        self._writer = ArrayWriter(
            shape=self._view.shape,
            chunks=chunks,
            dtype=frame.dtype,
            attributes=attributes,
            codec=recoding.codec,
            zarr_format=recoding.zarr_format,
            name=frame.name,
        )
        self.documents = self._writer.documents
        """The metadata documents, by key."""
        self.chunk_size = prod(self._writer.chunks) * self._writer.dtype.itemsize
        """Bytes of a decoded chunk."""
        self.numbers = self._written()
        """The chunks that the array will have, by their number in C order, ascending."""

    @property
    def identity(self) -> str:
        """What the values depend on besides the frame."""
        selection, codec, zarr_format = self._recoding[:3]
        return f"[{selection}] {codec.name}:{codec.level} v{zarr_format}"

    def key(self, number: int) -> str:
        """The key of a chunk."""
        return self._writer.grid.key(unravel(number, self._writer.grid.lengths))

    def position(self, key: str) -> int | None:
        """Where in `numbers` the chunk with a key is, None if there is no such chunk."""
        grid = self._writer.grid
        index = grid.index(key) if grid.holds(key) else None
        if index is None:
            return None
        number = ravel(index, grid.lengths)
        position = int(self.numbers.searchsorted(number))
        is_there = position < len(self.numbers) and self.numbers[position] == number
        return position if is_there else None

    def in_order_of_keys(self) -> "Numbers":
        """The positions in `numbers` in code-point order of their keys."""
        return key_order(self.numbers, self._writer.grid.lengths)

    def values(self) -> Iterator[list[bytes]]:
        """The values of `numbers`, some at a time; those that follow are under way meanwhile.

        Raises VerificationError where that is wanted.
        """
        each = max(1, _RUN // max(1, self.chunk_size))
        starts = range(0, len(self.numbers), each)
        runs = (self.numbers[start : start + each].tolist() for start in starts)
        most = max(1, _MOST // max(1, each * self.chunk_size))
        return in_order(self._encoded, runs, threads=min(self._workers(), most))

    def remarks(self) -> Iterator[Remark]:
        """What does not come along: attributes that JSON cannot hold, a byte order of fields."""
        for name in self._left_out:
            yield Remark("attribute-left-out", printable(name), "JSON has no form for its value")
        dtype = self._frame.dtype
        if dtype.names and self._recoding.zarr_format == 3 and _has_big_endian(dtype):
            yield Remark("field-order", "", "fields are little-endian in Zarr v3")

    def _workers(self) -> int:
        jobs = self._recoding.jobs
        if jobs is None and self._frame.reader.max_concurrency > 1:
            return max(workers(None), _REMOTE_WORKERS)
        return workers(jobs)

    def _encoded(self, numbers: list[int]) -> list[bytes]:
        values = []
        for number, items in self._items(numbers):
            value = self._writer.encode(items)
            if self._recoding.verify and not self._writer.holds(value, items):
                raise VerificationError(
                    f"{printable(self._frame.name)}: chunk {number} compressed does not decode"
                    " to what it was",
                    hint="the memory of this machine may be at fault",
                )
            values.append(value)
        return values

    def _items(self, numbers: list[int]) -> "Iterator[tuple[int, Array]]":
        if self._is_whole:
            return self._frame.written_chunks(numbers)
        if not self._view.shape:
            return ((number, self._view.read(())) for number in numbers)
        return self._parts(numbers)

    def _parts(self, numbers: list[int]) -> "Iterator[tuple[int, Array]]":
        """Items that lie anyhow to the chunks of the frame; neighbours are read together."""
        in_row = self._writer.grid.lengths[-1]
        for _, row in groupby(numbers, lambda number: number // in_row):
            regions = [(number, self._region(number)) for number in row]
            (*outer, first), (*_, last) = regions[0][1], regions[-1][1]
            items = self._view.read((*outer, slice(first.start, last.stop)))
            for number, (*_, part) in regions:
                yield number, items[..., part.start - first.start : part.stop - first.start]

    def _written(self) -> "Numbers":
        """The chunks of the array that lie on one of the frame that was ever written."""
        import numpy as np

        if 0 in self._view.shape:
            return np.empty(0, np.int64)
        written = self._frame.state.plan.index.written()
        if self._is_whole:
            return written.nonzero()[0]
        grid = written.reshape(self._frame.geometry.grid)
        every = range(self._writer.grid.total)
        found = (number for number in every if self._touches(grid, self._region(number)))
        return np.fromiter(found, np.int64)

    def _touches(self, written: "Mask", region: tuple[slice, ...]) -> bool:
        import numpy as np

        axes = zip(self._view.source_axes(region), self._frame.chunks, strict=True)
        cells = [
            np.unique((axis.start + axis.step * np.arange(axis.length)) // chunk)
            for axis, chunk in axes
        ]
        return bool(written[np.ix_(*cells)].any())

    def _region(self, number: int) -> tuple[slice, ...]:
        index = unravel(number, self._writer.grid.lengths)
        axes = zip(index, self._writer.chunks, self._writer.shape, strict=True)
        return tuple(slice(i * c, min((i + 1) * c, n)) for i, c, n in axes)


def key_order(numbers: "Numbers", lengths: tuple[int, ...]) -> "Numbers":
    """The positions of chunk numbers in code-point order of their keys.

    Separators come before digits, so that keys compare index by index; and as texts numbers
    compare like their digits filled up with zeros, of equal ones the shorter first.
    """
    import numpy as np

    if not lengths:
        return np.arange(len(numbers))
    columns = []
    for index in np.unravel_index(numbers, lengths):
        digits = np.ones_like(index)
        filled = index.copy()
        for power in range(1, len(str(max(lengths)))):
            is_short = index < 10**power
            digits += ~is_short
            filled[is_short] *= 10
        columns.append(filled * _MOST_DIGITS + digits)
    return np.lexsort(columns[::-1])


def _has_big_endian(dtype: "np.dtype[Any]") -> bool:
    if not dtype.names:
        return dtype.byteorder == ">"
    return any(_has_big_endian(dtype[name]) for name in dtype.names)
