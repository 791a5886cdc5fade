"""The range reader: what formats read through, whatever lies behind it."""

from collections.abc import Sequence
from threading import Lock
from typing import NamedTuple, Protocol, runtime_checkable


class Span(NamedTuple):
    """`size` bytes from `offset` on."""

    offset: int
    size: int

    @property
    def end(self) -> int:
        """The offset just past the span."""
        return self.offset + self.size


class Traffic:
    """What a reader has cost so far; counted from any thread.

    `requests` includes retries, `bytes` are those of bodies, `rounds` are calls that had to
    wait for an answer while no other call was waiting: the serial round trips of one thread.
    """

    __slots__ = ("_lock", "_waiting", "bytes", "requests", "retries", "rounds")

    def __init__(self) -> None:
        self.requests = 0
        self.bytes = 0
        self.rounds = 0
        self.retries = 0
        self.renew()

    def renew(self) -> None:
        """Begin with a new lock and nobody waiting, as in the child of a fork."""
        self._waiting = 0
        self._lock = Lock()

    def __enter__(self) -> "Traffic":
        """One call goes to the other side."""
        with self._lock:
            if self._waiting == 0:
                self.rounds += 1
            self._waiting += 1
        return self

    def __exit__(self, *exc: object) -> None:
        with self._lock:
            self._waiting -= 1

    def request(self, *, retry: bool = False) -> None:
        """One request is sent."""
        with self._lock:
            self.requests += 1
            self.retries += retry

    def received(self, size: int, *, hops: int = 0) -> None:
        """`size` bytes came back, after `hops` redirects."""
        with self._lock:
            self.bytes += size
            self.requests += hops

    def __repr__(self) -> str:
        return f"<Traffic {self.requests} requests, {self.rounds} rounds, {self.bytes} bytes>"


@runtime_checkable
class Metered(Protocol):
    """What knows how much it has fetched from afar."""

    @property
    def traffic(self) -> Traffic:
        """The requests so far."""
        ...


@runtime_checkable
class RangeReader(Protocol):
    """Ranges of the bytes of one file; safe from several threads.

    Every method raises a RangeError, or SourceError for a local file, that names the file;
    `transient` on it says whether asking again may help (it was asked again already).
    """

    name: str
    """What to call it in messages; no secret of a URL in it."""
    max_concurrency: int
    """How many requests are under way at once at most."""
    traffic: Traffic

    @property
    def size(self) -> int:
        """Size in bytes; known from the first answer, asked for if there was none yet."""
        ...

    @property
    def known_size(self) -> int | None:
        """Size in bytes, where an answer told it already; nothing is asked."""
        ...

    @property
    def stamp(self) -> str | None:
        """Names these exact bytes (ETag, version id, or mtime and size); None if nothing does.

        Known from the first answer; every later answer is held against it.
        """
        ...

    def read_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes of each (offset, size), in the order asked, in one round.

        Near spans share a request, several requests run at once. A span that reaches past
        the end is an error, ShortAnswerError; one of no bytes costs nothing.
        """
        ...

    def head_tail(self, head: int, tail: int) -> tuple[bytes, bytes]:
        """The first `head` and the last `tail` bytes in one round, without knowing the size.

        Either is the whole file if that is shorter, and they may overlap; 0 asks for nothing.
        """
        ...

    def refresh(self) -> None:
        """Forget size and stamp: the next answer sets them anew. For files that grow."""
        ...

    def close(self) -> None:
        """Give back connections and threads; a second call does nothing."""
        ...
