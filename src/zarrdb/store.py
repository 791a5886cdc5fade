"""The store that zarr-python is given: a `.zarrdb` behind `zarr.abc.store.Store`.

It contains no SQL: everything goes through `zarrdb.db`.
"""

import os
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from typing import Any, Literal

from zarr.abc.store import ByteRequest, Store
from zarr.core.buffer import Buffer, BufferPrototype

from zarrdb.db import actions
from zarrdb.db.database import Values
from zarrdb.db.journal import Durability
from zarrdb.db.limits import PAGE_SIZES
from zarrdb.db.transaction import Transaction, current
from zarrdb.errors import UsageError
from zarrdb.keys import require_valid
from zarrdb.location import parse
from zarrdb.storefile import ClosedFile, LocalFile, Settings
from zarrdb.storeremote import RemoteFile
from zarrdb.zarrvalues import as_batch, as_buffer, as_bytes, as_prefix, as_range

# Inside the class `list` is the method.
Buffers = list[Buffer | None]


class SQLiteStore(Store):
    """A `.zarrdb` as a store of zarr-python: a whole hierarchy in one SQLite file.

    Parameters
    ----------
    path
        Where the file is. Nothing is opened before the first use; the first write creates it.
        A URL can be read, with `read_only=True`.
    read_only
        Never change the file. A missing file then raises FileNotFoundError at the first use.
        A SQLite store of zarr-python 2 can be read too.
    page_size
        Bytes of a page in a file that is created: a power of two from 512 to 65536. "auto"
        decides by the size of the first chunk.
    durability
        When a value that was stored reaches the disk. "chunk": at once, by an fsync for each
        commit, so that it survives a power failure. "group": after each 24 MiB and at `close`.
        "close": at `close` only. With these two it survives the end of the process, however
        that comes about. None of the three lets a power failure damage the file.
    timeout
        Seconds to wait for another writer before LockedError.
    journal_mode
        "WAL", or None: readers and a writer do not wait for one another, by means of a log
        beside the file that `close` folds into it. "DELETE": no log; network file systems
        never get one.
    storage_options
        Passed to fsspec where `path` is a URL.

    Raises
    ------
    UsageError
        For an argument that is none of the above, and for a URL that is to be written.

    Notes
    -----
    Threads, tasks and event loops may share a store; it can be pickled and survives a fork.
    All stores of a process on one file share their connections.

    Methods raise the errors of `zarrdb.errors`: InvalidKeyError for a key that the format
    forbids, ContainerError for a file that is no store or a damaged one, ReadOnlyError,
    LockedError, ClosedError. The format is SQLiteStore 1.0.
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
        storage_options: Mapping[str, Any] | None = None,
    ) -> None:
        super().__init__(read_only=read_only)
        self.page_size = _checked_page_size(page_size)
        if durability not in ("chunk", "group", "close"):
            raise UsageError(
                f"unknown durability {durability!r}", hint="it is `chunk`, `group` or `close`"
            )
        self.durability: Durability = durability
        self.timeout = timeout
        self.journal_mode = journal_mode
        self.storage_options = dict(storage_options or {})
        place = parse(path)
        self.path = place.text if place.is_url else _absolute(place.text)
        self._name = place.display if place.is_url else self.path
        if place.is_url and not read_only:
            raise UsageError(f"{self._name}: a URL can only be read", hint="read_only=True")
        self._is_remote = place.is_url
        # Typed by its local kind: the other two answer what they can, and raise otherwise.
        self._file: Any = self._new_file()

    def _new_file(self) -> LocalFile | RemoteFile:
        if self._is_remote:
            return RemoteFile(self.path, self._name, self.storage_options)
        use_log = self.journal_mode != "DELETE"
        settings = Settings(self.read_only, self.page_size, self.durability, self.timeout, use_log)
        return LocalFile(self.path, settings)

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

    @property
    def _supports_sync_io(self) -> bool:
        # zarr-python asks. The threads of its fused pipeline know no context: they would read
        # past the transaction that they work for, and wait for its end to write.
        return current.get() is None

    def __repr__(self) -> str:
        return f"SQLiteStore({self._name!r}{', read_only=True' if self.read_only else ''})"

    def __str__(self) -> str:
        return self._name if self._is_remote else f"file://{self.path}"

    def __eq__(self, other: object) -> bool:
        return (
            isinstance(other, type(self))
            and self.path == other.path
            and self.read_only == other.read_only
        )

    __hash__ = None  # type: ignore[assignment]

    def with_read_only(self, read_only: bool = False) -> "SQLiteStore":
        """A store of the same file and settings that may, or may not, write."""
        return type(self)(
            self.path,
            read_only=read_only,
            page_size=self.page_size,
            durability=self.durability,
            timeout=self.timeout,
            journal_mode=self.journal_mode,
            storage_options=self.storage_options,
        )

    def __getstate__(self) -> dict[str, Any]:
        return {key: value for key, value in vars(self).items() if key != "_file"}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _is_open=False)
        self._file = self._new_file()

    # Opening and closing

    async def _open(self) -> None:
        await super()._open()
        if isinstance(self._file, ClosedFile):
            self._file = self._new_file()
        await self._file.look()

    def close(self) -> None:
        """Give the file back; the last store that may write makes it one file again."""
        super().close()
        if not isinstance(self._file, ClosedFile):
            self._file.close()
            self._file = ClosedFile(self._name)

    # Reading

    async def get(
        self,
        key: str,
        prototype: BufferPrototype | None = None,
        byte_range: ByteRequest | None = None,
    ) -> Buffer | None:
        """The value, or the part of it that `byte_range` asks for; None if there is no key."""
        require_valid(key)
        if byte_range is None:
            return as_buffer(await self._file.get(key), prototype)
        part = await self._file.read(None, actions.get_range, key, *as_range(byte_range))
        return as_buffer(part, prototype)

    def get_sync(
        self,
        key: str,
        *,
        prototype: BufferPrototype | None = None,
        byte_range: ByteRequest | None = None,
    ) -> Buffer | None:
        """`get`, without an event loop."""
        require_valid(key)
        if byte_range is None:
            return as_buffer(self._file.get_sync(key), prototype)
        part = self._file.read_sync(None, actions.get_range, key, *as_range(byte_range))
        return as_buffer(part, prototype)

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
        values = await self._file.read(nothing, actions.get_ranges, ranges)
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
        if ranges:
            nothing: Values = [None] * len(ranges)
            values = await self._file.read(nothing, actions.get_ranges, ranges)
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
        values = self._file.read_sync(nothing, actions.get_ranges, ranges)
        return as_batch(key, values, prototype)

    async def exists(self, key: str) -> bool:
        """Whether there is such a key; the value is not read."""
        require_valid(key)
        found: bool = await self._file.read(False, actions.exists, key)
        return found

    async def getsize(self, key: str) -> int:
        """Size of a value in bytes; it is not read. Raises FileNotFoundError."""
        require_valid(key)
        size: int | None = await self._file.read(None, actions.size, key)
        if size is None:
            raise FileNotFoundError(key)
        return size

    async def getsize_prefix(self, prefix: str) -> int:
        """Size in bytes of all values below a path; none is read."""
        total: int = await self._file.read(0, actions.total_size, as_prefix(prefix))
        return total

    # Listing

    async def is_empty(self, prefix: str) -> bool:
        """Whether there is no key below a path."""
        return not await self._file.read([], actions.page, as_prefix(prefix), None, 1)

    def list(self) -> AsyncIterator[str]:
        """Every key."""
        return self.list_prefix("")

    def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Every key that begins with `prefix`, taken literally."""
        keys: AsyncIterator[str] = self._file.keys(prefix)
        return keys

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """The names directly below a path, each once and without a slash."""
        for child in await self._file.read([], actions.children, as_prefix(prefix)):
            yield child.name

    # Writing

    async def set(self, key: str, value: Buffer) -> None:
        """Store a value. Values of tasks that run together are committed together."""
        self._check_key(key)
        await self._file.put(key, as_bytes(value))

    def set_sync(self, key: str, value: Buffer) -> None:
        """`set`, without an event loop."""
        self._check_key(key)
        self._file.put_sync(key, as_bytes(value))

    async def set_if_not_exists(self, key: str, value: Buffer) -> None:
        """Store a value where there is no such key, in one step."""
        self._check_key(key)
        await self._file.write(actions.put_new, key, as_bytes(value))

    async def delete(self, key: str) -> None:
        """Delete a key; nothing happens if there is none."""
        self._check_key(key)
        await self._file.write(actions.delete, key)

    def delete_sync(self, key: str) -> None:
        """`delete`, without an event loop."""
        self._check_key(key)
        self._file.write_sync(actions.delete, key)

    async def delete_dir(self, prefix: str) -> None:
        """Delete every key below a path; of `""`, every key."""
        self._check_writable()
        await self._file.write(actions.delete_prefix, as_prefix(prefix))

    async def clear(self) -> None:
        """Delete every key; records, flags and other tables stay."""
        await self.delete_dir("")

    def transaction(self) -> Transaction:
        """All that is written inside becomes visible together, or nothing does.

        Use it with `with` or `async with`; calls of zarr inside belong to it, other tasks,
        threads and processes that write wait. Raises LockedError after `timeout`.
        """
        self._check_writable()
        transaction: Transaction = self._file.transaction()
        return transaction

    def _check_key(self, key: str) -> None:
        self._check_writable()
        require_valid(key)


def _absolute(path: str) -> str:
    if path == ":memory:" or path.startswith("file:"):
        raise UsageError(
            f"{path}: a path is wanted, no SQLite URI and no memory database",
            hint="zarr.storage.MemoryStore keeps a hierarchy in memory",
        )
    return os.path.abspath(path)


def _checked_page_size(page_size: int | Literal["auto"]) -> int | Literal["auto"]:
    if page_size == "auto" or page_size in PAGE_SIZES:
        return page_size
    raise UsageError(
        f"page size {page_size!r} is none that SQLite has",
        hint="a power of two from 512 to 65536, or `auto`",
    )
