"""Connections to database files, and bytes of them, without ever dropping a lock.

POSIX drops all locks that a process holds on a file when it closes any descriptor of it.
SQLite knows, and defers its own closes; `open()` does not. So whatever a process reads of
a database file goes through here.
"""

import os
from typing import Final
from urllib.parse import quote

import apsw

_READ_FLAGS: Final = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
_WRITE_FLAGS: Final = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_URI


class FileBytes:
    """The bytes of a file as SQLite's own VFS reads them. Use as a context manager."""

    __slots__ = ("_file", "path")

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.path = os.path.abspath(os.fspath(path))
        flags = [apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY, 0]
        self._file = apsw.VFSFile("unix", self.path, flags)

    def size(self) -> int:
        """Size of the file in bytes, now."""
        return self._file.xFileSize()

    def read(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes; fewer at the end of the file."""
        length = max(0, min(length, self.size() - offset))
        return self._file.xRead(length, offset) if length else b""

    def close(self) -> None:
        """Give the descriptor back to SQLite."""
        self._file.xClose()

    def __enter__(self) -> "FileBytes":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def open_connection(path: str, *, writable: bool, timeout: float) -> apsw.Connection:
    """A connection that runs nothing the file brings along."""
    uri = "file:" + quote(path)
    connection = apsw.Connection(uri, flags=_WRITE_FLAGS if writable else _READ_FLAGS)
    connection.set_busy_timeout(int(timeout * 1000))
    return connection
