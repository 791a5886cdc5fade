"""The store that zarr-python is given: a `.zarrdb` file behind `zarr.abc.store.Store`.

It contains no SQL: everything goes through `zarrdb.db`. SQLite runs on the caller's thread
(a read takes 2 µs there, 270 through `asyncio.to_thread`); only waiting for somebody else's
lock leaves the event loop, since the holder of the lock may live in it.
"""

import asyncio
import os
import time
import weakref
from collections.abc import AsyncIterator, Callable, Iterable, Sequence
from itertools import islice
from typing import Any, Concatenate, Final, Literal, ParamSpec, TypeVar

from zarr.abc.store import ByteRequest, Store
from zarr.core.buffer import Buffer, BufferPrototype

from zarrdb.db import Database
from zarrdb.db.database import Values
from zarrdb.db.journal import Durability
from zarrdb.db.shared import Lease, SharedFile, lease
from zarrdb.db.transaction import Transaction, current, retrying
from zarrdb.errors import ClosedError, LockedError, MissingError, NotAStoreError, UsageError
from zarrdb.groupcommit import GroupCommit, Items
from zarrdb.keys import is_document, require_valid
from zarrdb.zarrvalues import as_batch, as_buffer, as_bytes, as_prefix, as_range

P = ParamSpec("P")
T = TypeVar("T")
# Inside the class `list` is the method.
Buffers = list[Buffer | None]

_FIRST_PAGE_SIZE: Final = 4096
_LIST_PAGE: Final = 10_000
"""Keys of a listing read at once: nothing is held between two pages."""


class SQLiteStore(Store):
    """A `.zarrdb` file as a store of zarr-python.

    Parameters
    ----------
    path
        Where the file is. Nothing is opened before the first use; the first write creates it.
    read_only
        Never change the file. A missing file is then a FileNotFoundError at the first use;
        a SQLite store of zarr-python 2 opens too.
    page_size
        Bytes, 512 to 65536, of a file that is created; "auto" decides by the first chunk.
    durability
        What a value that was stored survives, and when it reaches the disk. "chunk": power
        loss, an fsync for each commit. "group": the end of the process, however it ends;
        synced each 32 MiB. "close": the same, synced at `close` only. None ever corrupts.
    timeout
        Seconds to wait for another writer before LockedError.
    journal_mode
        "WAL" (None means it too) writes beside readers through a log that `close` folds into
        the file; "DELETE" does without, as always on network file systems.

    Notes
    -----
    Safe in any number of threads, tasks and event loops, across pickling and fork. Stores of
    one process on one file share their connections.
    """

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        read_only: bool = False,
        page_size: int | Literal["auto"] = "auto",
        durability: Durability = "group",
        timeout: float = 5.0,
        journal_mode: Literal["WAL", "DELETE"] | None = None,
    ) -> None:
        super().__init__(read_only=read_only)
        self.path = _absolute(os.fspath(path))
        self.page_size = _checked_page_size(page_size)
        if durability not in ("chunk", "group", "close"):
            raise UsageError(
                f"unknown durability {durability!r}", hint="it is `chunk`, `group` or `close`"
            )
        self.durability: Durability = durability
        self.timeout = timeout
        self.journal_mode = journal_mode
        self._start()

    def _start(self) -> None:
        self._lease: Lease | None = None
        self._finalizer: weakref.finalize[..., Any] | None = None
        self._closed = False
        self._group = GroupCommit()

    # Identity

    @property
    def supports_writes(self) -> bool:
        """True; `read_only` says whether this one may."""
        return True

    @property
    def supports_deletes(self) -> bool:
        """True."""
        return True

    @property
    def supports_listing(self) -> bool:
        """True."""
        return True

    def __repr__(self) -> str:
        return f"SQLiteStore({self.path!r}{', read_only=True' if self.read_only else ''})"

    def __str__(self) -> str:
        return f"file://{self.path}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, type(self))
            and self.path == other.path
            and self.read_only == other.read_only
        )

    __hash__ = None  # type: ignore[assignment]

    def _settings(self) -> dict[str, Any]:
        return {
            "path": self.path,
            "page_size": self.page_size,
            "durability": self.durability,
            "timeout": self.timeout,
            "journal_mode": self.journal_mode,
        }

    def with_read_only(self, read_only: bool = False) -> "SQLiteStore":
        """A store of the same file and settings that may, or may not, write."""
        return type(self)(read_only=read_only, **self._settings())

    def __getstate__(self) -> dict[str, Any]:
        return {**self._settings(), "_read_only": self._read_only}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._is_open = False
        self._start()

    # Opening and closing

    async def _open(self) -> None:
        await super()._open()
        self._closed = False

    def close(self) -> None:
        """Give the file back; the last one that may write folds the log into it."""
        super().close()
        self._closed = True
        if self._finalizer is not None:
            self._finalizer()
        self._lease = self._finalizer = None

    @property
    def _file(self) -> SharedFile:
        if self._lease is not None:
            return self._lease.file
        if self._closed:
            raise ClosedError(f"{self.path}: the store is closed")
        self._is_open = True
        self._lease = lease(
            self.path,
            writable=not self.read_only,
            durability=self.durability,
            use_log=self.journal_mode != "DELETE",
        )
        self._finalizer = weakref.finalize(self, self._lease.release)
        return self._lease.file

    # Running actions

    def _read(
        self,
        missing: T,
        action: Callable[Concatenate[Database, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Read at once; `missing` where a file that may be written is not there yet."""
        try:
            return self._file.read(action, *args, **kwargs)
        except (MissingError, NotAStoreError):
            if self.read_only or not self._is_missing():
                raise
            return missing

    def _write(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Write at once; creates the file."""
        try:
            return self._file.write(action, *args, **kwargs)
        except (MissingError, NotAStoreError):
            if not self._is_missing():
                raise
            self._create()
            return self._file.write(action, *args, **kwargs)

    def _create(self) -> None:
        self._file.create(_FIRST_PAGE_SIZE if self.page_size == "auto" else self.page_size)

    def _is_missing(self) -> bool:
        return not (os.path.exists(self.path) and os.path.getsize(self.path))

    def _patiently(self, action: Callable[[], T]) -> T:
        """Run an action, waiting on this thread for whoever holds the lock."""
        try:
            return action()
        except LockedError:
            return retrying(action, time.monotonic() + self.timeout)

    async def off_loop(self, action: Callable[[], T]) -> T:
        """Run an action on another thread, waiting there for whoever holds the lock."""
        return await asyncio.to_thread(retrying, action, time.monotonic() + self.timeout)

    # Reading

    async def get(
        self,
        key: str,
        prototype: BufferPrototype | None = None,
        byte_range: ByteRequest | None = None,
    ) -> Buffer | None:
        """The value, or the part of it that `byte_range` asks for; None if there is no key."""
        require_valid(key)
        try:
            value = self._value(key, byte_range)
        except LockedError:
            value = await self.off_loop(lambda: self._value(key, byte_range))
        return as_buffer(value, prototype)

    def get_sync(
        self,
        key: str,
        *,
        prototype: BufferPrototype | None = None,
        byte_range: ByteRequest | None = None,
    ) -> Buffer | None:
        """`get`, without an event loop."""
        require_valid(key)
        value = self._patiently(lambda: self._value(key, byte_range))
        return as_buffer(value, prototype)

    def _value(self, key: str, byte_range: ByteRequest | None) -> bytes | None:
        if byte_range is None:
            return self._read(None, Database.get, key)
        offset, length = as_range(byte_range)
        return self._read(None, Database.get_range, key, offset, length)

    async def get_partial_values(
        self,
        prototype: BufferPrototype,
        key_ranges: Iterable[tuple[str, ByteRequest | None]],
    ) -> Buffers:
        """Values or parts of them, all of one state of the file, in the order asked."""
        ranges = [(key, *as_range(byte_range)) for key, byte_range in key_ranges]
        for key, _, _ in ranges:
            require_valid(key)
        nothing: Values = [None] * len(ranges)
        values = await self._reading(nothing, Database.get_ranges, ranges)
        return [as_buffer(value, prototype) for value in values]

    async def get_ranges(
        self,
        key: str,
        byte_ranges: Sequence[ByteRequest | None],
        *,
        prototype: BufferPrototype,
        **_limits: int,
    ) -> AsyncIterator[Sequence[tuple[int, Buffer | None]]]:
        """Parts of one value, of one state of the file, as one batch of (index, part).

        Raises a BaseExceptionGroup with a FileNotFoundError if there is no key.
        """
        ranges = [(key, *as_range(byte_range)) for byte_range in byte_ranges]
        if not ranges:
            return
        nothing: Values = [None] * len(ranges)
        values = await self._reading(nothing, Database.get_ranges, ranges)
        yield as_batch(key, values, prototype)

    def get_ranges_sync(
        self,
        key: str,
        byte_ranges: Sequence[ByteRequest | None],
        *,
        prototype: BufferPrototype,
        **_limits: int,
    ) -> Sequence[tuple[int, Buffer | None]]:
        """`get_ranges`, without an event loop."""
        ranges = [(key, *as_range(byte_range)) for byte_range in byte_ranges]
        nothing: Values = [None] * len(ranges)
        values = self._patiently(lambda: self._read(nothing, Database.get_ranges, ranges))
        return as_batch(key, values, prototype)

    async def _reading(
        self,
        missing: T,
        action: Callable[Concatenate[Database, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        try:
            return self._read(missing, action, *args, **kwargs)
        except LockedError:
            return await self.off_loop(lambda: self._read(missing, action, *args, **kwargs))

    async def exists(self, key: str) -> bool:
        """Whether there is such a key; the value is not read."""
        require_valid(key)
        return await self._reading(False, Database.exists, key)

    async def getsize(self, key: str) -> int:
        """Size of a value in bytes; it is not read. Raises FileNotFoundError."""
        require_valid(key)
        size = await self._reading(None, Database.size, key)
        if size is None:
            raise FileNotFoundError(key)
        return size

    async def getsize_prefix(self, prefix: str) -> int:
        """Size in bytes of all values below a path; none is read."""
        return await self._reading(0, _total_size, as_prefix(prefix))

    # Listing

    async def is_empty(self, prefix: str) -> bool:
        """Whether there is no key below a path."""
        return not await self._reading([], _keys_from, as_prefix(prefix), None, 1)

    async def list(self) -> AsyncIterator[str]:
        """Every key."""
        async for key in self.list_prefix(""):
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Every key that begins with `prefix`, taken literally."""
        last: str | None = None
        while True:
            keys = await self._reading([], _keys_from, prefix, last, _LIST_PAGE)
            for key in keys:
                yield key
            if len(keys) < _LIST_PAGE:
                return
            last = keys[-1]

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """The names directly below a path, each once and without a slash."""
        for name in await self._reading([], _names, as_prefix(prefix)):
            yield name

    # Writing

    async def set(self, key: str, value: Buffer) -> None:
        """Store a value. Values of tasks that run together are committed together."""
        data = self._checked(key, value)
        file = self._file
        if (own := current.get()) is not None and own.file is file:
            file.write(Database.set, key, data)
            return
        await self._group.put(self, key, data)

    def set_sync(self, key: str, value: Buffer) -> None:
        """`set`, without an event loop."""
        data = self._checked(key, value)
        self._patiently(lambda: self.commit([(key, data)]))

    async def set_if_not_exists(self, key: str, value: Buffer) -> None:
        """Store a value where there is no such key, in one step."""
        data = self._checked(key, value)
        await self._writing(Database.set_if_not_exists, key, data)

    async def delete(self, key: str) -> None:
        """Delete a key; nothing happens if there is none."""
        self._check_writable()
        require_valid(key)
        await self._writing(Database.delete, key)

    def delete_sync(self, key: str) -> None:
        """`delete`, without an event loop."""
        self._check_writable()
        require_valid(key)
        self._patiently(lambda: self._write(Database.delete, key))

    async def delete_dir(self, prefix: str) -> None:
        """Delete every key below a path; of `""`, every key."""
        self._check_writable()
        await self._writing(Database.delete_prefix, as_prefix(prefix))

    async def clear(self) -> None:
        """Delete every key; records, flags and other tables stay."""
        self._check_writable()
        await self._writing(Database.clear)

    def transaction(self) -> Transaction:
        """All that is written inside becomes visible together, or nothing does.

        Use it with `with` or `async with`; calls of zarr inside belong to it, other tasks,
        threads and processes that write wait. Raises LockedError after `timeout`.
        """
        self._check_writable()
        if self._is_missing():
            self._create()
        return Transaction(self._file, timeout=self.timeout, owner=self)

    def _checked(self, key: str, value: Buffer) -> memoryview:
        self._check_writable()
        require_valid(key)
        return as_bytes(value)

    def commit(self, items: Items) -> None:
        """Store several values as one transaction. Raises LockedError at once."""
        file = self._file
        if not file.pages_decided and self.page_size == "auto":
            size = next((len(value) for key, value in items if not is_document(key)), None)
            if size is not None:
                if self._is_missing():
                    self._create()
                file.choose_page_size(_page_size_for(size))
        self._write(Database.set_many, items)

    async def _writing(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        # What was asked for before comes before.
        self._group.flush(self)
        try:
            return self._write(action, *args, **kwargs)
        except LockedError:
            return await self.off_loop(lambda: self._write(action, *args, **kwargs))


def _absolute(path: str) -> str:
    if path == ":memory:" or path.startswith("file:"):
        raise UsageError(
            f"{path}: a path is wanted, no SQLite URI and no memory database",
            hint="zarr.storage.MemoryStore keeps a hierarchy in memory",
        )
    return os.path.abspath(path)


def _checked_page_size(page_size: int | Literal["auto"]) -> int | Literal["auto"]:
    if page_size == "auto" or page_size in (1 << power for power in range(9, 17)):
        return page_size
    raise UsageError(
        f"page size {page_size!r} is none that SQLite has",
        hint="a power of two from 512 to 65536, or `auto`",
    )


def _page_size_for(first_chunk: int) -> int:
    # 100 values of 1 MiB: 342 ms at 4096, 195 at 65536; 4,000 of 8 KiB: 187 and 342.
    return 65536 if first_chunk >= 128 << 10 else _FIRST_PAGE_SIZE


def _total_size(database: Database, prefix: str) -> int:
    return sum(entry.size for entry in database.entries(prefix))


def _keys_from(database: Database, text: str, after: str | None, limit: int) -> list[str]:
    return [entry.key for entry in islice(database.entries(text, after), limit)]


def _names(database: Database, prefix: str) -> list[str]:
    return list(database.list_dir(prefix))
