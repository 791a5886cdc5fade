"""A `.zarrdb` file as a source for many threads, for as long as somebody likes to keep it."""

import os
import time
from collections.abc import Callable, Iterable, Iterator
from typing import Concatenate, Final, ParamSpec, TypeVar

from zarrdb.db import actions
from zarrdb.db.database import Database
from zarrdb.db.shared import lease
from zarrdb.db.transaction import retrying
from zarrdb.keys import Child, Entry, Remark

P = ParamSpec("P")
T = TypeVar("T")

_PAGE: Final = 10_000
"""Keys of a listing read at once: nothing is held between two pages."""


class SharedSource:
    """A KeySource over the connections that this process shares; safe in any thread."""

    kind: str = "zarrdb"

    def __init__(self, path: str | os.PathLike[str], *, timeout: float = 5.0) -> None:
        self.name = os.path.abspath(os.fspath(path))
        self._timeout = timeout
        self._lease = lease(self.name, writable=False, durability="group", use_log=False)
        # What cannot be opened is said now and not at the first question.
        try:
            self._run(actions.exists, "")
        except BaseException:
            self.close()
            raise

    def _run(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        deadline = time.monotonic() + self._timeout
        return retrying(lambda: self._lease.file.read(action, *args, **kwargs), deadline)

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix` once, in code-point order, past `after`."""
        while page := self._run(actions.page, prefix, after, _PAGE):
            yield from page
            after = page[-1].key

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`, in code-point order, each once."""
        return iter(self._run(actions.children, prefix))

    def get(self, key: str) -> bytes | None:
        """The whole value, or None if there is no such key."""
        return self._run(actions.get, key)

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given."""
        for key in keys:
            yield key, self.get(key)

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a value, clamped to it; a negative offset counts from its end."""
        return self._run(actions.get_range, key, offset, length)

    def size(self, key: str) -> int | None:
        """Size of the value in bytes, or None if there is no such key."""
        return self._run(actions.size, key)

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        """A value piece by piece, in flat memory. Raises NotFoundError."""
        offset = 0
        while piece := self.get_range(key, offset, chunk_size):
            yield piece
            offset += len(piece)

    def remarks(self) -> Iterator[Remark]:
        """Rows that fit no key and value."""
        return iter(self._run(actions.remarks))

    def close(self) -> None:
        """Give the file back; a second call does nothing."""
        self._lease.release()
