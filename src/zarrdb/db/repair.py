"""Setting right, in place, what a container has wrong without losing anything."""

import os
from collections.abc import Mapping

import apsw

from zarrdb.db import sql
from zarrdb.db.container import inspect
from zarrdb.db.exclusive import lock_out_others
from zarrdb.db.failures import translate
from zarrdb.db.ways import open_writer
from zarrdb.errors import SchemaError
from zarrdb.keys import printable

_PREVENTS = ("trigger", "no-unique-key", "wrong-collation", "foreign-log", "missing-table")
"""What makes any write to a file one too many."""


def repair(
    path: str | os.PathLike[str],
    *,
    documents: Mapping[str, bytes],
    modified_at: str | None = None,
    application_id: bool = False,
    timeout: float = 5.0,
) -> None:
    """Settle logs and journals beside the file, then store what is given, all or nothing.

    Afterwards the file is in DELETE mode and complete by itself. Raises SchemaError for a file
    that must not be written, InUseError, LockedError, ReadOnlyError, CorruptError.
    """
    full = os.path.abspath(os.fspath(path))
    name = os.fspath(path)
    for problem in inspect(name, timeout=timeout).problems:
        if problem.reason in _PREVENTS or problem.reason == "corrupt":
            raise SchemaError(f"{printable(name)}: cannot be repaired: {problem.message}")
    try:
        reader = open_writer(full, timeout=timeout)
        try:
            lock_out_others(reader.connection, name)
            with reader.connection:
                # A write of any kind makes SQLite remove a journal that was left behind.
                version = reader.connection.pragma("user_version")
                reader.connection.pragma("user_version", version)
                if application_id:
                    reader.connection.execute(sql.SET_APPLICATION_ID).fetchall()
                if modified_at is not None:
                    reader.connection.execute(sql.UPDATE_RECORD, ("modified_at", modified_at))
                for key, value in documents.items():
                    reader.connection.execute(sql.PUT, (key, value))
        finally:
            reader.connection.close()
    except apsw.Error as error:
        raise translate(error, printable(name), timeout=timeout) from error
