"""Whether two files hold the same keys and values, found out by SQLite alone."""

import os
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import zip_longest
from threading import Lock
from typing import Final

import apsw

from zarrdb.db import sql_bulk as sql
from zarrdb.db.database import Database
from zarrdb.db.failures import translate
from zarrdb.db.paths import sqlite_path
from zarrdb.db.query import first, rows
from zarrdb.errors import LockedError, VerificationError
from zarrdb.keys import printable

_COMPARED_WHOLE: Final = 8 << 20
"""Bytes up to which SQLite compares two values in memory."""

_ROWS: Final = 2000
"""Compared at once: between two calls the process can be interrupted."""


def require_same(database: Database, copy: str, name: str) -> None:
    """Compare every row of a private copy with the file it was made from.

    Reads both from the disk or its cache; the database is inside `snapshot`. Raises
    VerificationError, naming the copy `name` and a key.
    """
    if not _is_plain(database):
        _require_same_by_key(database, copy, name)
        return
    connection = database.connection
    try:
        connection.execute(
            sql.ATTACH_NEW, (sqlite_path(os.path.abspath(copy), printable(copy)),)
        ).fetchall()
        old, new = first(connection, sql.COUNT_BOTH)
        if old != new:
            raise _differs(name, f"{new:,} keys instead of {old:,}")
        _compare_rows(database, copy, new, name)
        large = rows(connection, sql.LARGE_ROWS, (_COMPARED_WHOLE,))
        with Database.open(copy) as other:
            for (key,) in large:
                _require_same_value(database, other, key, name)
    except apsw.Error as error:
        raise translate(error, printable(name)) from error


def _compare_rows(database: Database, copy: str, count: int, name: str) -> None:
    """Compare all values that are not large: half of them here, half in another thread."""
    starts = iter(range(1, count + 1, _ROWS))
    taking = Lock()

    def compare(connection: apsw.Connection) -> None:
        while True:
            with taking:
                row = next(starts, None)
            if row is None:
                return
            bindings = (row, row + _ROWS - 1, _COMPARED_WHOLE)
            for (key,) in rows(connection, sql.DIFFERENT_ROWS, bindings):
                raise _differs(name, f"another value of {printable(key)}")

    def compare_too() -> None:
        with ExitStack() as stack:
            try:
                same = stack.enter_context(Database.open(database.path, timeout=0))
                stack.enter_context(same.snapshot())
                same.exists("")
            except LockedError:
                # While a writer waits for the end of the snapshot nobody else is let in.
                return
            path = sqlite_path(os.path.abspath(copy), printable(copy))
            same.connection.execute(sql.ATTACH_NEW, (path,)).fetchall()
            compare(same.connection)

    header = database.facts.header
    if count <= _ROWS or header is None or header.wal:
        # Beside a log another connection may see what was written since.
        compare(database.connection)
        return
    with ThreadPoolExecutor(1) as pool:
        other = pool.submit(compare_too)
        try:
            compare(database.connection)
        finally:
            with taking:
                starts = iter(())
        other.result()


def _is_plain(database: Database) -> bool:
    """Whether SQLite can compare the keys of both files: texts in UTF-8, by their bytes."""
    facts = database.facts
    column = facts.data.column("k") if facts.data is not None else None
    return facts.codec == "utf-8" and column is not None and column.collation == "BINARY"


def _require_same_by_key(database: Database, copy: str, name: str) -> None:
    with Database.open(copy) as other:
        for old, new in zip_longest(database.entries(), other.entries()):
            if old != new:
                raise _differs(name, f"other keys, at {printable((old or new).key)}")
            _require_same_value(database, other, new.key, name)


def _require_same_value(database: Database, other: Database, key: str, name: str) -> None:
    pairs = zip_longest(database.stream(key), other.stream(key))
    if any(one != two for one, two in pairs):
        raise _differs(name, f"another value of {printable(key)}")


def _differs(name: str, what: str) -> VerificationError:
    return VerificationError(
        f"{printable(name)}: the new file has {what}; the old one was left alone",
        hint="the disk or the memory of this machine may be at fault",
    )
