"""Files on disk for the tests of the linter: databases, broken in one way each."""

import os
import shutil
import sqlite3
from collections.abc import Callable, Iterable
from typing import Any

from helpers_lint import APPLICATION_ID, GROUP3, RECORDS, SCHEMA, Files, write_database

Writer = Callable[[str], str]
"""Writes into a folder and gives the path of what is to be checked."""

METADATA, DATA = SCHEMA


def database(
    files: Files = {"zarr.json": GROUP3},  # noqa: B006
    *,
    name: str = "x.zarrdb",
    schema: Iterable[str] = SCHEMA,
    records: Iterable[tuple[Any, Any]] = tuple(RECORDS.items()),
    more: Iterable[tuple[Any, Any]] = (),
    application_id: int = APPLICATION_ID,
    after: Iterable[str] = (),
    change: Callable[[str], None] | None = None,
) -> Writer:
    """A `.zarrdb` as the specification has it, unless the arguments break it.

    `more` are records besides the required ones, `change` is done to the finished file.
    """

    def write(folder: str) -> str:
        path = os.path.join(folder, name)
        write_database(
            path,
            files,
            schema=schema,
            records=(*records, *more),
            application_id=application_id,
            after=after,
        )
        if change is not None:
            change(path)
        return path

    return write


def plain(content: bytes, name: str = "x.zarrdb") -> Writer:
    """A file of just these bytes."""

    def write(folder: str) -> str:
        path = os.path.join(folder, name)
        with open(path, "wb") as file:
            file.write(content)
        return path

    return write


def patched(offset: int, data: bytes) -> Callable[[str], None]:
    """Overwrites bytes of a file."""

    def change(path: str) -> None:
        with open(path, "r+b") as file:
            file.seek(offset)
            file.write(data)

    return change


def shortened(size: int) -> Callable[[str], None]:
    """Cuts bytes off the end of a file."""

    def change(path: str) -> None:
        os.truncate(path, os.path.getsize(path) - size)

    return change


def lengthened(data: bytes) -> Callable[[str], None]:
    """Adds bytes to the end of a file."""

    def change(path: str) -> None:
        with open(path, "ab") as file:
            file.write(data)

    return change


def beside(suffix: str, data: bytes) -> Callable[[str], None]:
    """Puts a file of this suffix beside the database."""

    def change(path: str) -> None:
        with open(path + suffix, "wb") as file:
            file.write(data)

    return change


def in_wal_mode(*, keep_log: bool, empty: bool = False) -> Writer:
    """A copy of a file in WAL mode, taken while it was open; with the log, or without."""

    def write(folder: str) -> str:
        original = database({} if empty else {"zarr.json": GROUP3})(folder)
        connection = sqlite3.connect(original, isolation_level=None)
        connection.execute("PRAGMA journal_mode = WAL")
        connection.execute("PRAGMA wal_autocheckpoint = 0")
        connection.execute("INSERT INTO zarr VALUES ('late', x'00')")
        shipped = os.path.join(folder, "shipped")
        os.mkdir(shipped)
        for suffix in ("", "-wal") if keep_log else ("",):
            shutil.copy(original + suffix, os.path.join(shipped, "x.zarrdb" + suffix))
        connection.close()
        return os.path.join(shipped, "x.zarrdb")

    return write
