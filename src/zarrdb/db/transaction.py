"""Writes that become visible together, for whoever runs in the context that began them."""

import contextlib
import os
import threading
import time
from collections.abc import Callable
from contextvars import ContextVar, Token
from types import TracebackType
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from zarrdb.db.database import Database
from zarrdb.errors import ClosedError, LockedError

if TYPE_CHECKING:
    from zarrdb.db.shared import SharedFile

P = ParamSpec("P")
T = TypeVar("T")


class Transaction:
    """Writes of one task or thread, and of what it calls, made visible together.

    A context manager, with `with` and with `async with`. Whoever runs in the context in
    which it was entered belongs to it (contextvars: tasks, `asyncio.to_thread`, zarr's own
    thread); other tasks and threads wait. An exception takes all changes back.
    """

    def __init__(self, file: "SharedFile", *, timeout: float, owner: object) -> None:
        self.file = file
        self._timeout = timeout
        # A store collected inside its own transaction would wait for itself.
        self._owner = owner
        self._calls = threading.RLock()
        self._stack = contextlib.ExitStack()
        self._database: Database | None = None
        self._token: Token[Transaction | None] | None = None
        self._joined = False
        self._pid = 0

    def run(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run an action inside; of several threads one at a time."""
        with self._calls:
            if self._database is None or self._pid != os.getpid():
                raise self._over()
            return action(self._database, *args, **kwargs)

    def _over(self) -> ClosedError:
        return ClosedError(
            f"{self.file.path}: the transaction is over",
            hint="a transaction ends with its block and does not survive a fork",
        )

    def begin(self, timeout: float) -> None:
        """Take the write lock, waiting for it up to `timeout` seconds. Raises LockedError."""
        deadline = time.monotonic() + timeout
        if not self.file.writing.acquire(timeout=timeout):
            raise locked(self.file.path, timeout)
        with contextlib.ExitStack() as stack:
            stack.callback(self.file.writing.release)
            database, generation = self.file.borrow()
            stack.callback(self.file.give_back, database, generation)
            self.file.prepare(database)

            def enter() -> contextlib.AbstractContextManager[None]:
                inner = database.transaction(any_thread=True)
                inner.__enter__()
                return inner

            stack.push(retrying(enter, deadline))
            self._pid = os.getpid()
            self._database = database
            self.file.transaction = self
            self._stack = stack.pop_all()

    def _join_outer(self) -> bool:
        outer = current.get()
        self._joined = outer is not None and outer.file is self.file
        return self._joined

    def __enter__(self) -> "Transaction":
        if not self._join_outer():
            self.begin(self._timeout)
            self._token = current.set(self)
        return self

    async def __aenter__(self) -> "Transaction":
        if self._join_outer():
            return self
        try:
            self.begin(0)
        except LockedError:
            # Waiting here would stop the loop in which the holder of the lock may live.
            import asyncio

            await asyncio.to_thread(self.begin, self._timeout)
        self._token = current.set(self)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._joined:
            return
        if self._token is not None:
            current.reset(self._token)
        if self._pid != os.getpid():
            raise self._over()
        with self._calls:
            self._database = None
            self.file.transaction = None
            self._stack.__exit__(kind, error, traceback)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        self.__exit__(kind, error, traceback)


current: ContextVar[Transaction | None] = ContextVar("zarrdb_transaction", default=None)
"""The transaction that the running code belongs to."""


def retrying(action: Callable[[], T], deadline: float) -> T:
    """Repeat an action that raises LockedError until the deadline (monotonic seconds)."""
    pause = 0.001
    while True:
        try:
            return action()
        except LockedError:
            left = deadline - time.monotonic()
            if left <= 0:
                raise
            time.sleep(min(pause, left))
            pause = min(2 * pause, 0.05)


def locked(path: str, timeout: float) -> LockedError:
    """The error of a writer that waited for another one in vain."""
    return LockedError(
        f"{path}: locked by another writer for {timeout:g} s",
        hint="try again, or wait longer with a larger timeout",
    )
