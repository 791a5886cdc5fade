"""A frame over a range reader: an array that is read by slices and by chunks."""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING

from zarrdb.errors import RangeNotSupportedError, SelectionError
from zarrdb.frame.chunk import UNWRITTEN
from zarrdb.frame.decode import fill_run, place, place_of
from zarrdb.frame.fetch import Batch, Fetched, batches, fetch_ahead
from zarrdb.frame.geometry import Geometry, Piece, pieces
from zarrdb.frame.header import Compression, Header
from zarrdb.frame.plan import ChunkPlan, Parts, Whole
from zarrdb.frame.selection import select
from zarrdb.frame.state import FrameReader, State

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    import numpy as np

    Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


class Frame:
    """An array in a Blosc2 frame, over a reader that stays the caller's.

    Safe from several threads. Opening reads head and tail in one round, which tell shape
    and data type; the offsets of the chunks are looked at when the first chunk is. All
    methods raise FrameError for what is wrong with the file, and what the reader raises.
    """

    def __init__(
        self, reader: FrameReader, *, get_chunk: Callable[[int], bytes] | None = None
    ) -> None:
        self.name = reader.name
        self.state = State(reader)
        self._get_chunk = get_chunk

    @property
    def header(self) -> Header:
        """All that the header says."""
        return self.state.header

    @property
    def geometry(self) -> Geometry:
        """How the array is cut into chunks and blocks."""
        return self.header.geometry

    @property
    def shape(self) -> tuple[int, ...]:
        """Items along each axis."""
        return self.geometry.shape

    @property
    def chunks(self) -> tuple[int, ...]:
        """Items of a chunk along each axis."""
        return self.geometry.chunks

    @property
    def blocks(self) -> tuple[int, ...]:
        """Items of a block along each axis."""
        return self.geometry.blocks

    @property
    def nchunks(self) -> int:
        """Number of chunks, never-written ones included."""
        return self.geometry.nchunks

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The data type of the items."""
        return self.header.dtype

    @property
    def compression(self) -> Compression:
        """What new chunks are compressed with."""
        return self.header.fixed.compression

    @property
    def attributes(self) -> dict[str, object]:
        """Blosc2's vlmeta, by name."""
        return dict(self.state.attributes)

    def written(self, nchunk: int) -> bool:
        """Whether the chunk was ever written; zeros that were stored count."""
        return self.state.plan.index.kind(nchunk) != UNWRITTEN

    def region(self, nchunk: int) -> tuple[slice, ...]:
        """The part of the array that a chunk covers."""
        geometry = self.geometry
        if not 0 <= nchunk < geometry.nchunks:
            raise SelectionError(f"no chunk {nchunk}, there are {geometry.nchunks}")
        return geometry.region(nchunk)

    def invalidate_index(self) -> None:
        """Forget header and offsets, so that the next look finds what a writer has added."""
        self.state.refresh()

    def read(self, key: object = ...) -> "Array":
        """What NumPy's basic indexing gives; an array also where NumPy gives an item.

        Never-written chunks read as zeros. Raises SelectionError for a key that does not fit.
        """
        import numpy as np

        plan = self.state.plan
        geometry = plan.header.geometry
        selection = select(key, geometry.shape)
        try:
            out = np.empty(selection.shape, plan.header.stored_dtype)
        except (MemoryError, ValueError) as error:
            raise SelectionError(
                f"{self.name}: {selection.shape} items are more than the memory holds",
                hint="read it in slices",
            ) from error
        if out.size:
            self._read(plan, pieces(selection.box, geometry.chunks, geometry.grid), out)
        return out[(*selection.finish, ...)].view(plan.header.dtype)

    def __getitem__(self, key: object) -> "Array":
        """See `read`."""
        return self.read(key)

    def read_chunk(self, nchunk: int) -> "Array":
        """The items of a chunk that are inside the array: those of `region(nchunk)`."""
        return self.read(self.region(nchunk))

    def written_chunks(self, numbers: Iterable[int] | None = None) -> "Iterator[tuple[int, Array]]":
        """Number and items of each chunk that was ever written, of those given, in their order.

        Several requests are under way at once, in memory bounded by the batches of `policy`.
        """
        import numpy as np

        plan = self.state.plan
        index = plan.index
        every = range(len(index)) if numbers is None else list(numbers)
        wanted = [n for n in every if index.kind(n) != UNWRITTEN]
        stored = (_all_of(plan.header.geometry, n) for n in wanted if not index.kind(n))
        coming = self._fetched(plan, stored)
        for n in wanted:
            kind = index.kind(n)
            piece = _all_of(plan.header.geometry, n)
            out = np.empty([part.stop for part in piece.target], plan.header.stored_dtype)
            if kind:
                fill_run(plan.header, kind, out)
            else:
                place(plan.header, *next(coming), out)
            yield n, out.view(plan.header.dtype)

    def stored_chunk(self, nchunk: int) -> Whole | int:
        """The compressed chunk; the kind of its run where the file holds none."""
        plan = self.state.plan
        return plan.index.kind(nchunk) or self.state.run(plan.whole_steps(nchunk))

    def _read(self, plan: ChunkPlan, wanted: Iterable[Piece], out: "Array") -> None:
        stored = []
        for piece in wanted:
            kind = plan.index.kind(piece.number)
            if kind:
                fill_run(plan.header, kind, place_of(piece, out))
            else:
                stored.append(piece)
        # Neighbours in the file share requests, whatever order the chunks were written in.
        stored.sort(key=lambda piece: plan.index.offset(piece.number))
        for piece, fetched in self._fetched(plan, stored):
            place(plan.header, piece, fetched, out)

    def _fetched(
        self, plan: ChunkPlan, wanted: Iterable[Piece]
    ) -> Iterator[tuple[Piece, Whole | Parts]]:
        def fetch(batch: Batch) -> Fetched:
            try:
                return self.state.run(plan.fetch_steps(batch.whole, batch.parts))
            except RangeNotSupportedError:
                if self._get_chunk is None:
                    raise
                numbers = [piece.number for piece in batch.pieces]
                return {n: plan.whole(n, self._get_chunk(n)) for n in numbers}

        for batch, fetched in fetch_ahead(batches(plan.index, plan.header.geometry, wanted), fetch):
            for piece in batch.pieces:
                yield piece, fetched[piece.number]


def _all_of(geometry: Geometry, nchunk: int) -> Piece:
    """All items of one chunk, as a piece of a result of just that chunk."""
    sizes = [part.stop - part.start for part in geometry.region(nchunk)]
    return Piece(nchunk, tuple(slice(0, n) for n in sizes), tuple(range(n) for n in sizes))
