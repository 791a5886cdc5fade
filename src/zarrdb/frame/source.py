"""A frame whose bytes a subclass supplies: the interface of blosc2's ByteRangeNDSource."""

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Protocol

from zarrdb.errors import SelectionError, UsageError
from zarrdb.frame import policy
from zarrdb.frame.adapter import BLOCK_GAP, SourceReader
from zarrdb.frame.chunk import NANS, UNWRITTEN, ZEROS, ChunkHeader, Layout, run_chunk
from zarrdb.frame.codec import compression_parameters
from zarrdb.frame.decode import whole_blocks, without_delta
from zarrdb.frame.plan import Whole
from zarrdb.frame.read import Frame
from zarrdb.frame.state import FrameReader
from zarrdb.transport import spans as arithmetic
from zarrdb.transport.reader import Traffic

if TYPE_CHECKING:
    from typing import Any, TypeAlias

    import numpy as np

    Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
    BlockLayout: TypeAlias = "tuple[bytes, Array, Array]"


class Charged(Protocol):
    """A counter that is told of every request by what reads, as blosc2's Traffic is."""

    def charge(self, nbytes: int) -> None:
        """One request that carried so many bytes."""
        ...


class ByteRangeNDSource(ABC):
    """Chunks and blocks of a Blosc2 frame that is read by byte ranges.

    A subclass says how bytes are read, `read_range`, and nothing else; it sets up its
    transport, then calls this constructor, which reads the header. Serves as a source of
    `blosc2.Proxy`, and reads NumPy's basic indices itself. Contiguous frames that hold an
    array only; raises FrameError for others.
    """

    max_ranges = 1
    """How many ranges one request of the transport carries; more only with `read_ranges`."""
    serves_blocks = True
    """That blocks are worth asking for."""
    wants_wave = True
    """That `wants_blocks` takes the wave and the number of runs."""
    stamp: str | None = None
    """Names the exact bytes that are read; a subclass may set it before this constructor."""

    def __init__(
        self, urlpath: str, max_concurrency: int = 8, traffic: Traffic | Charged | None = None
    ) -> None:
        self.urlpath = urlpath
        self.max_concurrency = max_concurrency
        self.traffic: Any = Traffic() if traffic is None else traffic
        self._frame = Frame(self._reader(), get_chunk=self.get_chunk)

    # What a subclass supplies

    @abstractmethod
    def read_range(self, offset: int, size: int) -> bytes:
        """The bytes [offset, offset + size); fewer only at the end of the frame.

        Called from several threads at once. Raises NotRanged where something else comes back.
        """

    def read_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes of every (offset, size), in that order; a request each.

        A transport that carries several in one request overrides this and raises `max_ranges`.
        """
        if not isinstance(self.traffic, Traffic):
            # blosc2's counter is charged by `read_range`.
            return [self.read_range(*span) for span in spans]
        answers = []
        for offset, size in spans:
            with self.traffic:
                self.traffic.request()
                answers.append(self.read_range(offset, size))
                self.traffic.received(len(answers[-1]))
        return answers

    def _reader(self) -> FrameReader:
        return SourceReader(self)

    # The array

    @property
    def shape(self) -> tuple[int, ...]:
        """Items along each axis."""
        return self._frame.shape

    @property
    def chunks(self) -> tuple[int, ...]:
        """Items of a chunk along each axis."""
        return self._frame.chunks

    @property
    def blocks(self) -> tuple[int, ...]:
        """Items of a block along each axis."""
        return self._frame.blocks

    @property
    def dtype(self) -> "np.dtype[Any]":
        """The data type of the items."""
        return self._frame.dtype

    @property
    def cparams(self) -> object:
        """What new chunks are compressed with, as blosc2's CParams."""
        return compression_parameters(self._frame.compression)

    @property
    def attributes(self) -> dict[str, object]:
        """Blosc2's vlmeta, by name."""
        return self._frame.attributes

    @property
    def blocks_per_chunk(self) -> int:
        """How many blocks every chunk has; a Proxy counts in them."""
        return self._frame.geometry.nblocks

    def __getitem__(self, key: object) -> "Array":
        """See `Frame.read`; chunks come whole where ranges are refused."""
        return self._frame.read(key)

    # Chunks

    def written_chunks(self) -> "Array":
        """For every chunk whether it was ever written; zeros that were stored count."""
        return self._frame.state.plan.index.written()

    def get_chunk(self, nchunk: int) -> bytes:
        """The compressed chunk, as any reader of Blosc2 decodes it.

        Never-written ones as zeros. Those with the filter delta are compressed anew without
        it, because blosc2 decodes parts of them wrong. Raises FrameError for a chunk whose
        blocks are not where they should be.
        """
        stored = self._frame.stored_chunk(nchunk)
        header = self._frame.header
        if isinstance(stored, Whole) and stored.header.special != UNWRITTEN:
            if stored.header.delta:
                return without_delta(header, nchunk, stored)
            return whole_blocks(header, nchunk, stored)
        kind = NANS if stored == NANS else ZEROS
        geometry = header.geometry
        return run_chunk(kind, geometry.itemsize, geometry.chunk_nbytes, geometry.block_nbytes)

    async def aget_chunk(self, nchunk: int) -> bytes:
        """`get_chunk` in a thread, so that the event loop goes on."""
        import asyncio

        return await asyncio.to_thread(self.get_chunk, nchunk)

    def invalidate_index(self) -> None:
        """Forget header, offsets and layouts: the next look finds what a writer has added.

        Nothing is read here. Chunks that had their place keep it in a frame that only grows.
        """
        self._frame.invalidate_index()

    # Blocks

    def wants_blocks(
        self,
        nchunk: int,
        nwanted: int,
        wave: Mapping[int, int] | None = None,
        nruns: int | None = None,
    ) -> bool:
        """Whether `nwanted` blocks in `nruns` ranges are worth more than the whole chunk.

        Only the offsets of the chunks are needed, and not even they where the shape decides.
        `wave` is the whole fetch, {nchunk: nwanted}: where several ranges share a request, all
        of it is weighed together.
        """
        self._frame.region(nchunk)
        nblocks = self.blocks_per_chunk
        if nblocks < 2 or nwanted * policy.MAX_FRACTION > nblocks:
            return False
        index = self._frame.state.plan.index
        if index.kind(nchunk):
            return False
        if wave is None or self.max_ranges < 2:
            extent = index.extent(nchunk)
            return policy.worth_taking_apart(extent, nblocks, nwanted, nruns or 1)
        extents = {n: index.extent(n) for n in wave if not index.kind(n)}
        return policy.wave_is_worth_it(wave, extents, nblocks, self.max_ranges)

    def chunk_layout(self, nchunk: int) -> "BlockLayout | None":
        """Header, starts and extents of the blocks of a chunk; None if it has to come whole.

        Those are chunks of one block, uncompressed ones, runs of a value, and those with a
        dictionary, the filter delta, blocks of variable length, or the header of Blosc1:
        blosc2 cannot make a chunk of some of their blocks.
        """
        return self.chunk_layouts([nchunk])[0]

    def chunk_layouts(self, nchunks: Sequence[int]) -> "list[BlockLayout | None]":
        """The layouts of several chunks, those not read yet in one round."""
        state = self._frame.state
        stored = [n for n in dict.fromkeys(nchunks) if not state.plan.index.kind(n)]
        layouts = state.run(state.plan.layout_steps(stored)) if self.blocks_per_chunk > 1 else {}
        return [_spliceable(layouts.get(n)) for n in nchunks]

    def block_plan(
        self, nchunk: int, nblocks: Sequence[int]
    ) -> list[tuple[int, int, tuple[tuple[int, int, int], ...]]]:
        """The ranges (offset, size, members) that cover these blocks, near ones merged.

        Members are (block, offset in the range, size). Raises UsageError for a chunk that
        has to come whole, SelectionError for a block that is not there.
        """
        layout = self.chunk_layout(nchunk)
        if layout is None:
            raise UsageError(
                f"{self.urlpath}: chunk {nchunk} cannot be taken apart", hint="use get_chunk"
            )
        outside = [n for n in nblocks if not 0 <= n < self.blocks_per_chunk]
        if outside:
            raise SelectionError(f"no block {outside[0]}, there are {self.blocks_per_chunk}")
        at = self._frame.state.plan.index.offset(nchunk)
        spans = {n: (at + int(layout[1][n]), int(layout[2][n])) for n in nblocks}
        return [
            (
                run.offset,
                run.size,
                tuple(
                    (n, offset - run.offset, size)
                    for n, (offset, size) in spans.items()
                    if run.offset <= offset < run.end
                ),
            )
            for run in arithmetic.merge(spans.values(), gap=BLOCK_GAP)
        ]


def _spliceable(layout: "Layout | ChunkHeader | None") -> "BlockLayout | None":
    """What blosc2 needs to make a chunk of some blocks, of a chunk where that is right."""
    if not isinstance(layout, Layout) or layout.dictionary[1]:
        return None
    header = layout.header
    return None if header.memcpyed or header.delta else (header.raw, layout.starts, layout.extents)
