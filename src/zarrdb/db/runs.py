"""Where a row's overflow pages lie, guessed from the numbers of the leaves around it. No I/O.

Rows that were written one after the other take pages one after the other: a value that does
not fit into the leaf gets its overflow pages first, and where its row opens a new leaf, that
leaf follows them. So between two neighbouring leaves lie the runs of the first one's rows but
its own first, and then the run of the second one's first row.
"""

from math import ceil, floor
from typing import Final

from zarrdb.db.pages import Page

WINDOW: Final = 8
"""Gaps to each side that tell how long runs are: values near each other are of a kind."""
WHOLE_GAP: Final = 64 << 10
"""A gap of at most so many bytes is not worth a closer look."""
MOST: Final = 4 << 20
"""Bytes guessed for one row. Above it the leaf is read first: waiting for it costs less than
what is read too much where the guess is wrong."""


def find_row(page: Page, rowid: int) -> int:
    """The position of the first cell of a table's page that is not below the row."""
    low, high = 0, page.count
    while low < high:
        middle = (low + high) // 2
        cell = page.cell(middle)
        if cell is not None and cell.rowid < rowid:
            low = middle + 1
        else:
            high = middle
    return low


class Gaps:
    """The leaves below an interior page of a table, and the pages between them.

    `low` is the largest rowid before the first leaf.
    """

    def __init__(self, page: Page, low: int, page_size: int) -> None:
        self._page = page
        self._low = low
        self._page_size = page_size

    def guess(self, index: int, rowid: int) -> list[range]:
        """Pages with the leaf at a position and the run of one of its rows; may be wrong.

        The leaf alone where nothing can be guessed.
        """
        leaf = self._page.child(index)
        before = self._last(index - 1)
        place = 0 if before is None else rowid - before - 1
        # The run of a leaf's first row is the last one in the gap before the leaf.
        gap = index - 1 if place == 0 else index
        count = self._rows(gap) or 1
        number = count - 1 if place == 0 else place - 1
        run = self._run(gap, count, number)
        if run is None or len(run) * self._page_size > MOST:
            return [range(leaf, leaf + 1)]
        return [range(leaf, leaf + 1), run]

    def _run(self, gap: int, count: int, number: int) -> range | None:
        """The run with a number among those in a gap, between its nearest and farthest ends."""
        start, stop = self._page.child(gap) + 1, self._page.child(gap + 1)
        if start > 1 and stop and 0 <= stop - start <= WHOLE_GAP // self._page_size:
            return range(start, stop)
        shares = self._shares(gap)
        if not shares or number >= count or (start > 1 and stop and stop < start):
            return None
        short, long = min(shares), max(shares)
        begins, ends = [], []
        if start > 1:
            begins.append(start + floor(number * short))
            ends.append(start + ceil((number + 1) * long))
        if stop:
            begins.append(stop - ceil((count - number) * long))
            ends.append(stop - floor((count - number - 1) * short))
        return range(max(begins), min(ends)) if begins else None

    def _shares(self, gap: int) -> list[float]:
        """Pages a run, for each gap nearby of which both leaves are known."""
        found: list[float] = []
        for near in range(gap - WINDOW, gap + WINDOW + 1):
            start, stop = self._page.child(near), self._page.child(near + 1)
            rows = self._rows(near)
            if rows and 0 < start < stop:
                found.append((stop - start - 1) / rows)
        return found

    def _rows(self, index: int) -> int | None:
        """How many rows a leaf has, if its rowids have no holes."""
        last, before = self._last(index), self._last(index - 1)
        if last is None or before is None or last <= before:
            return None
        return last - before

    def _last(self, index: int) -> int | None:
        """The largest rowid of a leaf; of the rightmost one it is not known."""
        if index == -1:
            return self._low
        cell = self._page.cell(index)
        return None if cell is None else cell.rowid
