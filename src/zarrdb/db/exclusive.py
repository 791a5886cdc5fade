"""Putting a complete file in the place of one that others may have open.

A writer in WAL mode whose file is renamed over goes on writing, by path, into the log of the
new file; rows in a log that stays behind would be replayed into the new file or lost. So the
old file is folded into itself first and stays locked until the rename is done.
"""

import os

import apsw

from zarrdb.db.bulk import file_uri
from zarrdb.db.container import inspect
from zarrdb.db.failures import translate
from zarrdb.db.private import PrivateFile
from zarrdb.errors import InUseError, JournalError, LockedError, NotAStoreError
from zarrdb.keys import printable


def replace(private: PrivateFile, *, timeout: float) -> None:
    """Rename a complete private file to its target, over whatever store stands there.

    The new file keeps the mode and owner of the old one. Raises InUseError when others have
    the old file open for longer than `timeout` seconds, and what `require_replaceable` raises.
    """
    target = private.target
    if not os.path.lexists(target):
        private.sync()
        private.rename()
        return
    require_replaceable(target)
    connection = apsw.Connection(
        file_uri(target, mode="rw"), flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI
    )
    try:
        connection.set_busy_timeout(int(timeout * 1000))
        lock_out_others(connection, "main", target)
        rename_locked(private)
    finally:
        connection.close(True)


def rename_locked(private: PrivateFile) -> None:
    """Rename a complete private file over a target that this process has locked."""
    private.take_after(private.target)
    private.sync()
    private.rename()


def lock_out_others(connection: apsw.Connection, schema: str, path: str) -> None:
    """Keep everybody else from a database until the connection is closed.

    What a log or an interrupted transaction left is settled first: the file is whole by
    itself. `schema` is the name by which the connection knows it. Raises InUseError.
    """
    try:
        if connection.pragma("journal_mode", "delete", schema=schema) == "wal":
            raise in_use(path)
        connection.pragma("locking_mode", "exclusive", schema=schema)
        # In exclusive locking mode the lock outlives the transaction that took it.
        connection.execute("BEGIN EXCLUSIVE").fetchall()
        connection.execute("COMMIT").fetchall()
    except apsw.Error as error:
        found = translate(error, printable(path), number=connection.system_errno)
        raise (in_use(path) if isinstance(found, LockedError) else found) from error


def require_replaceable(path: str) -> None:
    """Refuse to replace what is no store of ours, or has a foreign log beside it.

    Raises NotAStoreError, JournalError.
    """
    facts = inspect(path)
    if facts.kind != "zarrdb" and facts.size:
        raise NotAStoreError(
            f"{printable(path)}: is no .zarrdb file, so it is not replaced",
            hint="-o names another file; or delete this one yourself",
        )
    for sidecar in facts.sidecars:
        if sidecar.state == "foreign":
            raise JournalError(
                f"{printable(path + sidecar.suffix)}: belongs to another file, so that"
                f" {printable(path)} cannot be replaced safely",
                hint="move it away if it is not needed",
            )


def in_use(path: str) -> InUseError:
    """The error for a file that others have open."""
    return InUseError(
        f"{printable(path)}: in use by another process",
        hint="try again when it is closed there, or wait longer with --timeout",
    )
