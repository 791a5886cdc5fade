"""The file behind a store: opened at first use, waited for where others hold it.

SQLite runs on the caller's thread (a read takes 2 µs there, 270 through `asyncio.to_thread`).
Whoever waits for somebody else's lock lets the event loop go on, since the holder may live in it.
"""

import os
import time
import weakref
from collections.abc import AsyncIterator, Callable, Sequence
from typing import Any, Concatenate, Final, Literal, NamedTuple, ParamSpec, TypeVar

from zarrdb.db import Database, actions
from zarrdb.db.journal import Durability
from zarrdb.db.shared import SharedFile, lease
from zarrdb.db.transaction import Transaction, closed, current, retrying, retrying_beside
from zarrdb.errors import (
    ContainerError,
    LockedError,
    MissingError,
    NotAStoreError,
    ReadOnlyError,
    ZarrdbError,
)
from zarrdb.keys import is_document
from zarrdb.together import Batch, Together

Item = tuple[str, memoryview]

P = ParamSpec("P")
T = TypeVar("T")

_FIRST_PAGE_SIZE: Final = 4096
_LARGE_PAGE_SIZE: Final = 65536
_LARGE_CHUNK: Final = 128 << 10
"""Chunks for which large pages are better: 100 values of 1 MiB take 342 ms to write with
pages of 4 KiB and 195 with 64 KiB; 4,000 of 8 KiB take 187 and 342."""
LIST_PAGE: Final = 10_000
"""Keys of a listing read at once: nothing is held between two pages."""


class Settings(NamedTuple):
    """How a store uses its file; see `SQLiteStore`."""

    read_only: bool
    page_size: int | Literal["auto"]
    durability: Durability
    timeout: float
    use_log: bool


class LocalFile:
    """A local file, of which a missing one that may be written is as good as empty."""

    def __init__(self, path: str, settings: Settings) -> None:
        self.path = path
        self._settings = settings
        self._shared: SharedFile | None = None
        self._leases: dict[SharedFile, weakref.finalize[..., Any]] = {}
        self._closed = False
        self._gets: Together[str, bytes | None] = Together()
        self._puts: Together[Item, None] = Together()

    def close(self) -> None:
        """Give the file back; the last one that may write folds the log into it."""
        self._closed = True
        self._give_up()

    def _give_up(self) -> None:
        self._shared = None
        while self._leases:
            _, release = self._leases.popitem()
            release()

    @property
    def _file(self) -> SharedFile:
        return self._shared or self._lease()

    def _lease(self) -> SharedFile:
        if self._closed:
            raise closed(self.path)
        leased = lease(
            self.path,
            writable=not self._settings.read_only,
            durability=self._settings.durability,
            use_log=self._settings.use_log,
        )
        release = weakref.finalize(self, leased.release)
        # Of several threads that come at the same time one is enough.
        if self._leases.setdefault(leased.file, release) is not release:
            release()
        self._shared = leased.file
        return leased.file

    # Reading

    def read_now(
        self,
        missing: T,
        action: Callable[Concatenate[Database, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Read on this thread. Raises LockedError at once."""
        try:
            return self._file.read(action, *args, **kwargs)
        except (ContainerError, ReadOnlyError):
            if self._settings.read_only:
                if self._shared is None or not self._shared.refused:
                    raise
                # Another store of this process may not write the file: not our concern.
                self._give_up()
                return self._file.read(action, *args, **kwargs)
            if not self._file.is_missing():
                raise
            return missing

    def read_sync(
        self,
        missing: T,
        action: Callable[Concatenate[Database, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Read, waiting on this thread. Raises LockedError after the timeout."""
        try:
            return self.read_now(missing, action, *args, **kwargs)
        except LockedError:
            return self._retrying(lambda: self.read_now(missing, action, *args, **kwargs))

    async def read(
        self,
        missing: T,
        action: Callable[Concatenate[Database, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Read, waiting beside the loop. Raises LockedError after the timeout."""
        try:
            return self.read_now(missing, action, *args, **kwargs)
        except LockedError:
            return await self._waiting(lambda: self.read_now(missing, action, *args, **kwargs))

    async def look(self) -> None:
        """Raise what stands in the way of a file that is there."""
        if os.path.lexists(self.path):
            await self.read(False, actions.exists, "")

    async def get(self, key: str) -> bytes | None:
        """A whole value, read with those that other tasks ask for at the same time."""
        if not self._in_transaction():
            try:
                return await self._gets.ask(key, self._read_batch)
            except ZarrdbError:
                # By itself: perhaps it was another key's fault, or somebody has to be waited for.
                pass
        return await self.read(None, actions.get, key)

    def get_sync(self, key: str) -> bytes | None:
        """A whole value; without the calls of `read_sync`, since chunks come by here."""
        try:
            return (self._shared or self._file).read(actions.get, key)
        except (LockedError, ContainerError, ReadOnlyError):
            return self.read_sync(None, actions.get, key)

    def _read_batch(self, batch: Batch[str, bytes | None]) -> None:
        """Read the first values, until they are enough bytes, and the others after a turn."""
        try:
            batch.tell(self._file.read(actions.get_some, batch.items))
        except BaseException as error:
            batch.fail(error)
        else:
            if batch.items:
                batch.loop.call_soon(self._read_batch, batch)

    async def keys(self, text: str) -> AsyncIterator[str]:
        """Every key that begins with `text`, in pages."""
        last: str | None = None
        while page := await self.read([], actions.keys, text, last, LIST_PAGE):
            for key in page:
                yield key
            if len(page) < LIST_PAGE:
                return
            last = page[-1]

    # Writing

    def write_now(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Write on this thread; creates the file. Raises LockedError at once."""
        try:
            return self._file.write(action, *args, **kwargs)
        except (MissingError, NotAStoreError):
            if not self._file.is_missing():
                raise
            self._create()
            return self._file.write(action, *args, **kwargs)

    def write_sync(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Write, waiting on this thread. Raises LockedError after the timeout."""
        try:
            return self.write_now(action, *args, **kwargs)
        except LockedError:
            return self._retrying(lambda: self.write_now(action, *args, **kwargs))

    async def write(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Write, waiting beside the loop. Raises LockedError after the timeout."""
        if not self._in_transaction():
            # What was asked for before comes before; in a transaction it would belong to it.
            self._puts.flush()
        try:
            return self.write_now(action, *args, **kwargs)
        except LockedError:
            return await self._waiting(lambda: self.write_now(action, *args, **kwargs))

    async def put(self, key: str, value: memoryview) -> None:
        """Store a value, together with those of other tasks, unless a transaction is open."""
        if self._in_transaction():
            self.write_now(actions.put_many, [(key, value)])
        else:
            await self._puts.ask((key, value), self._commit_batch)

    def _commit_batch(self, batch: Batch[Item, None]) -> None:
        """Commit at once; nobody is told before that is done."""
        try:
            self._commit_wanted(batch)
        except LockedError:
            batch.loop.create_task(self._commit_later(batch))

    async def _commit_later(self, batch: Batch[Item, None]) -> None:
        try:
            await self._waiting(lambda: self._commit_wanted(batch))
        except BaseException as error:
            batch.fail(error)

    def _commit_wanted(self, batch: Batch[Item, None]) -> None:
        # Whoever was cancelled may have used the memory of the value for something else since.
        self.commit(batch.wanted())
        batch.tell([None] * len(batch.items))

    def put_sync(self, key: str, value: memoryview) -> None:
        """Store a value, waiting on this thread."""
        try:
            self.commit([(key, value)])
        except LockedError:
            self._retrying(lambda: self.commit([(key, value)]))

    def commit(self, items: Sequence[Item]) -> None:
        """Store several values as one transaction. Raises LockedError at once."""
        file = self._file
        if not file.pages_decided and not self._in_transaction():
            self._decide_pages(file, items)
        if len(items) == 1:
            self.write_now(actions.put, *items[0])
        elif items:
            self.write_now(actions.put_many, items)

    def _in_transaction(self) -> bool:
        own = current.get()
        return own is not None and own.of(self._file) is not None

    def _decide_pages(self, file: SharedFile, items: Sequence[Item]) -> None:
        size = next((len(value) for key, value in items if not is_document(key)), None)
        if self._settings.page_size == "auto" and size is not None:
            self.require()
            file.choose_page_size(_LARGE_PAGE_SIZE if size >= _LARGE_CHUNK else _FIRST_PAGE_SIZE)

    def transaction(self) -> Transaction:
        """A transaction on the file, not yet begun; creates the file."""
        self.require()
        return Transaction(self._file, timeout=self._settings.timeout)

    def require(self) -> None:
        """Create the file if there is none."""
        if self._file.is_missing():
            self._create()

    def _create(self) -> None:
        page_size = self._settings.page_size
        self._file.create(_FIRST_PAGE_SIZE if page_size == "auto" else page_size)

    # Waiting

    def _retrying(self, action: Callable[[], T]) -> T:
        return retrying(action, time.monotonic() + self._settings.timeout)

    async def _waiting(self, action: Callable[[], T]) -> T:
        return await retrying_beside(action, self._settings.timeout)


class ClosedFile:
    """What a closed store has in place of a file."""

    def __init__(self, path: str) -> None:
        self.path = path

    def __getattr__(self, name: str) -> Any:
        raise closed(self.path)
