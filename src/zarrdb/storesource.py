"""Any store of zarr-python as an end of a copy: a source of keys and values, and a sink."""

import asyncio
from bisect import bisect_right
from collections.abc import Callable, Coroutine, Iterable, Iterator, Sequence
from typing import Any, Final, TypeVar

from zarr.abc.store import Store
from zarr.core.buffer import Buffer, default_buffer_prototype
from zarr.core.sync import sync

from zarrdb.db.children import from_entries
from zarrdb.db.transaction import Transaction
from zarrdb.errors import NotFoundError
from zarrdb.keys import Child, Entry, KeySource, Remark, clamp
from zarrdb.store import SQLiteStore

__all__ = ["Store", "StoreSink", "StoreSource", "Without"]

T = TypeVar("T")

_AT_ONCE: Final = 32
"""Requests that a store is given at the same time."""


class StoreSource:
    """A zarr Store as a KeySource; its keys and sizes are asked for once."""

    kind: str = "remote"

    def __init__(self, store: Store) -> None:
        self.name = str(store)
        self._store = store
        self._known: list[Entry] | None = None

    def _entries(self) -> list[Entry]:
        if self._known is None:
            self._known = sync(self._list())
        return self._known

    async def _list(self) -> list[Entry]:
        # Not every store opens itself to be listed.
        await self._store._ensure_open()
        keys = sorted([key async for key in self._store.list()])
        sizes = await _together(self._store.getsize(key) for key in keys)
        return [Entry(key, size) for key, size in zip(keys, sizes, strict=True)]

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix` once, in code-point order, past `after`."""
        known = self._entries()
        start = max(prefix, after) if after is not None else prefix
        place = bisect_right(known, start, key=lambda entry: entry.key)
        if place and after is None and known[place - 1].key == prefix:
            place -= 1
        for entry in known[place:]:
            if entry.key.startswith(prefix):
                yield entry
            elif entry.key > prefix:
                return

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`, in code-point order, each once."""
        return from_entries(self.entries(prefix), prefix)

    def get(self, key: str) -> bytes | None:
        """The whole value, or None if there is no such key."""
        return _as_bytes(sync(self._store.get(key, default_buffer_prototype())))

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given, asked for together."""
        wanted = list(keys)
        prototype = default_buffer_prototype()
        values = sync(_together(self._store.get(key, prototype) for key in wanted))
        return zip(wanted, map(_as_bytes, values), strict=True)

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a value, clamped to it; a negative offset counts from its end."""
        value = self.get(key)
        if value is None:
            return None
        start, end = clamp(len(value), offset, length)
        return value[start:end]

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        """A value piece by piece. Raises NotFoundError."""
        value = self.get(key)
        if value is None:
            raise NotFoundError(f"{self.name}: no key {key}")
        for start in range(0, len(value), chunk_size):
            yield value[start : start + chunk_size]

    def size(self, key: str) -> int | None:
        """Size of the value in bytes, or None if there is no such key."""
        known = self._entries()
        place = bisect_right(known, key, key=lambda entry: entry.key) - 1
        return known[place].size if place >= 0 and known[place].key == key else None

    def remarks(self) -> Iterator[Remark]:
        """None: a store has nothing but keys and values."""
        return iter(())

    def close(self) -> None:
        """Nothing: the store is the caller's."""


class StoreSink:
    """A zarr Store that a copy writes to; of a SQLiteStore all of it or nothing.

    `above` are documents that go before, those of the groups that the copy lies in.
    """

    def __init__(self, store: Store, above: Sequence[tuple[str, bytes | None]] = ()) -> None:
        self.name = str(store)
        self._store = store
        self._above = [(key, value) for key, value in above if value is not None]
        self._transaction: Transaction | None = None
        self.readable_before = isinstance(store, SQLiteStore)

    def put_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        """Store values that are in memory."""
        to_buffer = default_buffer_prototype().buffer.from_bytes
        sync(_together(self._store.set(key, to_buffer(value)) for key, value in items))

    def put_pieces(self, key: str, size: int, pieces: Iterable[bytes]) -> None:  # noqa: ARG002
        """Store a value that comes in pieces."""
        self.put_many([(key, b"".join(pieces))])

    def finish(self) -> None:
        """Nothing: a store has what it was given."""

    def read_back(self) -> KeySource:
        """What was written, as the store gives it."""
        return StoreSource(self._store)

    def publish(self) -> None:
        """Make all of it visible, where it is not yet."""
        self._leave(None, None, None)

    def __enter__(self) -> "StoreSink":
        if isinstance(self._store, SQLiteStore):
            self._transaction = self._store.transaction().__enter__()
        try:
            self.put_many(self._above)
        except BaseException as error:
            self._leave(type(error), error, error.__traceback__)
            raise
        return self

    def __exit__(self, *error: Any) -> None:
        self._leave(*error)

    def _leave(self, *error: Any) -> None:
        transaction, self._transaction = self._transaction, None
        if transaction is not None:
            transaction.__exit__(*error)


class Without:
    """A source as if it did not have some of its keys."""

    def __init__(self, source: KeySource, hidden: Callable[[str], bool]) -> None:
        self._source = source
        self._hidden = hidden

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every other key below `prefix`."""
        for entry in self._source.entries(prefix, after):
            if not self._hidden(entry.key):
                yield entry

    def __getattr__(self, name: str) -> Any:
        return getattr(self._source, name)


async def _together(requests: Iterable[Coroutine[Any, Any, T]]) -> list[T]:
    """The answers to several requests, in order, some at a time."""
    gate = asyncio.Semaphore(_AT_ONCE)

    async def one(request: Coroutine[Any, Any, T]) -> T:
        async with gate:
            return await request

    return await asyncio.gather(*(one(request) for request in requests))


def _as_bytes(value: Buffer | None) -> bytes | None:
    return None if value is None else value.to_bytes()
