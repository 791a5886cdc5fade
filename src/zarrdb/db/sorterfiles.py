"""SQLite's temporary files, in a directory of our choice instead of the system's."""

import os
from itertools import count
from typing import Final

import apsw

from zarrdb.db.paths import LOCKLESS_VFS, sqlite_path
from zarrdb.keys import printable

_names: Final = count()


class SorterFiles(apsw.VFS):
    """Keeps SQLite's temporary files in one directory; only those are opened through it."""

    def __init__(self, directory: str) -> None:
        self.name = f"zarrdb-sorter-{next(_names)}"
        self._directory = sqlite_path(directory, printable(directory))
        self._numbers = count()
        super().__init__(self.name, LOCKLESS_VFS)

    def xOpen(self, _name: object, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        """Open a temporary file, which is deleted when closed."""
        own = f".zarrdb-sort.{os.getpid()}-{self.name[14:]}-{next(self._numbers)}.tmp"
        return apsw.VFSFile(LOCKLESS_VFS, os.path.join(self._directory, own), flags)
