"""Reading values ahead of whoever writes them, in order, with a bound on memory.

Small values out of the page cache are read fastest where they are wanted: threads would fight
for the interpreter (20,000 files of 8 KiB: 0.33 s of processor time alone, 0.42 with a
reader). Large values are read in a thread while others are written, and where reading waits
for the system (network file systems: a millisecond a file) there are as many as it takes.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from contextvars import copy_context
from functools import partial
from queue import Empty, SimpleQueue
from typing import Final, Generic, NamedTuple, TypeVar

T = TypeVar("T")

AHEAD_BYTES: Final = 16 << 20
"""What is read but not yet written, at most; plus one piece of work."""

_LARGE: Final = 128 << 10
"""Bytes a value from which a thread reads them: copying needs no interpreter."""

_SLOW: Final = 5e-5
"""Seconds a value waits for the system from which threads pay: a file in the page cache takes
5 microseconds of work, one on a network file system 1,000 of waiting."""


def _waits() -> int | None:
    """How often this thread waited for something by its own will, where that is counted."""
    try:
        from resource import RUSAGE_THREAD, getrusage
    except ImportError:
        return None
    return getrusage(RUSAGE_THREAD).ru_nvcsw


class Work(NamedTuple, Generic[T]):
    """A call that reads some values of some bytes together."""

    call: Callable[[], T]
    values: int
    bytes: int


class _Piece(Generic[T]):
    """One piece of work and what became of it."""

    __slots__ = ("done", "error", "result", "waited", "work")

    def __init__(self, work: Work[T]) -> None:
        self.work = work
        self.done = threading.Event()
        self.result: T | None = None
        self.error: BaseException | None = None
        self.waited = False

    def run(self) -> None:
        """Do the work, keeping its result or its exception."""
        values = self.work.values
        wall, busy, waits = time.perf_counter(), time.thread_time(), _waits()
        try:
            self.result = self.work.call()
        except BaseException as error:
            self.error = error
        idle = (time.perf_counter() - wall) - (time.thread_time() - busy)
        # On a busy machine time also goes by in the queue for a processor.
        counted = waits is None or (_waits() or 0) - waits >= values // 2
        self.waited = idle > _SLOW * values and counted
        self.done.set()


class ReadAhead(Generic[T]):
    """Does pieces of work in threads and gives their results in order; a context manager.

    `readers` threads are used at most; with none everything is done where it is wanted.
    """

    def __init__(self, work: Iterator[Work[T]], *, readers: int) -> None:
        self._work = work
        self._readers = readers
        self._queue: SimpleQueue[_Piece[T] | None] = SimpleQueue()
        self._ahead: deque[_Piece[T]] = deque()
        self._bytes = 0
        self._threads = 0

    def __iter__(self) -> Iterator[T]:
        while (piece := self._next()) is not None:
            if not piece.done.is_set():
                piece.done.wait()
            if piece.waited:
                # All there are so far are waiting: as many again.
                self._start(max(1, self._threads))
            if piece.error is not None:
                raise piece.error
            yield piece.result  # type: ignore[misc]

    def _next(self) -> _Piece[T] | None:
        """The next piece in order: one that a thread has, or one done right here."""
        self._fill()
        if self._ahead:
            piece = self._ahead.popleft()
            self._bytes -= piece.work.bytes
            return piece
        work = next(self._work, None)
        if work is None:
            return None
        piece = _Piece(work)
        if work.bytes > _LARGE * work.values:
            self._start(1)
        piece.run()
        return piece

    def _fill(self) -> None:
        while len(self._ahead) < 2 * self._threads and self._bytes < AHEAD_BYTES:
            work = next(self._work, None)
            if work is None:
                return
            piece = _Piece(work)
            self._bytes += work.bytes
            self._ahead.append(piece)
            self._queue.put(piece)

    def _start(self, number: int) -> None:
        for _ in range(min(number, self._readers - self._threads)):
            self._threads += 1
            # A reader may hang in the file system; the process must be able to end all the same.
            # What is read belongs to whoever wants it: to the transaction of a store, perhaps.
            run = partial(copy_context().run, self._run)
            threading.Thread(target=run, name="zarrdb-reader", daemon=True).start()

    def _run(self) -> None:
        while (piece := self._queue.get()) is not None:
            piece.run()

    def close(self) -> None:
        """Let the threads end; work that has not begun is dropped."""
        with suppress(Empty):
            while True:
                self._queue.get_nowait()
        for _ in range(self._threads):
            self._queue.put(None)

    def __enter__(self) -> "ReadAhead[T]":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
