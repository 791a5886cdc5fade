"""Rows of a statement: SQLite's types depend on the file, so each caller knows what to expect."""

from typing import Any

import apsw

Bindings = tuple[Any, ...]


def rows(connection: apsw.Connection, statement: str, bindings: Bindings = ()) -> list[Any]:
    """All rows, as tuples. Raises apsw.Error, and UnicodeDecodeError for a broken text."""
    return connection.execute(statement, bindings).fetchall()


def first(connection: apsw.Connection, statement: str, bindings: Bindings = ()) -> Any:
    """The first row as a tuple, or None."""
    found = connection.execute(statement, bindings).fetchall()
    return found[0] if found else None
