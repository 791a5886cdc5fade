"""The key index of a new table, written before most of its rows.

SQLite's "Database File Format", sections 1.6 (b-tree pages) and 2 (records).
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache
from itertools import pairwise

from zarrdb.db.pagefile import PageFile, page_of, varint
from zarrdb.db.pages import (
    INDEX_INTERIOR,
    INDEX_LEAF,
    INTERIOR_HEADER,
    LEAF_HEADER,
    POINTER,
    most_local,
)

Group = tuple[int, int]
"""The first cell of a page, and the one behind its last, which stands above the page."""


class KeyIndex:
    """The b-tree of the keys of rows 1, 2, 3, …; `pages` is its size without the root.

    Raises ValueError for a key that is there twice, or too long to stand on an index page.
    """

    def __init__(self, keys: Iterable[bytes], page_size: int) -> None:
        self._page_size = page_size
        rows = sorted((key, row) for row, key in enumerate(keys, 1))
        most = most_local(page_size, is_table=False)
        self._cells = [_cell(key, row) for key, row in rows]
        if any(a[0] == b[0] for a, b in pairwise(rows)):
            raise ValueError("a key is there twice")
        if any(len(cell) > most for cell in self._cells):
            raise ValueError("a key does not fit on a page of the index")
        self._levels = self._plan()
        self.pages = sum(len(groups) for groups in self._levels[:-1])

    def _plan(self) -> list[list[Group]]:
        """The pages of each level, from the leaves up to the root."""
        sizes = [len(cell) + POINTER for cell in self._cells]
        levels = [_packed(sizes, self._page_size - LEAF_HEADER)]
        while len(levels[-1]) > 1:
            sizes = [sizes[stop] for _, stop in levels[-1][:-1]]
            if len(levels) == 1:
                sizes = [size + 4 for size in sizes]
            levels.append(_packed(sizes, self._page_size - INTERIOR_HEADER))
        return levels

    def write(self, file: PageFile, root: int) -> None:
        """Append all pages but the root, and fill that."""
        cells: Sequence[bytes] = self._cells
        below: list[int] = []
        for groups in self._levels:
            pages = []
            for start, stop in groups:
                page = self._page(cells[start:stop], below[start : stop + 1])
                if len(groups) == 1:
                    file.fill(root, page)
                else:
                    pages.append(file.append(page))
            cells = [cells[stop] for _, stop in groups[:-1]]
            below = pages

    def _page(self, cells: Sequence[bytes], below: Sequence[int]) -> bytes:
        if not below:
            return page_of(INDEX_LEAF, cells, self._page_size)
        pointed = [page.to_bytes(4) + cell for page, cell in zip(below, cells, strict=False)]
        return page_of(INDEX_INTERIOR, pointed, self._page_size, right=below[-1])


def cell_size(key: int, row: int) -> int:
    """Bytes of the cell of a key of some length, in a row."""
    kind, size = _integer(row)
    return len(_start(key, kind, size)) + key + size


def _packed(sizes: Sequence[int], room: int) -> list[Group]:
    """Pages as full as they get; between two of them one cell goes to the page above."""
    groups: list[Group] = []
    start = taken = 0
    for number, size in enumerate(sizes):
        if taken + size > room:
            groups.append((start, number))
            start, taken = number + 1, 0
        else:
            taken += size
    if groups and start == len(sizes):
        # No page may be empty: the last cell goes down, and the one before it up.
        first, stop = groups.pop()
        groups.append((first, stop - 1))
        start = stop
    return [*groups, (start, len(sizes))]


def _cell(key: bytes, row: int) -> bytes:
    """The record of a key and a row, and before it its size."""
    kind, size = _integer(row)
    start = _start(len(key), kind, size)
    return start + key + row.to_bytes(size) if size else start + key


@lru_cache(maxsize=4096)
def _start(key: int, kind: int, size: int) -> bytes:
    """What stands before a key of some length: the size of the record, and its header."""
    types = varint(2 * key + 13) + bytes((kind,))
    return varint(1 + len(types) + key + size) + bytes((1 + len(types),)) + types


def _integer(number: int) -> tuple[int, int]:
    """SQLite's type of a positive integer, and how many bytes it takes."""
    if number == 1:
        return 9, 0
    if number < 1 << 7:
        return 1, 1
    if number < 1 << 15:
        return 2, 2
    if number < 1 << 23:
        return 3, 3
    return (4, 4) if number < 1 << 31 else (5, 6)
