"""A new, empty `.zarrdb` file, made in one transaction."""

import os
from collections.abc import Mapping
from contextlib import suppress
from typing import Final

import apsw

from zarrdb.db import moment, records, sql, ways
from zarrdb.db.connect import no_fork
from zarrdb.db.failures import translate
from zarrdb.db.limits import require_page_size
from zarrdb.db.paths import sqlite_path
from zarrdb.db.writes import put_record
from zarrdb.errors import ReadOnlyError, SourceError, TargetExistsError
from zarrdb.keys import printable

DEFAULT_PAGE_SIZE: Final = 4096


def create(path: str, *, page_size: int, timeout: float) -> None:
    """Make the file where nothing is, or where an empty file is.

    Raises TargetExistsError, UsageError (page size), SourceError (no such directory),
    ReadOnlyError, NoSpaceError, LockedError.
    """
    require_page_size(page_size)
    name = printable(path)
    sqlite_path(os.path.realpath(path), name)
    found = os.path.lexists(path)
    if found and (not os.path.isfile(path) or os.path.getsize(path)):
        raise _exists(name)
    _require_directory(os.path.dirname(os.path.realpath(path)), name)
    rows = records.for_new_file(moment.now())
    with no_fork():
        try:
            connection = ways.open_writer(path, timeout=timeout, create=True).connection
        except apsw.Error as error:
            raise translate(error, name, timeout=timeout, path=path) from error
        try:
            _fill(connection, name, page_size, rows)
        except apsw.Error as error:
            if not found and not isinstance(error, apsw.BusyError):
                _remove_empty(path)
            number = connection.system_errno
            raise translate(error, name, timeout=timeout, number=number) from error
        finally:
            connection.close(True)


def _require_directory(directory: str, name: str) -> None:
    if not os.path.isdir(directory):
        raise SourceError(f"{name}: there is no directory {printable(directory)}")
    if not os.access(directory, os.W_OK):
        raise ReadOnlyError(
            f"{name}: its directory cannot be written", hint="choose another directory"
        )


def _fill(connection: apsw.Connection, name: str, page_size: int, rows: Mapping[str, str]) -> None:
    connection.pragma("page_size", page_size)
    connection.execute(sql.BEGIN_WRITING)
    if connection.execute(sql.FIRST_READ).get is not None:
        raise _exists(name)
    for statement in (sql.SET_APPLICATION_ID, sql.CREATE_METADATA, sql.CREATE_DATA):
        connection.execute(statement)
    for key, value in rows.items():
        put_record(connection, key, value)
    connection.execute(sql.COMMIT)


def _remove_empty(path: str) -> None:
    with suppress(OSError):
        if os.path.getsize(path) == 0:
            os.unlink(path)


def _exists(name: str) -> TargetExistsError:
    return TargetExistsError(f"{name}: exists already", hint="choose another name")
