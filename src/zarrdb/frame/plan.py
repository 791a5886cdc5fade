"""What to read of a frame, in waves: generators that yield spans and are sent their bytes.

Nothing here does I/O, so the same plans serve every reader, and tests.
"""

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias, TypeVar

from zarrdb.errors import FrameError
from zarrdb.frame.attributes import parse_attributes, trailer_length
from zarrdb.frame.chunk import (
    HEADER_LENGTH,
    ChunkHeader,
    Layout,
    bad_chunk,
    check_array_chunk,
    check_dictionary,
    layout_length,
    parse_chunk_header,
    parse_layout,
)
from zarrdb.frame.header import MIN_TRAILER, Fixed, Header, parse_fixed, parse_header
from zarrdb.frame.index import Index, index_header, parse_index

T = TypeVar("T")
Span: TypeAlias = tuple[int, int]
Steps: TypeAlias = Generator[list[Span], list[bytes], T]

# Headers have 127 to 279 bytes unless a program puts its own metalayers in.
HEAD = 8 << 10
# 30,000 chunks of regular sizes have their offsets in this, with a few attributes.
TAIL = 64 << 10

# Layouts of chunks of 128 blocks: 3 MB. A slice comes back to its chunks soon or not at all.
MAX_LAYOUTS = 1024

_EXTRA = -1


class Known:
    """Bytes of the file that are here already: its head and its tail.

    The tail ends where the file does, at `size`; None if that is not known.
    """

    __slots__ = ("_tail", "_tail_at", "head", "size")

    def __init__(self, head: bytes, tail: bytes = b"", size: int | None = None) -> None:
        self.head = head
        self.size = size
        self._tail_at = 0 if size is None else size - len(tail)
        if size is not None and self._tail_at <= len(head):
            self.head += tail[len(head) - self._tail_at :]
        self._tail = tail if size is not None else b""

    def rest(self, span: Span) -> tuple[Span, bytes]:
        """The part of a span that is not here, and the bytes that follow it."""
        offset, size = span
        for at, data in ((0, self.head), (self._tail_at, self._tail)):
            if at < offset + size <= at + len(data):
                have = max(offset, at)
                return (offset, have - offset), data[have - at : offset + size - at]
        return span, b""


def ends_here(fixed: Fixed, tail: bytes) -> bool:
    """Whether a tail can only be the end of this frame: offsets and trailer fit it exactly."""
    room = fixed.frame_len - fixed.header_len - fixed.cbytes
    if not MIN_TRAILER <= room <= len(tail):
        return False
    offsets = int.from_bytes(tail[-room + 12 : -room + 16], "little") if fixed.nbytes else 0
    try:
        return offsets + trailer_length(tail, room) == room
    except ValueError:
        return False


def run(steps: Steps[T], name: str, known: Known, read: Callable[[list[Span]], list[bytes]]) -> T:
    """Carry out a plan; what is known costs nothing.

    Raises FrameError for a file that ends before a span does.
    """
    answer: list[bytes] | None = None
    while True:
        try:
            spans = next(steps) if answer is None else steps.send(answer)
        except StopIteration as done:
            return done.value  # type: ignore[no-any-return]
        parts = [known.rest(span) for span in spans]
        asked = [rest for rest, _ in parts if rest[1]]
        came = iter(read(asked) if asked else [])
        answer = []
        for (offset, size), have in parts:
            data = next(came) if size else b""
            if len(data) < size:
                raise FrameError(f"{name} ends at byte {offset + len(data)}", reason="truncated")
            answer.append(data + have if have else data)


def span_steps(spans: list[Span]) -> Steps[list[bytes]]:
    """Just these bytes."""
    return (yield spans)


def open_steps(name: str, known: Known) -> Steps[Header]:
    """The header of a frame that holds an array."""
    fixed = parse_fixed(name, known.head, known.size)
    head = known.head
    if len(head) < fixed.header_len:
        (more,) = yield [(len(head), fixed.header_len - len(head))]
        head += more
    return parse_header(name, head, fixed)


def index_steps(header: Header, known: Known) -> Steps[Index]:
    """The offsets of the chunks, in one round or two."""
    if not header.geometry.nchunks:
        return parse_index(header, b"")
    # A chunk is never longer than its content and a header.
    most = min(header.frame_len - header.index_at, HEADER_LENGTH + 8 * header.geometry.nchunks)
    rest, _ = known.rest((header.index_at, most))
    (data,) = yield [(header.index_at, most if rest[1] <= TAIL else TAIL)]
    cbytes = index_header(header, data).cbytes
    if cbytes > len(data):
        (more,) = yield [(header.index_at + len(data), cbytes - len(data))]
        data += more
    return parse_index(header, data)


def attribute_steps(header: Header) -> Steps[dict[str, object]]:
    """The attributes, in one round or two."""
    if not header.fixed.has_attributes:
        return {}
    most = min(header.frame_len - header.index_at, TAIL)
    (tail,) = yield [(header.frame_len - most, most)]
    try:
        length = trailer_length(tail, header.frame_len - header.index_at)
    except ValueError as error:
        raise FrameError(f"{header.name}: {error}", reason="truncated") from error
    (trailer,) = yield [(header.frame_len - length, length)]
    return parse_attributes(header, trailer)


class Whole(NamedTuple):
    """The stored bytes of a chunk."""

    header: ChunkHeader
    data: bytes


class Parts(NamedTuple):
    """Stored blocks of a chunk by their number, with what is needed to decode them."""

    header: ChunkHeader
    blocks: dict[int, bytes]
    dictionary: bytes


def can_take_apart(header: ChunkHeader, nblocks: int) -> bool:
    """Whether blocks of this chunk can be read and decoded without the others."""
    if nblocks < 2 or not header.extended or header.special:
        return False
    return header.memcpyed or not header.needs_array


class ChunkPlan:
    """Plans for the chunks of one frame; remembers where the blocks of some of them are."""

    __slots__ = ("_layouts", "header", "index")

    def __init__(self, header: Header, index: Index) -> None:
        self.header = header
        self.index = index
        self._layouts: dict[int, Layout | ChunkHeader] = {}

    def whole(self, nchunk: int, data: bytes, room: int | None = None) -> Whole:
        """A chunk out of the bytes of its place; raises FrameError."""
        header = self._chunk_header(nchunk, data, room or self.index.extent(nchunk))
        return Whole(header, data[: header.cbytes])

    def whole_steps(self, nchunk: int) -> Steps[Whole]:
        """A stored chunk, in one round."""
        (data,) = yield [self.whole_span(nchunk)]
        return self.whole(nchunk, data)

    def whole_span(self, nchunk: int) -> Span:
        """Where a stored chunk is, with what may follow it."""
        return self.index.offset(nchunk), self.index.extent(nchunk)

    def layout_steps(self, nchunks: Sequence[int]) -> "Steps[dict[int, Layout | ChunkHeader]]":
        """Where the blocks of stored chunks are, in one round.

        The header alone for chunks that cannot be taken apart.
        """
        layouts, missing = self._remembered(nchunks)
        answers = yield [self.layout_span(n) for n in missing]
        return layouts | self._add(missing, answers)

    def fetch_steps(
        self, whole: Sequence[int], parts: Mapping[int, Sequence[int]]
    ) -> "Steps[dict[int, Whole | Parts]]":
        """Whole chunks, and the given blocks of others, in two rounds at most.

        Chunks that cannot be taken apart come whole in the second.
        """
        layouts, missing = self._remembered(parts)
        spans = [self.layout_span(n) for n in missing]
        answers = yield spans + [self.whole_span(n) for n in whole]
        layouts |= self._add(missing, answers)
        found: dict[int, Whole | Parts] = {}
        for n, data in zip(whole, answers[len(missing) :], strict=True):
            found[n] = self.whole(n, data)
        second = {n: self._block_spans(n, layouts[n], parts[n]) for n in parts}
        rest = iter((yield [span for spans in second.values() for span in spans.values()]))
        for n, blocks in second.items():
            found[n] = self._collect(n, layouts[n], {block: next(rest) for block in blocks})
        return found

    def _remembered(
        self, nchunks: Iterable[int]
    ) -> "tuple[dict[int, Layout | ChunkHeader], list[int]]":
        layouts = {n: self._layouts[n] for n in nchunks if n in self._layouts}
        return layouts, [n for n in nchunks if n not in layouts]

    def layout_span(self, nchunk: int) -> Span:
        """What tells the layout of a stored chunk."""
        length = layout_length(self.header.geometry.nblocks)
        return self.index.offset(nchunk), min(length, self.index.extent(nchunk))

    def _add(
        self, nchunks: Sequence[int], answers: Sequence[bytes]
    ) -> "dict[int, Layout | ChunkHeader]":
        added = {n: self.layout(n, data) for n, data in zip(nchunks, answers, strict=False)}
        if len(self._layouts) > MAX_LAYOUTS:
            self._layouts.clear()
        self._layouts.update(added)
        return added

    def _chunk_header(self, nchunk: int, data: bytes, room: int) -> ChunkHeader:
        try:
            header = parse_chunk_header(data, room)
            check_array_chunk(header, self.header)
        except ValueError as error:
            raise bad_chunk(self.header.name, nchunk, error) from error
        return header

    def layout(self, nchunk: int, data: bytes) -> "Layout | ChunkHeader":
        """Where the blocks of a chunk are, or its header if it cannot be taken apart."""
        header = self._chunk_header(nchunk, data, self.index.extent(nchunk))
        nblocks = self.header.geometry.nblocks
        if not can_take_apart(header, nblocks):
            return header
        try:
            return parse_layout(data, header, nblocks)
        except ValueError as error:
            raise bad_chunk(self.header.name, nchunk, error) from error

    def _block_spans(
        self, nchunk: int, layout: "Layout | ChunkHeader", blocks: Sequence[int]
    ) -> dict[int, Span]:
        """The spans of blocks by number; as _EXTRA the dictionary, or the whole chunk."""
        at = self.index.offset(nchunk)
        if isinstance(layout, ChunkHeader):
            return {_EXTRA: (at, layout.cbytes)}
        # The filter delta makes every block a difference from the first.
        numbers = sorted({0, *blocks} if layout.header.delta else set(blocks))
        spans = {n: (at + int(layout.starts[n]), int(layout.extents[n])) for n in numbers}
        start, size = layout.dictionary
        return {_EXTRA: (at + start, size), **spans} if size else spans

    def _collect(
        self, nchunk: int, layout: "Layout | ChunkHeader", answers: dict[int, bytes]
    ) -> "Whole | Parts":
        if isinstance(layout, ChunkHeader):
            return Whole(layout, answers[_EXTRA])
        dictionary = answers.pop(_EXTRA, b"")
        if dictionary:
            try:
                check_dictionary(dictionary)
            except ValueError as error:
                raise bad_chunk(self.header.name, nchunk, error) from error
        return Parts(layout.header, answers, dictionary)
