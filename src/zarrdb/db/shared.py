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
from zarrdb.db.transaction import Transaction, current, locked
from zarrdb.errors import (
    ContainerError,
    MissingError,
    NotAStoreError,
    ReadOnlyError,
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
        self._generation = 0
        self._durability: Durability = "group"
        self._use_log = True
        self._log_tried = False

    # Connections

    def borrow(self) -> tuple[Database, int]:
        """A connection for one thread until `give_back`, with the number to give back."""
        self.last_use = next(_clock)
        generation = self._generation
        try:
            return self.idle.pop(), generation
        except IndexError:
            _make_room(self)
            return self._open(), generation

    def give_back(self, database: Database, generation: int) -> None:
        """Keep the connection for the next call, or close it when it is of no more use."""
        if generation == self._generation:
            self.idle.append(database)
        else:
            database.close()

    def _open(self) -> Database:
        self.identity = _identity_of(self.path)
        if not self._writers:
            return _open_any(self.path)
        try:
            database = Database.open(self.path, mode="rw", timeout=0, fold=False)
        except (ContainerError, ReadOnlyError):
            self.refused = True
            raise
        self.refused = False
        set_durability(database.connection, self._durability)
        return database

    def create(self, page_size: int) -> None:
        """Make the file, unless another thread or process was quicker."""
        with self.creating:
            if os.path.exists(self.path) and os.path.getsize(self.path):
                return
            with contextlib.suppress(TargetExistsError):
                Database.open(self.path, mode="create", page_size=page_size).close()

    def close_idle(self) -> None:
        """Close the connections that nobody is using."""
        with _guard:
            idle, self.idle = self.idle, []
        for database in idle:
            database.close()

    # Reading and writing

    def read(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a reading action; inside a transaction of the caller it sees its changes.

        Raises LockedError at once while another process is committing.
        """
        own = current.get()
        if own is not None and own.file is self:
            return own.run(action, *args, **kwargs)
        # What `borrow` and `give_back` do, without the calls: every read comes by here.
        generation = self._generation
        try:
            database = self.idle.pop()
        except IndexError:
            database, generation = self.borrow()
        self.last_use = next(_clock)
        try:
            return action(database, *args, **kwargs)
        finally:
            if generation == self._generation:
                self.idle.append(database)
            else:
                database.close()

    def write(
        self, action: Callable[Concatenate[Database, P], T], *args: P.args, **kwargs: P.kwargs
    ) -> T:
        """Run a changing action as one transaction.

        Raises LockedError at once when another thread, transaction or process is writing.
        """
        own = current.get()
        if own is not None and own.file is self:
            return own.run(action, *args, **kwargs)
        if not self.writing.acquire(blocking=False):
            raise locked(self.path, 0)
        try:
            database, generation = self.borrow()
            try:
                self.prepare(database)
                return action(database, *args, **kwargs)
            finally:
                self.give_back(database, generation)
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
            database, generation = self.borrow()
            try:
                if all(is_document(entry.key) for entry in database.entries()):
                    self.close_idle()
                    set_page_size(database.connection, page_size)
                    set_durability(database.connection, self._durability)
                    self._log_tried = False
                self.pages_decided = True
            finally:
                self.give_back(database, generation)
        finally:
            self.writing.release()

    # Leases

    def join(self, *, writable: bool, durability: Durability, use_log: bool) -> None:
        """Count one more user."""
        if writable and not self._writers:
            self._generation += 1
            self.close_idle()
            self._durability, self._use_log = durability, use_log
            self._log_tried = self.pages_decided = False
        self._leases += 1
        self._writers += writable

    def leave(self, *, writable: bool) -> None:
        """Count one user less; without writers the file is one file again."""
        with _guard:
            self._leases -= 1
            last = self._leases == 0
            if last and _files.get(self.path) is self:
                del _files[self.path]
            last_writer = writable and self._writers == 1
        if last_writer and self.written:
            self._fold()
        with _guard:
            self._writers -= writable
            if last or last_writer:
                self._generation += 1
                self.close_idle()

    def _fold(self) -> None:
        try:
            with self.writing:
                self.written = False
                database, generation = self.borrow()
                try:
                    self.close_idle()
                    database.touch()
                    fold(database.connection)
                finally:
                    self.give_back(database, generation)
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
        if file is None or file.refused or file.identity not in (None, _identity_of(real)):
            file = _files[real] = SharedFile(real)
            _known.add(file)
        file.join(writable=writable, durability=durability, use_log=use_log)
        return Lease(file, writable=writable)


def _identity_of(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino


def _make_room(wanted: SharedFile) -> None:
    """Close the idle connections used longest ago once there are too many."""
    with _guard:
        files = [file for file in _files.values() if file.idle and file is not wanted]
        if sum(len(file.idle) for file in files) < MAX_IDLE:
            return
        files.sort(key=lambda file: file.last_use)
    for file in files[: len(files) // 2 + 1]:
        file.close_idle()


_held_over_fork: list[threading.Lock] = []


def _before_fork() -> None:
    for file in list(_known):
        if file.transaction is None:
            file.writing.acquire()
            _held_over_fork.append(file.writing)


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
