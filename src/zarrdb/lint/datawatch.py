"""Decoding every chunk, on all cores, in memory that stays flat."""

from collections import deque
from concurrent.futures import Future, ThreadPoolExecutor
from functools import partial
from typing import Final, NamedTuple

from zarrdb.arrays.verify import Fault, Verifier
from zarrdb.db import Database
from zarrdb.errors import CorruptError
from zarrdb.fanout import workers
from zarrdb.keys import KeySource
from zarrdb.lint.arraydata import ArrayData
from zarrdb.lint.valuewatch import UNREADABLE_VALUE

# Stored bytes that wait for their turn together, and values for each worker.
_MOST_WAITING: Final = 64 << 20
_WAITING_EACH: Final = 4


class _Waiting(NamedTuple):
    data: ArrayData
    rest: str
    size: int
    outcome: "Future[Fault | None]"


class DataWatch:
    """Hands values to workers and takes what they found; a context manager."""

    def __init__(self, source: KeySource, jobs: int | None) -> None:
        self._source = source
        # A connection in a transaction belongs to one thread; other sources read anywhere.
        self._reads_here = isinstance(source, Database)
        self._workers = workers(jobs)
        self._pool = ThreadPoolExecutor(self._workers)
        self._waiting: deque[_Waiting] = deque()
        self._bytes = 0

    def see(self, data: ArrayData, rest: str, size: int) -> None:
        """Have one chunk decoded."""
        verifier = data.verifier
        if verifier is None:
            return
        key = data.prefix + rest
        if self._reads_here:
            job = partial(_verify, _read(self._source, key), verifier)
        else:
            job = partial(_read_and_verify, self._source, key, verifier)
        data.pending += 1
        self._waiting.append(_Waiting(data, rest, size, self._pool.submit(job)))
        self._bytes += size
        while self._bytes > _MOST_WAITING or len(self._waiting) > _WAITING_EACH * self._workers:
            self._take()

    def drain(self) -> None:
        """Wait for everything that was handed out."""
        while self._waiting:
            self._take()

    def _take(self) -> None:
        first = self._waiting.popleft()
        self._bytes -= first.size
        first.data.take(first.rest, first.size, first.outcome.result())

    def __enter__(self) -> "DataWatch":
        return self

    def __exit__(self, *_: object) -> None:
        self._pool.shutdown(cancel_futures=True)


def _read_and_verify(source: KeySource, key: str, verifier: Verifier) -> Fault | None:
    return _verify(_read(source, key), verifier)


def _read(source: KeySource, key: str) -> bytes | Fault | None:
    try:
        return source.get(key)
    except CorruptError as error:
        return Fault(error.message.removeprefix(f"{source.name}: "))
    except UNREADABLE_VALUE:
        # The remarks tell of it.
        return None


def _verify(value: bytes | Fault | None, verifier: Verifier) -> Fault | None:
    return verifier.verify(value) if isinstance(value, bytes) else value
