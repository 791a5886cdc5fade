"""Bytes of a database file, read without ever dropping a lock.

POSIX drops all locks that a process holds on a file as soon as it closes any descriptor of
it. SQLite knows, and defers its own closes; `open()` does not. So whatever reads the bytes
of a file that may be open as a database comes here.
"""

import os
from types import TracebackType
from typing import Final

import apsw

from zarrdb.db.connect import no_fork
from zarrdb.db.failures import translate
from zarrdb.db.paths import sqlite_path
from zarrdb.keys import printable

_FLAGS: Final = apsw.SQLITE_OPEN_MAIN_DB | apsw.SQLITE_OPEN_READONLY


class FileBytes:
    """A regular file as SQLite's own VFS reads it; symbolic links are followed.

    Raises MissingError and SourceError when made, SourceError when reading.
    """

    __slots__ = ("_file", "name", "path")

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self.name = printable(os.fspath(path))
        self.path = os.path.realpath(path)
        path = sqlite_path(self.path, self.name)
        try:
            with no_fork():
                self._file = apsw.VFSFile("", path, [_FLAGS, 0])
        except apsw.Error as error:
            raise translate(error, self.name, path=self.path) from error

    def size(self) -> int:
        """Size of the file in bytes, now."""
        with no_fork():
            return self._file.xFileSize()

    def read(self, offset: int, length: int) -> bytes:
        """Up to `length` bytes; fewer at the end of the file."""
        # Asked for more than there is, xRead cannot tell its filling from zeros of the file.
        length = min(length, self.size() - offset)
        if length <= 0:
            return b""
        try:
            with no_fork():
                return self._file.xRead(length, offset)
        except apsw.Error as error:
            raise translate(error, self.name, path=self.path) from error

    def chain(self, number: int, size: int, count: int) -> list[int]:
        """Up to `count` pages of `size` bytes: each begins with the number of the next one."""
        numbers: list[int] = []
        last = self.size() // size
        try:
            with no_fork():
                while 0 < number <= last and len(numbers) < count:
                    numbers.append(number)
                    number = int.from_bytes(self._file.xRead(4, (number - 1) * size))
        except apsw.Error as error:
            raise translate(error, self.name, path=self.path) from error
        return numbers

    def being_written(self) -> bool:
        """Whether some connection, of any process, is about to write the file."""
        try:
            with no_fork():
                return self._file.xCheckReservedLock()
        except apsw.Error:
            # Where there are no locks nobody can tell.
            return False

    def close(self) -> None:
        """Give the descriptor back to SQLite."""
        with no_fork():
            self._file.xClose()

    def __enter__(self) -> "FileBytes":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()
