"""The file behind a store that is read from afar: what tasks ask for together comes together."""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

from zarrdb.db import Database, actions
from zarrdb.errors import ReadOnlyError

P = ParamSpec("P")
T = TypeVar("T")


class RemoteFile:
    """A URL of a `.zarrdb`, opened at first use. For reading only; safe in any thread."""

    def __init__(self, url: str, name: str, storage_options: Mapping[str, Any]) -> None:
        self.path = url
        self._name = name
        self._storage_options = storage_options
        self._opening = threading.Lock()
        self._opened: Database | None = None
        # Of each loop the keys that its tasks are waiting for.
        self._batches: dict[asyncio.AbstractEventLoop, _Batch] = {}

    def close(self) -> None:
        """Give connection and reader back."""
        if self._opened is not None:
            self._opened.close()

    @property
    def _database(self) -> Database:
        with self._opening:
            if self._opened is None:
                from zarrdb.db.remote import open_remote
                from zarrdb.transport.opening import open_reader

                reader = open_reader(self.path, storage_options=self._storage_options)
                self._opened = open_remote(reader)
            return self._opened

    def read_sync(
        self,
        _missing: T,
        action: Callable[Concatenate[Database, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Read on this thread. Raises RangeError."""
        return action(self._database, *args, **kwargs)

    async def read(
        self,
        missing: T,
        action: Callable[Concatenate[Database, P], T],
        *args: P.args,
        **kwargs: P.kwargs,
    ) -> T:
        """Read off the loop. Raises RangeError."""
        return await asyncio.to_thread(lambda: self.read_sync(missing, action, *args, **kwargs))

    async def look(self) -> None:
        """Raise what stands in the way of the file."""
        await asyncio.to_thread(lambda: self._database)

    async def get(self, key: str) -> bytes | None:
        """A whole value, fetched with those that other tasks ask for at the same time."""
        loop = asyncio.get_running_loop()
        batch = self._batches.get(loop)
        if batch is None:
            batch = self._batches[loop] = _Batch([], [])
            loop.call_soon(self._fetch, loop)
        waiter: asyncio.Future[bytes | None] = loop.create_future()
        batch.keys.append(key)
        batch.waiters.append(waiter)
        return await waiter

    def _fetch(self, loop: asyncio.AbstractEventLoop) -> None:
        keys, waiters = self._batches.pop(loop)
        values = loop.run_in_executor(None, lambda: list(self._database.get_many(keys)))

        def tell(done: "asyncio.Future[list[tuple[str, bytes | None]]]") -> None:
            error = done.exception()
            for place, waiter in enumerate(waiters):
                if waiter.done():
                    continue
                if error is not None:
                    waiter.set_exception(error)
                else:
                    waiter.set_result(done.result()[place][1])

        values.add_done_callback(tell)

    async def keys(self, text: str) -> AsyncIterator[str]:
        """Every key that begins with `text`."""
        for key in await self.read([], actions.keys, text, None, sys.maxsize):
            yield key

    def __getattr__(self, name: str) -> Any:
        raise ReadOnlyError(f"{self._name}: a URL can only be read", hint="read_only=True")


class _Batch(NamedTuple):
    keys: list[str]
    waiters: "list[asyncio.Future[bytes | None]]"
