"""Paths as SQLite takes them.

SQLite makes UTF-8 of every name that it is given. Python makes of a name's bytes what the
locale says: in one that is not UTF-8 the two are different files.
"""

import os

import apsw

from zarrdb.errors import SourceError


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
