"""Reading values ahead of whoever writes them, in order, with a bound on memory.

One thread overlaps reading with writing, which is all that a local file system gains by: more
would fight for the interpreter. Where reading waits (network file systems: a millisecond a
file), further threads are started.
"""

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final, Generic, TypeVar

T = TypeVar("T")
Work = Callable[[], T]

AHEAD_BYTES: Final = 32 << 20
"""What is read but not yet written, at most; plus one piece of work a thread."""

_SLOW: Final = 5e-5
"""Seconds a value waits for the system from which more threads pay: a file in the page cache
takes 5 microseconds, one on a network file system 1,000."""


class _Piece(Generic[T]):
    """One piece of work and what became of it."""

    __slots__ = ("bytes", "done", "error", "result", "values", "waited", "work")

    def __init__(self, work: Work[T], values: int, size: int) -> None:
        self.work = work
        self.values = values
        self.bytes = size
        self.done = threading.Event()
        self.result: T | None = None
        self.error: BaseException | None = None
        self.waited = 0.0

    def run(self) -> None:
        """Do the work, keeping its result or its exception."""
        wall, busy = time.perf_counter(), time.thread_time()
        try:
            self.result = self.work()
        except BaseException as error:
            self.error = error
        self.waited = (time.perf_counter() - wall) - (time.thread_time() - busy)
        self.done.set()


class ReadAhead(Generic[T]):
    """Does pieces of work in threads and gives their results in order; a context manager.

    `work` yields (call, number of values, bytes). `readers` threads are used at most.
    """

    def __init__(self, work: Iterator[tuple[Work[T], int, int]], *, readers: int) -> None:
        self._work = work
        self._readers = max(1, readers)
        self._queue: SimpleQueue[_Piece[T] | None] = SimpleQueue()
        self._ahead: deque[_Piece[T]] = deque()
        self._bytes = 0
        self._threads = 0

    def __iter__(self) -> Iterator[T]:
        self._fill()
        while self._ahead:
            piece = self._ahead.popleft()
            if not piece.done.is_set():
                piece.done.wait()
                if piece.waited > _SLOW * piece.values:
                    self._start(self._threads)
            if piece.error is not None:
                raise piece.error
            self._bytes -= piece.bytes
            self._fill()
            yield piece.result  # type: ignore[misc]

    def _fill(self) -> None:
        if not self._threads:
            self._start(1)
        while len(self._ahead) < 2 * self._threads and self._bytes < AHEAD_BYTES:
            following = next(self._work, None)
            if following is None:
                return
            piece = _Piece(*following)
            self._bytes += piece.bytes
            self._ahead.append(piece)
            self._queue.put(piece)

    def _start(self, number: int) -> None:
        for _ in range(min(number, self._readers - self._threads)):
            self._threads += 1
            # A reader may hang in the file system; the process must be able to end all the same.
            threading.Thread(target=self._run, name="zarrdb-reader", daemon=True).start()

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
