"""The ways of opening a file for reading that leave no trace of it.

SQLite's plain read-only mode makes a `-wal` and a `-shm` beside a file in WAL mode, and
fails where it cannot. Which way is right depends on what lies beside the file.
"""

import os
import stat
import time
from typing import Final, NamedTuple

import apsw

from zarrdb.db import sql
from zarrdb.db.failures import SETTLE_HINT, cannot_open
from zarrdb.db.filebytes import FileBytes
from zarrdb.db.header import SIZE, Header, parse
from zarrdb.db.paths import LOCKLESS_VFS, file_uri, sqlite_path
from zarrdb.db.sidecars import Sidecar, examine
from zarrdb.errors import JournalError, NotAStoreError, ReadOnlyError, SourceError
from zarrdb.keys import printable

_READ: Final = apsw.SQLITE_OPEN_READONLY
_WRITE: Final = apsw.SQLITE_OPEN_READWRITE
_CREATE: Final = _WRITE | apsw.SQLITE_OPEN_CREATE

_REFUSED: Final = (apsw.ReadOnlyError, apsw.CantOpenError, apsw.IOError, apsw.ProtocolError)

_PAUSES: Final = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05)
"""Seconds between two tries for a lock; the last one repeats."""

_LOOKS: Final = 5
"""At a file that somebody writes: what is seen of it has to be of one moment."""

Witness = tuple[tuple[int, ...] | None, ...]


class FileState(NamedTuple):
    """What a file and its sidecars look like, before SQLite is asked."""

    size: int
    start: bytes
    """The first 100 bytes."""
    header: Header | None
    sidecars: tuple[Sidecar, ...]
    identity: tuple[int, int]
    """Device and inode."""
    path: str = ""
    """Absolute and without symbolic links: the sidecars lie beside the file itself."""
    name: str = ""
    """What to call it in messages: the path as it was given, printable."""
    witness: Witness = ()
    """What it was when this look at it began."""

    def sidecar(self, suffix: str) -> Sidecar | None:
        """The sidecar with that suffix, if it exists."""
        return next((s for s in self.sidecars if s.suffix == suffix), None)


class Reader:
    """A connection that reads, and how to tell that what it read was not changing.

    Ways that take no locks carry a witness: sizes, times and identities of the file and its
    sidecars, the same before and after a read that counts.
    """

    __slots__ = ("_path", "connection", "witness")

    def __init__(
        self, connection: apsw.Connection, path: str, witness: Witness | None = None
    ) -> None:
        self.connection = connection
        self._path = path
        self.witness = witness

    def is_current(self) -> bool:
        """Whether nobody changed the file since this was opened."""
        return self.witness is None or self.witness == witness(self._path)


class _Patience:
    """How long a connection waits for a lock. SQLite's own wait would not hear Ctrl-C."""

    __slots__ = ("_deadline", "_timeout")

    def __init__(self, timeout: float) -> None:
        self._timeout = timeout
        self._deadline = 0.0

    def __call__(self, tries: int) -> bool:
        now = time.monotonic()
        if tries == 0:
            self._deadline = now + self._timeout
        if now >= self._deadline:
            return False
        time.sleep(min(self._deadline - now, pause(tries)))
        return True


def pause(attempt: int) -> float:
    """Seconds to wait after so many tries for a lock."""
    return _PAUSES[min(attempt, len(_PAUSES) - 1)]


def require_file(path: str) -> os.stat_result:
    """The status of a regular file. Raises MissingError, SourceError, NotAStoreError."""
    name = printable(path)
    try:
        status = os.stat(path)
    except (OSError, ValueError) as error:
        raise cannot_open(path, name) from error
    sqlite_path(path, name)
    if stat.S_ISDIR(status.st_mode):
        raise NotAStoreError(
            f"{name}: is a directory", hint="`zarrdb import` turns a directory store into one file"
        )
    if not stat.S_ISREG(status.st_mode):
        # Opening a FIFO would wait for a writer for ever.
        raise NotAStoreError(f"{name}: is not a regular file")
    return status


def look(path: str) -> FileState:
    """Look at a file and its sidecars. Raises MissingError, SourceError, NotAStoreError."""
    require_file(path)
    real = os.path.realpath(path)
    for attempt in range(_LOOKS):
        before = witness(real)
        try:
            state = _look_once(path, real, before)
        except SourceError:
            # A sidecar that comes and goes.
            if attempt == _LOOKS - 1 or witness(real) == before:
                raise
        else:
            # What looks like left behind may be of somebody who is at work.
            alone = not unsettled(state) or witness(real) == before
            if alone and require_file(path).st_size == state.size:
                break
        time.sleep(pause(attempt))
    return state


def _look_once(path: str, real: str, before: Witness) -> FileState:
    status = require_file(path)
    with FileBytes(path) as file:
        start = file.read(0, SIZE)
        header = parse(start)
        sidecars: tuple[Sidecar, ...] = ()
        if header is not None:
            sidecars = examine(real, header, being_written=file.being_written)
    identity = (status.st_dev, status.st_ino)
    return FileState(
        status.st_size, start, header, sidecars, identity, real, printable(path), before
    )


def unsettled(state: FileState) -> bool:
    """Whether the file must not be read as it lies there."""
    return any(sidecar.state in ("hot", "foreign") for sidecar in state.sidecars)


def witness(path: str) -> Witness:
    """Identity, size and time of a file and of each sidecar that exists."""
    return tuple(_trace(path + suffix) for suffix in ("", "-wal", "-shm", "-journal"))


def _trace(path: str) -> tuple[int, ...] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    # No time of the inode's own change: SQLite sets the mode of a -wal that it only reads.
    return (status.st_ino, status.st_size, status.st_mtime_ns)


def open_reader(state: FileState, *, timeout: float) -> Reader:
    """A connection that reads the file in the way that fits its state.

    It waits up to `timeout` seconds for a lock. Raises JournalError where no way is right,
    and apsw.Error.
    """
    if unsettled(state):
        raise JournalError(
            f"{state.name}: a journal or log beside it has to be settled first", hint=SETTLE_HINT
        )
    if not needs_no_locks(state):
        try:
            return _tried(Reader(_connect(state.path, _READ, timeout), state.path))
        except _REFUSED:
            # Where locks do not work, a journal may be that of a transaction in progress.
            if state.sidecar("-journal") is not None:
                raise
    connection = _connect_without_locks(state, timeout)
    return _tried(Reader(connection, state.path, state.witness))


def open_writer(path: str, *, timeout: float, name: str = "", create: bool = False) -> Reader:
    """A connection that may write; `create` makes the file if there is none.

    `name` is what to call it in messages. Raises ReadOnlyError and apsw.Error.
    """
    reader = Reader(_connect(path, _CREATE if create else _WRITE, timeout), path)
    if reader.connection.readonly("main"):
        reader.connection.close()
        raise ReadOnlyError(
            f"{name or printable(path)}: cannot be written",
            hint="check the permissions of the file",
        )
    return reader if create else _tried(reader)


def needs_no_locks(state: FileState) -> bool:
    """Whether reading with locks would leave something behind or fail."""
    wal, journal = state.sidecar("-wal"), state.sidecar("-journal")
    if wal is not None and state.sidecar("-shm") is not None:
        return False
    in_wal_mode = state.header is not None and state.header.wal
    return in_wal_mode or wal is not None or (journal is not None and journal.state == "invalid")


def _tried(reader: Reader) -> Reader:
    """The reader, after a first read that shows whether this way works."""
    try:
        reader.connection.execute(sql.FIRST_READ).fetchall()
    except BaseException:
        reader.connection.close()
        raise
    return reader


def _connect(path: str, flags: int, timeout: float, *, vfs: str | None = None) -> apsw.Connection:
    connection = apsw.Connection(sqlite_path(path, printable(path)), flags=flags, vfs=vfs)
    harden(connection)
    connection.set_busy_handler(_Patience(timeout))
    return connection


def harden(connection: apsw.Connection) -> None:
    """Have the connection run nothing that the file brings along, and believe no cell size."""
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 1)
    for option in (
        apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA,
        apsw.SQLITE_DBCONFIG_ENABLE_TRIGGER,
        apsw.SQLITE_DBCONFIG_ENABLE_VIEW,
    ):
        connection.config(option, 0)
    connection.execute(sql.CHECK_CELL_SIZES)


def _connect_without_locks(state: FileState, timeout: float) -> apsw.Connection:
    wal = state.sidecar("-wal")
    if wal is None or wal.state != "committed":
        uri = file_uri(state.path, immutable="1")
        return _connect(uri, _READ | apsw.SQLITE_OPEN_URI, timeout)
    # Exclusive mode keeps the index of the log in memory instead of in a `-shm`. SQLite
    # deletes a log without a transaction even so, which is why the others go the other way.
    connection = _connect(state.path, _READ, timeout, vfs=LOCKLESS_VFS)
    connection.execute(sql.LOCK_EXCLUSIVELY)
    return connection
