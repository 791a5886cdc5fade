"""Writes that become visible together, for whoever runs in the context that began them."""

import contextlib
import os
import threading
import time
from collections.abc import Callable, Iterator
from contextvars import ContextVar, Token
from itertools import count
from types import TracebackType
from typing import TYPE_CHECKING, Concatenate, ParamSpec, TypeVar

from zarrdb.db import actions
from zarrdb.db.database import Database
from zarrdb.db.ways import pause
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

    def __init__(self, file: "SharedFile", *, timeout: float) -> None:
        self.file = file
        self._timeout = timeout
        self._calls = threading.RLock()
        self._stack = contextlib.ExitStack()
        self._database: Database | None = None
        self._token: Token[Transaction | None] | None = None
        self._joined = False
        self._outer: Transaction | None = None
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
        with contextlib.ExitStack() as stack:
            # A store may be closed, or collected, inside its own transaction.
            self.file.stay()
            stack.callback(self.file.leave, writable=True)
            if not self.file.writing.acquire(timeout=timeout):
                raise locked(self.file.path, self._timeout)
            stack.callback(self.file.writing.release)
            database, idle = self.file.borrow()
            stack.callback(self.file.give_back, database, idle)
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

    def of(self, file: "SharedFile") -> "Transaction | None":
        """This one, or the one around it that is of a file; one may be open for each of several."""
        found: Transaction | None = self
        while found is not None and found.file is not file:
            found = found._outer
        return found

    def _join_outer(self) -> bool:
        self._outer = current.get()
        self._joined = self._outer is not None and self._outer.of(self.file) is not None
        return self._joined

    def __enter__(self) -> "Transaction":
        if not self._join_outer():
            self.begin(self._timeout)
            self._token = current.set(self)
        return self

    async def __aenter__(self) -> "Transaction":
        if self._join_outer():
            return self
        await retrying_beside(lambda: self.begin(0), self._timeout)
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
        if error is None:
            try:
                retrying(self._make_way, time.monotonic() + self._timeout)
            except BaseException as failure:
                self._end(failure)
                raise
        self._end(error)

    async def __aexit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        if self._joined:
            return
        if error is None:
            try:
                await retrying_beside(self._make_way, self._timeout)
            except BaseException as failure:
                self._end(failure)
                raise
        self._end(error)

    def _make_way(self) -> None:
        # A commit that others hold up by reading would be taken back.
        self.run(actions.make_way)

    def _end(self, error: BaseException | None) -> None:
        """Commit, or take everything back because of an error."""
        if self._token is not None:
            current.reset(self._token)
        if self._pid != os.getpid():
            self.file.leave(writable=True)
            raise self._over()
        with self._calls:
            self._database = None
            self.file.transaction = None
            self._stack.__exit__(type(error) if error is not None else None, error, None)


current: ContextVar[Transaction | None] = ContextVar("zarrdb_transaction", default=None)
"""The transaction that the running code belongs to, the innermost one."""


def retrying(action: Callable[[], T], deadline: float) -> T:
    """Repeat an action that raises LockedError until the deadline (monotonic seconds)."""
    pauses = _pauses(deadline)
    while True:
        try:
            return action()
        except LockedError:
            seconds = next(pauses, None)
            if seconds is None:
                raise
            time.sleep(seconds)


async def retrying_beside(action: Callable[[], T], timeout: float) -> T:
    """The same while the event loop goes on, in which the holder of the lock may live.

    No thread waits: those that there are may be what the holder waits for.
    """
    import asyncio

    pauses = _pauses(time.monotonic() + timeout)
    while True:
        try:
            return action()
        except LockedError:
            seconds = next(pauses, None)
            if seconds is None:
                raise
            await asyncio.sleep(seconds)


def _pauses(deadline: float) -> Iterator[float]:
    """Seconds to wait after each try, as long as the deadline is not over."""
    for attempt in count():
        left = deadline - time.monotonic()
        if left <= 0:
            return
        yield min(left, pause(attempt))


def locked(path: str, timeout: float) -> LockedError:
    """The error of a writer that waited for another one in vain."""
    waited = f" for {timeout:g} s" if timeout else ""
    return LockedError(
        f"{path}: locked by another writer{waited}",
        hint="try again, or wait longer with a larger timeout",
    )


def closed(path: str) -> ClosedError:
    """The error for a store that is used after its end."""
    return ClosedError(f"{path}: the store is closed", hint="make a new one")
