"""Work done by several threads, its results in order, as much of it ahead as there are threads."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import TypeVar

T = TypeVar("T")
R = TypeVar("R")


def in_order(function: Callable[[T], R], work: Iterable[T], *, threads: int) -> Iterator[R]:
    """What the function makes of each piece of work, which is asked for in this thread.

    At most `threads` pieces are under way or done and not taken yet; with one thread each is
    done here when it is asked for.
    """
    if threads < 2:
        yield from map(function, work)
        return
    coming = iter(work)
    with ThreadPoolExecutor(threads, "zarrdb-work") as pool:
        ahead: deque[Future[R]] = deque()
        try:
            ahead.extend(pool.submit(function, piece) for piece in islice(coming, threads))
            while ahead:
                result = ahead.popleft().result()
                ahead.extend(pool.submit(function, piece) for piece in islice(coming, 1))
                yield result
        finally:
            for future in ahead:
                future.cancel()
