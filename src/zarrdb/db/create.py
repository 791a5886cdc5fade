"""A new, empty `.zarrdb` file, made in one transaction."""

import os
from typing import Final

import apsw

from zarrdb.db import moment, records, sql, ways
from zarrdb.db.failures import translate
from zarrdb.db.writes import put_record
from zarrdb.errors import SourceError, TargetExistsError, UsageError

DEFAULT_PAGE_SIZE: Final = 4096
PAGE_SIZES: Final = tuple(1 << power for power in range(9, 17))


def create(path: str, *, page_size: int, timeout: float) -> None:
    """Make the file where nothing is, or where an empty file is.

    Raises TargetExistsError, UsageError (page size), ReadOnlyError, NoSpaceError.
    """
    if page_size not in PAGE_SIZES:
        raise UsageError(
            f"page size {page_size}: not possible", hint="a power of two from 512 to 65536"
        )
    if os.path.lexists(path) and (not os.path.isfile(path) or os.path.getsize(path)):
        raise TargetExistsError(f"{path}: exists already", hint="choose another name")
    if not os.path.isdir(os.path.dirname(path)):
        raise SourceError(f"{path}: there is no directory {os.path.dirname(path)}")
    try:
        connection = ways.open_writer(path, timeout=timeout, create=True).connection
    except apsw.Error as error:
        raise translate(error, path, timeout=timeout) from error
    try:
        connection.pragma("page_size", page_size)
        connection.execute(sql.BEGIN_WRITING)
        if connection.execute(sql.FIRST_READ).get is not None:
            raise TargetExistsError(f"{path}: exists already", hint="choose another name")
        for statement in (sql.SET_APPLICATION_ID, sql.CREATE_METADATA, sql.CREATE_DATA):
            connection.execute(statement)
        for key, value in records.for_new_file(moment.now()).items():
            put_record(connection, key, value)
        connection.execute(sql.COMMIT)
    except apsw.Error as error:
        raise translate(error, path, timeout=timeout, number=connection.system_errno) from error
    finally:
        connection.close(True)
