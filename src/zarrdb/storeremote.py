"""The file behind a store that is read from afar: what tasks ask for together comes together."""

import asyncio
import sys
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from typing import Any, Concatenate, ParamSpec, TypeVar

from zarrdb.db import Database, actions
from zarrdb.db.transaction import closed
from zarrdb.errors import ReadOnlyError
from zarrdb.together import Batch, Together

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
        self._closed = False
        self._gets: Together[str, bytes | None] = Together()

    def close(self) -> None:
        """Give connection and reader back."""
        with self._opening:
            self._closed = True
            if self._opened is not None:
                self._opened.close()

    @property
    def _database(self) -> Database:
        with self._opening:
            if self._closed:
                raise closed(self._name)
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

    def get_sync(self, key: str) -> bytes | None:
        """A whole value."""
        return self._database.get(key)

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
        return await self._gets.ask(key, self._fetch)

    def _fetch(self, batch: Batch[str, bytes | None]) -> None:
        fetched = batch.loop.run_in_executor(
            None, lambda: [value for _, value in self._database.get_many(batch.items)]
        )

        def tell(done: "asyncio.Future[list[bytes | None]]") -> None:
            try:
                batch.tell(done.result())
            except BaseException as error:
                batch.fail(error)

        fetched.add_done_callback(tell)

    async def keys(self, text: str) -> AsyncIterator[str]:
        """Every key that begins with `text`."""
        for key in await self.read([], actions.keys, text, None, sys.maxsize):
            yield key

    def __getattr__(self, name: str) -> Any:
        raise ReadOnlyError(f"{self._name}: a URL can only be read", hint="read_only=True")
