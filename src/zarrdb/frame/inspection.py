"""What `check` wants to know of a frame: all of its faults at once, none of them raised."""

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from zarrdb.errors import FrameError
from zarrdb.frame import policy
from zarrdb.frame.chunk import bad_chunk
from zarrdb.frame.decode import decode_whole
from zarrdb.frame.header import Header
from zarrdb.frame.plan import ChunkPlan, span_steps
from zarrdb.frame.state import FrameReader, State


class FrameFacts(NamedTuple):
    """A frame as far as it can be read."""

    name: str
    header: Header | None = None
    problems: tuple[FrameError, ...] = ()
    """Each with the name of its rule as `reason`; those of chunks in the order of the file."""
    attributes: dict[str, object] | None = None
    nstored: int = 0
    """Chunks that take room in the file."""
    nunwritten: int = 0
    """Chunks that were never written: their content is nowhere defined."""
    trailing: int = 0
    """Bytes of the file behind the frame."""


def inspect(reader: FrameReader, *, headers: bool = True, data: bool = False) -> FrameFacts:
    """Facts and faults of a frame.

    `headers` reads the first bytes of every chunk, `data` decodes all of them. Faults of the
    reader are raised as ever.
    """
    try:
        state = State(reader)
    except FrameError as error:
        return FrameFacts(reader.name, problems=(error,))
    return facts_of(reader, state, headers=headers, data=data)


def facts_of(reader: FrameReader, state: State, *, headers: bool, data: bool) -> FrameFacts:
    """The same of a frame that was opened."""
    problems: list[FrameError] = []
    facts = FrameFacts(reader.name, state.header)
    if reader.size is not None:
        facts = facts._replace(trailing=reader.size - state.header.frame_len)
    try:
        facts = facts._replace(attributes=state.attributes)
    except FrameError as error:
        problems.append(error)
    try:
        plan = state.plan
    except FrameError as error:
        return facts._replace(problems=(*problems, error))
    if headers or data:
        problems += _chunk_problems(state, plan, data=data)
    written = plan.index.written()
    return facts._replace(
        problems=tuple(problems),
        nstored=len(plan.index.stored()),
        nunwritten=len(written) - int(written.sum()),
    )


def _chunk_problems(state: State, plan: ChunkPlan, *, data: bool) -> Iterator[FrameError]:
    """The faults of stored chunks: of their headers, or of all their bytes."""
    span_of = plan.whole_span if data else plan.layout_span
    for numbers in _groups(plan.index.stored().tolist(), lambda n: span_of(n)[1]):
        answers = state.run(span_steps([span_of(n) for n in numbers]))
        for nchunk, answer in zip(numbers, answers, strict=True):
            try:
                if data:
                    _decode(plan, nchunk, answer)
                else:
                    plan.layout(nchunk, answer)
            except FrameError as error:
                yield error


def _groups(numbers: Iterable[int], cost: Callable[[int], int]) -> Iterator[list[int]]:
    """The numbers in groups of about the bytes of a batch."""
    group, size = [], 0
    for number in numbers:
        group.append(number)
        size += cost(number)
        if size > policy.BATCH:
            yield group
            group, size = [], 0
    if group:
        yield group


def _decode(plan: ChunkPlan, nchunk: int, data: bytes) -> None:
    whole = plan.whole(nchunk, data)
    if whole.header.special:
        return
    try:
        decode_whole(plan.header, whole)
    except ValueError as error:
        raise bad_chunk(plan.header.name, nchunk, error) from error
