"""Work done by several threads, its results in order, as much of it ahead as there are threads."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future
from itertools import islice
from queue import SimpleQueue
from threading import Thread
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_order(function: Callable[[T], R], work: Iterable[T], *, threads: int) -> Iterator[R]:
    """What the function makes of each piece of work, which is asked for in this thread.

    At most `threads` pieces are under way or done and not taken yet; with one thread each is
    done here when it is asked for. Who stops early does not wait for what is under way.
    """
    if threads < 2:
        yield from map(function, work)
        return
    coming = iter(work)
    queue: SimpleQueue[tuple[Future[R], T] | None] = SimpleQueue()

    def serve() -> None:
        while (task := queue.get()) is not None:
            future, piece = task
            if future.set_running_or_notify_cancel():
                try:
                    future.set_result(function(piece))
                except BaseException as error:
                    future.set_exception(error)

    def begin(piece: T) -> Future[R]:
        future: Future[R] = Future()
        queue.put((future, piece))
        return future

    for _ in range(threads):
        # A chunk may take seconds; an interrupted process ends all the same.
        Thread(target=serve, name="zarrdb-work", daemon=True).start()
    ahead: deque[Future[R]] = deque()
    try:
        ahead.extend(map(begin, islice(coming, threads)))
        while ahead:
            result = ahead.popleft().result()
            ahead.extend(map(begin, islice(coming, 1)))
            yield result
    finally:
        for future in ahead:
            future.cancel()
        for _ in range(threads):
            queue.put(None)
