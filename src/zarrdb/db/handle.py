"""One connection to one file, whoever uses it.

It is used by one thread at a time, waits for locks in Python (so that Ctrl-C ends the wait),
and survives a fork: the child leaves the inherited one alone and opens its own.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from threading import RLock, get_ident
from typing import Concatenate, Final, ParamSpec, TypeVar

import apsw

from zarrdb.db import sql, ways
from zarrdb.db.connect import keep_alive, no_fork, register
from zarrdb.db.failures import translate
from zarrdb.db.paths import identity_of
from zarrdb.db.writes import touch
from zarrdb.errors import (
    ClosedError,
    InvalidKeyError,
    LockedError,
    ReadOnlyError,
    SourceChangedError,
    TargetError,
    ZarrdbError,
)
from zarrdb.keys import printable

P = ParamSpec("P")
T = TypeVar("T")

_RETRIES: Final = 20
"""Of a read without locks that found the file changed: somebody is busy writing it."""

_TOUCH_SECONDS: Final = 1.0
"""`modified_at` is written at most this often, and at close."""


class Handle:
    """One connection to one file; any thread may use it, one after the other.

    `opener` connects again after a fork, or when a reader without locks saw a change;
    `identity` is the device and inode that the path has to lead to, where it is local.
    """

    def __init__(
        self,
        reader: ways.Reader,
        opener: Callable[[], ways.Reader],
        *,
        path: str,
        name: str,
        identity: tuple[int, int] | None,
        timeout: float,
        writable: bool,
    ) -> None:
        self.path = path
        self.name = name
        self.writable = writable
        self.closed = False
        self.lock = RLock()
        """Held during a call."""
        self._opener = opener
        self._identity = identity
        self._timeout = timeout
        self._reader: ways.Reader | None = reader
        # Of the transaction or snapshot that is open: how often entered, and by which thread.
        self._depth = 0
        self._owner: int | None = None
        self._lost = False
        self._changes = 0
        self._touched = -_TOUCH_SECONDS
        self._stale = False
        register(self)

    @property
    def connection(self) -> apsw.Connection:
        """The connection itself, for what is no reading or writing of values."""
        return self._current().connection

    def read(
        self, operation: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **kw: P.kwargs
    ) -> T:
        """Run an operation that only reads; it may run again where the file is not locked.

        Raises LockedError, CorruptError, SourceChangedError, ClosedError.
        """
        with self.lock:
            if self._depth or self._lost:
                self._wait_for_turn()
            for _ in range(_RETRIES):
                reader = self._reader or self._current()
                try:
                    result = operation(reader.connection, *args, **kw)
                except (apsw.Error, UnicodeEncodeError) as error:
                    if reader.is_current():
                        raise self._failure(error) from error
                else:
                    if reader.witness is None or reader.is_current():
                        return result
                if self._depth:
                    break
                self._disconnect()
        raise self._changed()

    def read_once(
        self, operation: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **kw: P.kwargs
    ) -> T:
        """Run one of several reads that belong together. Raises SourceChangedError."""
        with self.lock:
            if self._depth or self._lost:
                self._wait_for_turn()
            reader = self._current()
            try:
                result = operation(reader.connection, *args, **kw)
            except apsw.Error as error:
                if isinstance(error, apsw.AbortError) or not reader.is_current():
                    raise self._changed() from error
                raise self._failure(error) from error
            if not reader.is_current():
                raise self._changed()
            return result

    def let_go(self, close: Callable[[], None]) -> None:
        """Close what an earlier read left open."""
        with self.lock, suppress(apsw.Error):
            close()

    def write(
        self, operation: Callable[Concatenate[apsw.Connection, P], T], *args: P.args, **kw: P.kwargs
    ) -> T:
        """Run an operation that changes the file, by itself or with what is open.

        Raises ReadOnlyError, LockedError, NoSpaceError, CorruptError, ClosedError.
        """
        with self.lock:
            if self._depth or self._lost:
                self._wait_for_turn()
            self.require_writable()
            connection = self._current().connection
            self._require_alive(connection)
            try:
                if self._depth or time.monotonic() - self._touched < _TOUCH_SECONDS:
                    self._stale = True
                    return operation(connection, *args, **kw)
                self._begin(sql.BEGIN_WRITING, get_ident())
                try:
                    result = operation(connection, *args, **kw)
                except BaseException:
                    self._end(keep=False)
                    raise
                self._end(keep=True)
            except (apsw.Error, UnicodeEncodeError) as error:
                raise self._failure(error) from error
            return result

    def require_writable(self) -> None:
        """Raise ReadOnlyError unless the file may be written and is still in its place."""
        if self.closed:
            raise self._is_closed()
        if not self.writable:
            raise ReadOnlyError(
                f"{self.name}: opened for reading only", hint='open it with mode="rw"'
            )
        if not self._depth and self._identity != identity_of(self.path):
            raise ReadOnlyError(
                f"{self.name}: replaced or removed while it was open; nothing was written",
                hint="open it again",
            )

    @contextmanager
    def exclusive(self, begin: str, *, any_thread: bool = False) -> Iterator[None]:
        """Keep the connection for this thread, from `begin` (a statement) to the commit.

        Entered again inside, it can be taken back by itself. With `any_thread` the calls of
        all threads belong to it. Raises LockedError.
        """
        self._call(self._begin, begin, None if any_thread else get_ident())
        try:
            yield
        except BaseException:
            if not self._forget_lost() and not self.closed:
                self._call(self._end, keep=False)
            raise
        if self._forget_lost():
            raise self._over()
        self._call(self._end, keep=True)

    def _call(self, step: Callable[P, None], *args: P.args, **kw: P.kwargs) -> None:
        with self.lock:
            if self._depth or self._lost:
                self._wait_for_turn()
            try:
                step(*args, **kw)
            except apsw.Error as error:
                raise self._failure(error) from error

    def _begin(self, statement: str, owner: int | None) -> None:
        connection = self._current().connection
        if self._depth:
            connection.execute(sql.SAVEPOINT)
        else:
            connection.execute(statement)
            self._owner, self._changes = owner, connection.total_changes()
        self._depth += 1

    def _end(self, *, keep: bool) -> None:
        connection = self._current().connection
        if keep:
            self._require_alive(connection)
        self._depth -= 1
        if self._depth:
            if not keep:
                connection.execute(sql.ROLLBACK_TO_SAVEPOINT)
            connection.execute(sql.RELEASE_SAVEPOINT)
            return
        try:
            if keep:
                if connection.total_changes() != self._changes:
                    self.touch(connection)
                if connection.in_transaction:
                    connection.execute(sql.COMMIT)
        finally:
            # Some failures, like a full disk, have taken everything back already.
            if connection.in_transaction:
                connection.execute(sql.ROLLBACK)

    def _require_alive(self, connection: apsw.Connection) -> None:
        """Raise TargetError if SQLite took the open transaction back when something failed."""
        if self._depth and self.writable and not connection.in_transaction:
            raise TargetError(
                f"{self.name}: the transaction was taken back when a change in it failed",
                hint="begin another one",
            )

    def touch(self, connection: apsw.Connection) -> None:
        """Bring `modified_at` up to date, as an operation for `write`."""
        touch(connection)
        self._touched, self._stale = time.monotonic(), False

    def close(self, finish: Callable[[apsw.Connection], object] | None = None) -> None:
        """Close the connection, after `finish` where it could write; once."""
        with self.lock:
            if self._reader is not None and self.writable and not self.closed:
                with suppress(apsw.Error, ZarrdbError, OSError):
                    self._finish(self._reader.connection, finish)
            self._disconnect()
            self.closed = True

    def _finish(
        self, connection: apsw.Connection, finish: Callable[[apsw.Connection], object] | None
    ) -> None:
        if connection.in_transaction:
            connection.execute(sql.ROLLBACK)
        self._depth = 0
        if self._stale:
            self.require_writable()
            self.touch(connection)
        if finish is not None:
            # Others may go on reading for hours.
            connection.set_busy_timeout(0)
            finish(connection)

    # Who is using it

    def _wait_for_turn(self) -> None:
        """Wait until no other thread is inside a transaction; the lock is held before and after."""
        deadline = time.monotonic() + self._timeout
        attempt = 0
        while self._depth and self._owner not in (None, get_ident()):
            left = deadline - time.monotonic()
            if left <= 0:
                raise LockedError(
                    f"{self.name}: locked by another thread for {self._timeout:g} s",
                    hint="try again when its transaction is over",
                )
            self.lock.release()
            try:
                time.sleep(min(left, ways.pause(attempt)))
            finally:
                self.lock.acquire()
            attempt += 1
        if self._lost:
            raise self._over()

    def _current(self) -> ways.Reader:
        if self._reader is None:
            if self.closed:
                raise self._is_closed()
            with no_fork():
                try:
                    self._reader = self._opener()
                except apsw.Error as error:
                    raise self._failure(error) from error
        return self._reader

    def _disconnect(self) -> None:
        if self._reader is not None:
            with no_fork():
                self._reader.connection.close(True)
                self._reader = None

    # What went wrong

    def _failure(self, error: apsw.Error | UnicodeEncodeError) -> ZarrdbError:
        if isinstance(error, UnicodeEncodeError):
            return InvalidKeyError(f"invalid key {printable(error.object)}: it is not Unicode text")
        number = self._reader.connection.system_errno if self._reader is not None else 0
        return translate(error, self.name, timeout=self._timeout, number=number, path=self.path)

    def _is_closed(self) -> ClosedError:
        return ClosedError(f"{self.name}: the store is closed")

    def _changed(self) -> SourceChangedError:
        return SourceChangedError(f"{self.name}: changed while it was read", hint="try again")

    def _over(self) -> ClosedError:
        return ClosedError(
            f"{self.name}: the transaction is over: it does not survive a fork",
            hint="end its block first",
        )

    # Forks

    def _forget_lost(self) -> bool:
        """Whether the transaction that ends here was lost in a fork; ends it if so."""
        lost, self._lost = self._lost, False
        return lost

    def forget_inherited(self) -> None:
        """In the child of a fork: leave the parent's connection alone for ever."""
        if self._reader is not None:
            keep_alive(self._reader.connection)
            self._reader = None
        self._lost = self._depth > 0 and self._owner in (None, get_ident())
        self._depth = 0
        self._stale = False
        self.lock = RLock()
