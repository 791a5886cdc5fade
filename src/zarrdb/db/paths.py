"""Paths as SQLite takes them, and the files they lead to.

SQLite makes UTF-8 of every name that it is given. Python makes of a name's bytes what the
locale says: in one that is not UTF-8 the two are different files.
"""

import os
from typing import Final

import apsw

from zarrdb.errors import SourceError

LOCKLESS_VFS: Final = "win32-none" if os.name == "nt" else "unix-none"
"""SQLite's own VFS of this system, without locks."""


def sqlite_path(path: str, name: str) -> str:
    """The text that SQLite has to be given to open a path, which is called `name` in messages.

    Raises SourceError where there is none.
    """
    try:
        return os.fsencode(path).decode()
    except UnicodeError:
        raise SourceError(
            f"{name}: its name is not Unicode, so that SQLite cannot open it", hint="rename it"
        ) from None


def file_uri(path: str, **parameters: str) -> str:
    """The URI by which SQLite opens a file."""
    from urllib.parse import quote

    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    return f"file:{quote(os.fsencode(os.path.abspath(path)))}?{query}"


def python_path(connection: apsw.Connection) -> str:
    """The path of the file that a connection has open."""
    return os.fsdecode(connection.filename.encode())


def identity_of(path: str) -> tuple[int, int] | None:
    """Device and inode of the file that a path leads to; None where it leads to none."""
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_dev, status.st_ino
