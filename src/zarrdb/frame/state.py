"""What is known of an open frame, read when it is asked for, and again when it may have grown."""

import time
from collections.abc import Callable
from threading import RLock
from typing import Protocol, TypeVar, runtime_checkable

from zarrdb.errors import FrameError
from zarrdb.frame.header import Header, parse_fixed
from zarrdb.frame.plan import (
    HEAD,
    TAIL,
    ChunkPlan,
    Known,
    Steps,
    attribute_steps,
    ends_here,
    index_steps,
    open_steps,
    run,
)

T = TypeVar("T")

# One look in 200 at a frame that another process was filling fell between two of its writes,
# and that process may have to wait for its turn in between.
_LOOKS = 5
_PAUSE = 0.01


class FrameReader(Protocol):
    """What a frame needs of a range reader; every RangeReader has it."""

    name: str

    @property
    def size(self) -> int | None:
        """Size of the file; None if it cannot be had."""
        ...

    def read_ranges(self, spans: list[tuple[int, int]]) -> list[bytes]:
        """The bytes of each (offset, size), in order; fewer only at the end of the file."""
        ...

    def head_tail(self, head: int, tail: int) -> tuple[bytes, bytes]:
        """The first and the last bytes in one round; no tail where the end is not known."""
        ...


@runtime_checkable
class Refreshable(Protocol):
    """A reader that can be told that its file may have changed."""

    def refresh(self) -> None:
        """Forget size and stamp."""
        ...


@runtime_checkable
class TellsSize(Protocol):
    """A reader that may know the size without asking for it."""

    @property
    def known_size(self) -> int | None:
        """Size of the file, where an answer told it already."""
        ...


class State:
    """Header, offsets and attributes of a frame. Safe from several threads."""

    def __init__(self, reader: FrameReader) -> None:
        self._reader = reader
        self._lock = RLock()
        self._plan: ChunkPlan | None = None
        self._attributes: dict[str, object] | None = None
        self._look()

    @property
    def header(self) -> Header:
        """All that the header says."""
        return self._steadily(self._current_header)

    @property
    def plan(self) -> ChunkPlan:
        """Where the chunks are."""
        return self._steadily(self._current_plan)

    @property
    def attributes(self) -> dict[str, object]:
        """Names and values in the trailer."""
        return self._steadily(self._current_attributes)

    def refresh(self) -> None:
        """Forget everything; nothing is read before something is asked for."""
        with self._lock:
            if isinstance(self._reader, Refreshable):
                self._reader.refresh()
            self._stale = True

    def run(self, steps: Steps[T]) -> T:
        """Carry out a plan with the reader and what is known."""
        return run(steps, self._reader.name, self._known, self._reader.read_ranges)

    def _look(self) -> None:
        """Read head and tail, in one round; the rest of the header in another."""
        self._known = look(self._reader)
        self._header = self.run(open_steps(self._reader.name, self._known))
        self._plan = self._attributes = None
        self._stale = False

    def _current_header(self) -> Header:
        if self._stale:
            self._look()
        return self._header

    def _current_plan(self) -> ChunkPlan:
        header = self._current_header()
        if self._plan is None:
            self._plan = ChunkPlan(header, self.run(index_steps(header, self._known)))
        return self._plan

    def _current_attributes(self) -> dict[str, object]:
        header = self._current_header()
        if self._attributes is None:
            self._attributes = self.run(attribute_steps(header))
        return self._attributes

    def _steadily(self, read: Callable[[], T]) -> T:
        """What is read; what is damaged may just be being written, and is looked at again."""
        with self._lock:
            for _ in range(1, _LOOKS):
                try:
                    return read()
                except FrameError:
                    self.refresh()
                    time.sleep(_PAUSE)
            return read()


def look(reader: FrameReader) -> Known:
    """Head and tail of what may be a frame; its size, too, asked for only where it is in doubt.

    Raises FrameError for what is no frame.
    """
    head, tail = reader.head_tail(HEAD, TAIL)
    if len(head) < HEAD:
        return Known(head, tail, len(head))
    fixed = parse_fixed(reader.name, head, None)
    size = reader.known_size if isinstance(reader, TellsSize) else None
    if size is None:
        size = fixed.frame_len if ends_here(fixed, tail) else reader.size
    return Known(head, tail, size)
