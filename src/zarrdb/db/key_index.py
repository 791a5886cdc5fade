"""Room for the key index of a new file among its first pages.

Whoever reads a file from afar wants the documents and the keys before anything else. SQLite
builds the index once all rows are there, so its pages are kept free meanwhile.
"""

from collections.abc import Iterable
from typing import Final

import apsw

from zarrdb.db import sql_bulk as sql

MOST_KEYS: Final = 40_000
"""Up to so many keys an index (of about 1 MB) is worth a place at the front."""


def index_pages(keys: Iterable[str], page_size: int) -> int:
    """How many pages SQLite's index of the keys takes, in rows of this order.

    Found by building it in memory: 40,000 keys take 60 ms.
    """
    with apsw.Connection(":memory:") as connection:
        connection.pragma("page_size", page_size)
        connection.execute(sql.CREATE_KEYS)
        connection.executemany(sql.ADD_KEY, ((key,) for key in keys))
        before: int = connection.pragma("page_count")
        connection.execute(sql.INDEX_KEYS)
        after: int = connection.pragma("page_count")
    connection.close()
    return after - before


def reserved_size(pages: int, page_size: int) -> int:
    """Size of a value that, alone in its table, takes so many overflow pages."""
    # A record longer than a page keeps at least (U-12)*32/255-23 bytes on its own page, and
    # just so many where the rest fills its overflow pages to within a few bytes.
    least = (page_size - 12) * 32 // 255 - 23
    return least + pages * (page_size - 4) - 16
