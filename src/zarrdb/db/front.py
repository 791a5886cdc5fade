"""Room among the first pages of a new file for what every reader wants before any value.

The key index and the pages above the leaves are written last, when all rows are there. Left
to themselves they stand at the end of the file, which costs whoever reads it from afar a
second round. So their pages are left free right after the documents.
"""

from collections.abc import Iterable
from typing import Final, NamedTuple

import apsw

from zarrdb.db import sql_bulk as sql
from zarrdb.db.rows import count_interior_pages

MOST_KEYS: Final = 40_000
"""Up to so many keys an index (of about 1 MB) is worth a place at the front; it is built in
memory to learn its size, which takes 60 ms for so many."""


class Front(NamedTuple):
    """How many pages to leave free after the documents."""

    above: int = 0
    """For the pages above the leaves of the table."""
    keys: int = 0
    """For the key index, whose root is among the first pages already."""


def front_of(entries: Iterable[tuple[str, int]], page_size: int) -> Front:
    """What rows with these keys and sizes of values need, in this order."""
    rows = list(entries)
    sizes = ((len(key.encode()), size) for key, size in rows)
    return Front(
        count_interior_pages(sizes, page_size),
        _index_pages((key for key, _ in rows), page_size) - 1,
    )


def _index_pages(keys: Iterable[str], page_size: int) -> int:
    """How many pages SQLite's index of the keys takes."""
    with apsw.Connection(":memory:") as connection:
        connection.pragma("page_size", page_size)
        connection.execute(sql.CREATE_KEYS).fetchall()
        connection.executemany(sql.ADD_KEY, ((key,) for key in keys))
        before: int = connection.pragma("page_count")
        connection.execute(sql.INDEX_KEYS).fetchall()
        after: int = connection.pragma("page_count")
    connection.close()
    return after - before
