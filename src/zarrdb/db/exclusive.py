"""Putting a complete file in the place of one that others may have open.

A writer in WAL mode whose file is renamed over goes on writing, by path, into the log of the
new file; rows in a log that stays behind would be replayed into the new file or lost. So the
old file is folded into itself first and stays locked until the rename is done.
"""

import os
from contextlib import suppress
from typing import NamedTuple

import apsw

from zarrdb.db.container import inspect
from zarrdb.db.failures import translate
from zarrdb.db.filebytes import FileBytes
from zarrdb.db.paths import file_uri
from zarrdb.db.private import PrivateFile
from zarrdb.errors import InUseError, JournalError, LockedError, NotAStoreError
from zarrdb.keys import printable
from zarrdb.spec import APPLICATION_ID


class FileState(NamedTuple):
    """What tells whether a file in DELETE mode was changed or replaced."""

    identity: tuple[int, int]
    size: int
    change_counter: bytes


def state_of(path: str) -> FileState:
    """The state of a file. Raises MissingError, SourceError."""
    with FileBytes(path) as file:
        status = os.stat(path)
        return FileState((status.st_dev, status.st_ino), file.size(), file.read(24, 4))


def replace(
    private: PrivateFile, *, timeout: float, unchanged_since: FileState | None = None
) -> None:
    """Rename a complete private file to its target, over whatever store stands there.

    The new file keeps the mode and owner of the old one. Raises InUseError when others have
    the old file open for longer than `timeout` seconds, or changed it `unchanged_since` then,
    and what `require_replaceable` raises.
    """
    target = private.name
    if not os.path.lexists(private.target):
        private.sync()
        private.rename()
        return
    require_replaceable(target, timeout=timeout)
    connection = _writable(target)
    try:
        connection.set_busy_timeout(int(timeout * 1000))
        lock_out_others(connection, target)
        if unchanged_since is not None and state_of(target) != unchanged_since:
            raise InUseError(
                f"{printable(target)}: changed by another process meanwhile; it was left alone",
                hint="try again when nobody writes to it",
            )
        private.take_after(target)
        private.sync()
        private.rename()
    finally:
        connection.close(True)


def settle(path: str, *, timeout: float) -> None:
    """Make a file whole by itself: fold its log, take back what was interrupted.

    Raises InUseError, and what `require_replaceable` raises.
    """
    require_replaceable(path, timeout=timeout)
    if not os.path.getsize(path):
        return
    connection = _writable(path)
    try:
        connection.set_busy_timeout(int(timeout * 1000))
        lock_out_others(connection, path)
    finally:
        connection.close(True)


def _writable(path: str) -> apsw.Connection:
    try:
        return apsw.Connection(
            file_uri(path, mode="rw"), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
        )
    except apsw.Error as error:
        raise translate(error, printable(path), path=path) from error


def lock_out_others(connection: apsw.Connection, path: str) -> None:
    """Keep everybody else from a connection's file until it is closed.

    What a log or an interrupted transaction left is settled first: the file is whole by
    itself. Raises InUseError.
    """
    try:
        # On the way from one to the other a journal that was kept is deleted.
        connection.pragma("journal_mode", "persist")
        if connection.pragma("journal_mode", "delete") == "wal":
            raise in_use(path)
        connection.pragma("locking_mode", "exclusive")
        # In exclusive locking mode the lock outlives the transaction that took it.
        connection.execute("BEGIN EXCLUSIVE").fetchall()
        connection.execute("COMMIT").fetchall()
    except apsw.Error as error:
        found = translate(error, printable(path), number=connection.system_errno)
        raise (in_use(path) if isinstance(found, LockedError) else found) from error
    # Nobody has a log in use now; SQLite removes only those that it made itself.
    for suffix in ("-wal", "-shm"):
        with suppress(OSError):
            os.unlink(os.path.realpath(path) + suffix)


def require_replaceable(path: str, *, timeout: float) -> None:
    """Refuse to replace what is no store of ours, or has a foreign log beside it.

    Raises NotAStoreError, JournalError, LockedError.
    """
    facts = inspect(path, timeout=timeout)
    for sidecar in facts.sidecars:
        if sidecar.state == "foreign":
            raise JournalError(
                f"{printable(path + sidecar.suffix)}: belongs to another file, so that"
                f" {printable(path)} cannot be replaced safely",
                hint="move it away if it is not needed",
            )
    # Of a file that has to be settled first nothing but the header is known.
    ours = facts.header is not None and facts.header.application_id == APPLICATION_ID
    if facts.kind != "zarrdb" and facts.size and not ours:
        raise NotAStoreError(
            f"{printable(path)}: is no .zarrdb file, so it is not replaced",
            hint="name another file, or delete this one yourself",
        )


def in_use(path: str) -> InUseError:
    """The error for a file that others have open."""
    return InUseError(
        f"{printable(path)}: in use by another process",
        hint="try again when it is closed there, or wait longer with --timeout",
    )
