"""One file as all stores of this process see it: shared connections, one writer at a time.

zarr-python makes copies of a store that it never closes, calls it from its own thread, from
worker threads and from the user's event loops. So a store holds a lease on a SharedFile
instead of a connection. A connection is used by one thread at a time: shared by four threads
one is five times slower than with one thread, and its blob handles cannot be used at all.
"""

import contextlib
import itertools
import logging
import os
import threading
import warnings
import weakref
from collections.abc import Callable
from typing import Concatenate, Final, ParamSpec, TypeVar

from zarrdb.db.database import Database
from zarrdb.db.journal import Durability, fold, set_durability, set_page_size, start_log
from zarrdb.db.paths import identity_of
from zarrdb.db.transaction import Transaction, closed, current, locked
from zarrdb.errors import (
    ContainerError,
    MissingError,
    NotAStoreError,
    ReadOnlyError,
    SourceChangedError,
    TargetExistsError,
    ZarrdbError,
)
from zarrdb.keys import is_document

P = ParamSpec("P")
T = TypeVar("T")

MAX_IDLE: Final = 100
"""Connections kept open for later, in the whole process: three descriptors each while
writing, and the usual limit is 1,024."""

_log = logging.getLogger("zarrdb")
_clock = itertools.count()
_files: dict[str, "SharedFile"] = {}
_known: weakref.WeakSet["SharedFile"] = weakref.WeakSet()
"""Those in use, and those of files that have been replaced since."""
_guard = threading.RLock()
"""Over leases and idle connections; reentrant, since a store may be collected inside."""


class Lease:
    """A store's right to use a file, given back once."""

    __slots__ = ("file", "writable")

    def __init__(self, file: "SharedFile", *, writable: bool) -> None:
        self.file = file
        self.writable: bool | None = writable

    def release(self) -> None:
        """Give the file back; the last writable lease folds the log into it."""
        writable, self.writable = self.writable, None
        if writable is not None:
            self.file.leave(writable=writable)


class SharedFile:
    """Connections of this process to one file. Made by `lease`."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.identity: tuple[int, int] | None = None
        """Device and inode of the file, once one was opened."""
        self.idle: list[Database] = []
        """Connections for the next call. Another list takes its place as soon as they are of no
        more use: one that comes back to the old list is closed."""
        self.last_use = 0
        self.pages_decided = False
        self.refused = False
        """Whether it could not be opened for writing, for what it is or who owns it."""
        # Held by whoever writes; a transaction keeps it from begin to end.
        self.writing = threading.Lock()
        self.creating = threading.Lock()
        self.transaction: Transaction | None = None
        self.written = False
        self._leases = 0
        self._writers = 0
        self._durability: Durability = "group"
        self._use_log = True
        self._log_tried = False

    # Connections

    def borrow(self) -> tuple[Database, list[Database]]:
        """A connection for one thread, and the list that `give_back` puts it back to."""
        self.last_use = next(_clock)
        idle = self.idle
        try:
            return idle.pop(), idle
        except IndexError:
            _make_room(self)
            return self._open(), idle

    def give_back(self, database: Database, idle: list[Database]) -> None:
        """Keep the connection for the next call, or close it when it is of no more use."""
        idle.append(database)
        if idle is not self.idle:
            _close(idle)

    def _open(self) -> Database:
        identity = identity_of(self.path)
        if self.identity is None:
            self.identity = identity
        elif identity != self.identity:
            # Other connections have the old file open: what is read would be of both.
            raise replaced(self.path)
        if not self._writers:
            return _open_any(self.path)
        try:
            database = Database.open(self.path, mode="rw", timeout=0, fold=False)
        except (ContainerError, ReadOnlyError):
            # A file that is still to be made is no reason for a second one here.
            self.refused = not self.is_missing()
            raise
        self.refused = False
        set_durability(database.connection, self._durability)
        return database

    def is_missing(self) -> bool:
        """Whether there is no file, or one without a byte."""
        return not (os.path.exists(self.path) and os.path.getsize(self.path))

    def create(self, page_size: int) -> None:
        """Make the file, unless another thread or process was quicker."""
        with self.creating:
            if not self.is_missing():
                return
            with contextlib.suppress(TargetExistsError):
                Database.open(self.path, mode="create", page_size=page_size).close()

    def close_idle(self) -> None:
        """Close the connections that nobody is using."""
        idle, self.idle = self.idle, []
        _close(idle)

    # Reading and writing

    def read(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a reading action; inside a transaction of the caller it sees its changes.

        Raises LockedError at once while another process is committing.
        """
        own = current.get()
        if own is not None and (own := own.of(self)) is not None:
            return own.run(action, *args, **kwargs)
        # What `borrow` and `give_back` do, without the calls: every read comes by here.
        idle = self.idle
        try:
            database = idle.pop()
        except IndexError:
            database, idle = self.borrow()
        self.last_use = next(_clock)
        try:
            return action(database, *args, **kwargs)
        finally:
            idle.append(database)
            if idle is not self.idle:
                _close(idle)

    def write(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a changing action as one transaction.

        Raises LockedError at once when another thread, transaction or process is writing.
        """
        own = current.get()
        if own is not None and (own := own.of(self)) is not None:
            return own.run(action, *args, **kwargs)
        if not self.writing.acquire(blocking=False):
            raise locked(self.path, 0)
        try:
            database, idle = self.borrow()
            try:
                self.prepare(database)
                return action(database, *args, **kwargs)
            finally:
                self.give_back(database, idle)
        finally:
            self.writing.release()

    def prepare(self, database: Database) -> None:
        """Before a change: the write-ahead log, if it can be had."""
        self.written = True
        if not self._log_tried:
            self._log_tried = True
            if self._use_log:
                start_log(database.connection)

    def choose_page_size(self, page_size: int) -> None:
        """Once, before the first chunk: rebuild a file that holds only documents.

        Raises LockedError at once when another thread or process is writing.
        """
        if not self.writing.acquire(blocking=False):
            raise locked(self.path, 0)
        try:
            database, idle = self.borrow()
            try:
                if all(is_document(entry.key) for entry in database.entries()):
                    self.close_idle()
                    set_page_size(database.connection, page_size)
                    self._log_tried = False
                self.pages_decided = True
            finally:
                self.give_back(database, idle)
        finally:
            self.writing.release()

    # Leases

    def join(self, *, writable: bool, durability: Durability, use_log: bool) -> None:
        """Count one more user."""
        first_writer = writable and not self._writers
        if first_writer:
            self._durability, self._use_log = durability, use_log
            self._log_tried = self.pages_decided = False
        self._leases += 1
        self._writers += writable
        if first_writer:
            # Those that are being opened now may only read.
            self.close_idle()

    def stay(self) -> None:
        """Count a transaction of one that writes, until it leaves. Raises ClosedError."""
        with _guard:
            if not self._writers:
                raise closed(self.path)
            self.join(writable=True, durability=self._durability, use_log=self._use_log)

    def leave(self, *, writable: bool) -> None:
        """Count one user less; without writers the file is one file again."""
        while not self._left(writable=writable):
            # Meanwhile it counts as a writer still; others may come, write and leave.
            self._fold()

    def _left(self, *, writable: bool) -> bool:
        """Count one user less, unless it is the last writer and has to fold the log first."""
        with _guard:
            last_writer = writable and self._writers == 1
            if last_writer and self.written:
                return False
            self._leases -= 1
            self._writers -= writable
            if self._leases == 0 and _files.get(self.path) is self:
                del _files[self.path]
            if self._leases == 0 or last_writer:
                self.close_idle()
            return True

    def _fold(self) -> None:
        try:
            with self.writing:
                self.written = self._log_tried = False
                database, idle = self.borrow()
                try:
                    self.close_idle()
                    database.touch()
                    fold(database.connection)
                finally:
                    self.give_back(database, idle)
        except MissingError:
            pass
        except ZarrdbError as error:
            # Nothing is lost: the next writable open, or `vacuum`, folds it.
            _log.warning("%s: the write-ahead log stays beside it: %s", self.path, error)


def _open_any(path: str) -> Database:
    """A `.zarrdb`, or a SQLite store of zarr-python 2, for reading."""
    try:
        database = Database.open(path, mode="r", timeout=0)
    except NotAStoreError as error:
        try:
            return Database.open_legacy(path, timeout=0)
        except NotAStoreError:
            raise error from None
    for problem in database.facts.problems:
        if problem.reason == "wrong-application-id":
            warnings.warn(f"{path}: {problem.message}", UserWarning, stacklevel=2)
    return database


def lease(path: str, *, writable: bool, durability: Durability, use_log: bool) -> Lease:
    """A right to use a file. The first writable lease decides about durability and log."""
    real = os.path.realpath(path)
    with _guard:
        file = _files.get(real)
        # Who opens a path means the file that is there now; and a store that may not write it,
        # and was not given up, keeps nobody from reading it.
        if file is None or file.refused or file.identity not in (None, identity_of(real)):
            file = _files[real] = SharedFile(real)
            _known.add(file)
        file.join(writable=writable, durability=durability, use_log=use_log)
        return Lease(file, writable=writable)


def replaced(path: str) -> SourceChangedError:
    """The error for a path that leads to another file than before."""
    return SourceChangedError(
        f"{path}: replaced or removed while it was open", hint="open it again"
    )


def _close(databases: list[Database]) -> None:
    """Close connections; of several threads that do each takes some."""
    with contextlib.suppress(IndexError):
        while True:
            databases.pop().close()


def _make_room(wanted: SharedFile) -> None:
    """Close the idle connections used longest ago once there are too many."""
    with _guard:
        files = [file for file in _files.values() if file.idle and file is not wanted]
        if sum(len(file.idle) for file in files) < MAX_IDLE:
            return
        files.sort(key=lambda file: file.last_use)
    for file in files[: len(files) // 2 + 1]:
        file.close_idle()


_FORK_LOOKS: Final = 0.05
"""Seconds after which a fork that waits for a write looks whether it is a transaction."""
_held_over_fork: list[threading.Lock] = []


def _before_fork() -> None:
    for file in list(_known):
        # One that is just beginning may need this thread to come to its end.
        while file.transaction is None:
            if file.writing.acquire(timeout=_FORK_LOOKS):
                _held_over_fork.append(file.writing)
                break


def _after_fork_in_parent() -> None:
    while _held_over_fork:
        _held_over_fork.pop().release()


def _after_fork_in_child() -> None:
    global _guard
    _guard = threading.RLock()
    _held_over_fork.clear()
    for file in list(_known):
        # What the parent wrote is the parent's to fold.
        file.written = False
        file.writing = threading.Lock()
        file.creating = threading.Lock()
        file.transaction = None


if hasattr(os, "register_at_fork"):
    os.register_at_fork(
        before=_before_fork,
        after_in_parent=_after_fork_in_parent,
        after_in_child=_after_fork_in_child,
    )
