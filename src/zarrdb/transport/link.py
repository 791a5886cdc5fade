"""One request to the other side: what each kind of place supplies."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from zarrdb.transport.reader import Span


class Answer(NamedTuple):
    """What came back for one range."""

    data: bytes
    offset: int
    size: int | None = None
    """Size of the whole file, where the answer tells it."""
    stamp: str | None = None
    hops: int = 0
    """Requests that it took beyond the one: redirects."""

    @property
    def whole(self) -> bool:
        """Whether this is the whole file, whatever part of it was asked for."""
        return self.offset == 0 and len(self.data) == self.size

    def cut(self, span: tuple[int, int]) -> bytes:
        """The bytes of a span; fewer where the answer has fewer."""
        start = span[0] - self.offset
        return self.data[start : start + span[1]] if start >= 0 else b""


class Link(Protocol):
    """A way to one file. No retries, no counting; safe from several threads.

    Every method raises a RangeError that names the file.
    """

    name: str
    max_ranges: int
    """How many ranges one request can carry; 1 where `fetch_parts` is of no use."""

    def fetch(self, offset: int, size: int) -> Answer:
        """At most `size` bytes from `offset` on, or the whole file if it is small."""
        ...

    def fetch_tail(self, size: int) -> Answer:
        """The last `size` bytes, or the whole file if it has fewer."""
        ...

    def fetch_parts(self, spans: Sequence[Span]) -> list[Answer]:
        """What comes back for several spans by one request; parts of them may be missing.

        Raises PartsMissingError where it cannot be taken apart.
        """
        ...

    def stat(self) -> tuple[int, str | None] | None:
        """Size and stamp by a request of their own; None where a range is as good."""
        ...

    def download(
        self, write: Callable[[bytes], None], expect: Callable[[int | None], None]
    ) -> None:
        """The whole file in pieces; `expect` gets its size before them, None if unknown."""
        ...

    def renew(self) -> None:
        """Begin with new connections: those there are belong to the parent of a fork."""
        ...

    def close(self) -> None:
        """Give back connections; a second call does nothing."""
        ...
