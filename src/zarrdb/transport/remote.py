"""The range reader over a link: waves of requests, retried, counted, and held to one stamp."""

import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from threading import BoundedSemaphore, Lock
from typing import Final, TypeVar

from zarrdb.errors import (
    ClosedError,
    RangeNotSupportedError,
    RangeOutsideError,
    ShortAnswerError,
    StampChangedError,
    TrafficLimitError,
)
from zarrdb.transport import spans as arithmetic
from zarrdb.transport.forks import renew_in_children
from zarrdb.transport.link import Answer, Link
from zarrdb.transport.reader import Span, Traffic
from zarrdb.transport.retry import persist

MAX_CONCURRENCY: Final = 8
"""57 scattered pages at 20 ms a request: 1.19 s one by one, 0.35 s with 4 at once, 0.23 s with
8 and 0.15 s with 16, which many a server refuses."""
PART_LIMIT: Final = 256 << 10
"""Larger pieces go alone: side by side they arrive sooner than one after the other."""

T = TypeVar("T")


class RemoteReader:
    """Ranges of one file through a link. A RangeReader.

    `max_bytes` bounds all that is fetched; what would go past it raises TrafficLimitError
    before anything is asked for.
    """

    def __init__(
        self,
        link: Link,
        *,
        max_concurrency: int = MAX_CONCURRENCY,
        max_bytes: int | None = None,
        gap: int = arithmetic.MERGE_GAP,
        sleep: Callable[[float], None] = time.sleep,
    ) -> None:
        self.name = link.name
        self.max_concurrency = max_concurrency
        self.traffic = Traffic()
        self._link = link
        self._gap = gap
        self._sleep = sleep
        self._max_bytes = max_bytes
        self._spent = 0
        self._takes_parts: bool | None = None if link.max_ranges > 1 else False
        self._size: int | None = None
        self._stamp: str | None = None
        self._answered = False
        self._whole: bytes | None = None
        self._closed = False
        self._begin()
        renew_in_children(self)

    def _begin(self) -> None:
        self._lock = Lock()
        self._slots = BoundedSemaphore(self.max_concurrency)
        self._pool: ThreadPoolExecutor | None = None

    def renew(self) -> None:
        """Begin with new locks, threads and connections, as in the child of a fork."""
        self._begin()
        self.traffic.renew()
        self._link.renew()

    # Identity

    @property
    def size(self) -> int:
        """Size in bytes; asked for if no answer told it yet."""
        if self._size is None:
            self._ask()
        if self._size is None:
            raise RangeNotSupportedError(
                f"{self.name}: the server does not tell the size of the file",
                hint="--download fetches the whole file once",
            )
        return self._size

    @property
    def known_size(self) -> int | None:
        """Size in bytes, where an answer told it already."""
        return self._size

    @property
    def stamp(self) -> str | None:
        """ETag, version id, or time and size; asked for if there was no answer yet."""
        if not self._answered:
            self._ask()
        return self._stamp

    def refresh(self) -> None:
        """Forget size and stamp: the next answer sets them anew."""
        with self._lock:
            self._size = self._stamp = self._whole = None
            self._answered = False

    def _ask(self) -> None:
        with self.traffic:
            facts = self._stat()
            if facts is None:
                self._spend(1)
                self._send(partial(self._link.fetch, 0, 1))

    def _stat(self) -> tuple[int, str | None] | None:
        """Size and stamp from the link itself, if it has a way to ask for them alone."""
        facts = persist(lambda _: self._link.stat(), self._sleep)
        if facts is not None:
            self.traffic.request()
            self._note(Answer(b"", 0, *facts))
        return facts

    def _note(self, answer: Answer) -> None:
        """Take size and stamp from the first answer, and hold the others against them."""
        with self._lock:
            for mine, theirs in ((self._size, answer.size), (self._stamp, answer.stamp)):
                if mine is not None and theirs is not None and mine != theirs:
                    raise StampChangedError(
                        f"{self.name}: the file was replaced while it was read",
                        hint="start again: what was read so far belongs to the old file",
                    )
            if answer.size is not None:
                self._size = answer.size
                self._answered = True
            self._stamp = self._stamp or answer.stamp
            if answer.whole:
                self._whole = answer.data

    # Reading

    def read_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes of each span in the order asked, in one round."""
        if self._size is not None:
            for offset, size in spans:
                if size and offset + size > self._size:
                    raise self._short(Span(offset, size), 0)
        whole = self._whole
        if whole is not None:
            return [whole[offset : offset + size] for offset, size in spans]
        pieces = arithmetic.requests(spans, gap=self._gap)
        bodies = self._wave(pieces) if pieces else []
        return [arithmetic.assemble(span, pieces, bodies) for span in spans]

    def head_tail(self, head: int, tail: int) -> tuple[bytes, bytes]:
        """The first and the last bytes in one round, whatever the size."""
        if self._size is None:
            with self.traffic:
                self._spend(head + tail)
                first, last = self._gather([partial(self._head, head), partial(self._tail, tail)])
            if first is not None and last is not None:
                self._spend(len(first) + len(last) - head - tail)
                return first, last
        head, tail = min(head, self.size), min(tail, self.size)
        both = self.read_ranges([(0, head), (self.size - tail, tail)])
        return both[0], both[1]

    def _head(self, head: int) -> bytes | None:
        if not head:
            return b""
        answer = self._send(lambda: self._link.fetch(0, head))
        data = answer.cut((0, head))
        if answer.size is None and len(data) < head:
            self._note(Answer(data, 0, len(data)))
        return data

    def _tail(self, tail: int) -> bytes | None:
        """The end of the file, or None where the other side does not count from there."""
        if not tail:
            return b""
        try:
            return self._send(lambda: self._link.fetch_tail(tail)).data[-tail:]
        except (RangeNotSupportedError, RangeOutsideError):
            return None

    def close(self) -> None:
        """Give back connections and threads; a second call does nothing."""
        self._closed = True
        if self._pool is not None:
            self._pool.shutdown(wait=False, cancel_futures=True)
        self._link.close()

    # Requests

    def _wave(self, pieces: Sequence[Span]) -> list[bytes]:
        """The bytes of ascending, disjoint pieces, by one request each or fewer."""
        bodies: dict[Span, bytes] = {}
        with self.traffic:
            self._spend(sum(piece.size for piece in pieces))
            together = self._together(pieces)
            alone = set(pieces).difference(*together)
            jobs = [partial(self._parts, group) for group in together]
            jobs += [partial(self._piece, piece) for piece in pieces if piece in alone]
            for found in self._gather(jobs):
                bodies.update(found)
            left = [partial(self._piece, piece) for piece in pieces if piece not in bodies]
            for found in self._gather(left):
                bodies.update(found)
        return [bodies[piece] for piece in pieces]

    def _together(self, pieces: Sequence[Span]) -> list[list[Span]]:
        """Which pieces to ask for by one request, where the other side may take several."""
        small = [piece for piece in pieces if piece.size <= PART_LIMIT]
        worth = 2 if self._takes_parts else self.max_concurrency + 1
        if self._takes_parts is False or len(small) < worth:
            return []
        count = -(-len(small) // self._link.max_ranges)
        return [small[i::count] for i in range(count)]

    def _parts(self, group: list[Span]) -> dict[Span, bytes]:
        """Several pieces by one request: those of them that came back."""
        try:
            answers = self._exchange(lambda: self._link.fetch_parts(group))
        except (RangeNotSupportedError, RangeOutsideError):
            answers = []
        found = {
            piece: data
            for piece in group
            for data in (answer.cut(piece) for answer in answers)
            if len(data) == piece.size
        }
        self._takes_parts = self._takes_parts is not False and len(found) == len(group)
        return found

    def _piece(self, piece: Span) -> dict[Span, bytes]:
        def fetch() -> Answer:
            answer = self._link.fetch(*piece)
            if len(answer.cut(piece)) < piece.size:
                raise self._short(piece, len(answer.data))
            return answer

        return {piece: self._send(fetch).cut(piece)}

    def _short(self, span: Span, got: int) -> ShortAnswerError:
        if self._size is None:
            self._stat()
        ends = self._size is not None and span.end > self._size
        error = ShortAnswerError(
            f"{self.name}: asked for {span.size} bytes at {span.offset}, but the file ends at "
            f"{self._size}"
            if ends
            else f"{self.name}: asked for {span.size} bytes at {span.offset}, got {got}"
        )
        error.transient = not ends
        return error

    def _send(self, fetch: Callable[[], Answer]) -> Answer:
        return self._exchange(lambda: [fetch()])[0]

    def _exchange(self, fetch: Callable[[], list[Answer]]) -> list[Answer]:
        """One request and its answers, asked again after transient faults."""

        def attempt(retry: bool) -> list[Answer]:
            with self._slots:
                if self._closed:
                    raise ClosedError(f"{self.name}: read after it was closed")
                self.traffic.request(retry=retry)
                answers = fetch()
            for answer in answers:
                self.traffic.received(len(answer.data), hops=answer.hops)
                self._note(answer)
            return answers

        return persist(attempt, self._sleep)

    def _gather(self, jobs: Sequence[Callable[[], T]]) -> list[T]:
        """Results of the jobs in order; they run side by side, the last one on this thread."""
        if not jobs:
            return []
        with self._lock:
            if self._pool is None and len(jobs) > 1:
                self._pool = ThreadPoolExecutor(self.max_concurrency, "zarrdb-ranges")
        futures = [self._pool.submit(job) for job in jobs[:-1]] if self._pool else []
        try:
            last = jobs[-1]()
            return [*(future.result() for future in futures), last]
        finally:
            for future in futures:
                future.cancel()

    def _spend(self, size: int) -> None:
        with self._lock:
            if self._max_bytes is not None and self._spent + size > self._max_bytes:
                raise TrafficLimitError(
                    f"{self.name}: reading on would fetch more than {self._max_bytes} bytes",
                    hint="raise --max-bytes, or leave it out",
                )
            self._spent += size
