"""What SQLite will read next of a remote file, planned ahead in waves. No I/O.

A plan is a generator: it yields the runs of pages that it wants to be fetched, all at once,
and finds them in the cache when it goes on. It only warms the cache from which SQLite reads,
so a wrong guess costs a request and never an answer.
"""

from collections.abc import Callable, Generator, Iterable, Mapping
from typing import Final, TypeVar

from zarrdb.db.pages import Cell, Page, Shape, Term, next_page, overflow_pages, parse, terms
from zarrdb.db.runs import Gaps, find_row
from zarrdb.transport.spans import runs_of

T = TypeVar("T")
Wave = list[range]
"""Runs of page numbers, which count from 1."""
Plan = Generator[Wave, None, T]
Rows = dict[int, tuple[int, list[int]]]
"""Of pages, the largest row before them, and the rows looked for in them."""

MAX_DEPTH: Final = 20
"""SQLite's own limit; deeper only where a damaged file leads in circles."""
INDEX_AHEAD: Final = 64 << 10
"""Bytes of neighbouring index pages that come along with one: the next keys are there."""
FIRST_RUN: Final = 16
RUN_GROWTH: Final = 8
"""Pages of the first guess along a chain in a file whose chains have breaks, and how much
longer each next one is. 600 values of 328 MB, 250 of them rewritten: 1,362 requests for 483 MB;
1,613 for the same with growth 4; 1,366 for 516 MB with 64 pages at first.
"""
CHAIN_BYTES: Final = 32 << 20
"""Bytes of one value that are fetched ahead; SQLite goes through the rest in order."""


class Planner:
    """Plans over one file. Several threads may have plans of their own."""

    def __init__(self, shape: Shape, page: Callable[[int], bytes | None]) -> None:
        self._shape = shape
        self._page = page
        self._broken = False
        """Whether some chain of overflow pages was not one ascending run."""

    def tree(self, root: int, *, most: int) -> Plan[bool]:
        """All pages of a b-tree, a level at a time; False where they are more than `most`."""
        level = {root}
        for _ in range(MAX_DEPTH):
            most -= len(level)
            if not level or most < 0:
                break
            pages = yield from self._pages(level)
            level = {child for page in pages.values() for child in page.children()}
        return most >= 0

    def values(self, keys: Mapping[str, bool], index_root: int, data_root: int) -> Plan[None]:
        """All that reading the values of some keys touches.

        True for a key says that its value is probably large: then its pages are guessed
        before its row is here.
        """
        cells = yield from self.rows(keys, index_root, data_root)
        yield from together(self._chain(cell) for cell in cells.values())

    def rows(
        self, keys: Mapping[str, bool], index_root: int, data_root: int
    ) -> Plan[dict[str, Cell]]:
        """The rows of some keys, of which True says again that pages are to be guessed."""
        cells = yield from self.find(keys, index_root)
        if index_root == data_root:
            return cells
        rowids = {
            key: rowid for key, cell in cells.items() if (rowid := rowid_of(cell)) is not None
        }
        found = yield from self._rows(
            {rowid: keys[key] for key, rowid in rowids.items()}, data_root
        )
        return {key: found[rowid] for key, rowid in rowids.items() if rowid in found}

    def find(self, keys: Iterable[str], root: int) -> Plan[dict[str, Cell]]:
        """The cells of keys in an index, by one wave a level."""
        found: dict[str, Cell] = {}
        frontier = {root: [((1, key.encode(self._shape.codec, "replace")), key) for key in keys]}
        for _ in range(MAX_DEPTH):
            pages = yield from self._pages(frontier)
            below: dict[int, list[tuple[Term, str]]] = {}
            wave: Wave = []
            for number, page in pages.items():
                for term, key in frontier[number]:
                    at, cell = _search(page, term)
                    if cell is not None:
                        found[key] = cell
                    elif child := page.child(at):
                        below.setdefault(child, []).append((term, key))
                wave += self._beside(page, below)
            frontier = below
            yield from self._missing(wave)
        return found

    def _rows(self, wanted: Mapping[int, bool], root: int) -> Plan[dict[int, Cell]]:
        """The cells of rows in a table, by one wave a level; guessed runs come with the last."""
        cells: dict[int, Cell] = {}
        frontier: Rows = {root: (0, sorted(wanted))}
        for _ in range(MAX_DEPTH):
            pages = yield from self._pages(frontier)
            below: Rows = {}
            ahead: Wave = []
            for number, page in pages.items():
                low, rowids = frontier[number]
                if page.is_leaf:
                    found = (page.cell(find_row(page, rowid)) for rowid in rowids)
                    cells.update((c.rowid, c) for c in found if c is not None and c.rowid in wanted)
                else:
                    ahead += self._descend(page, low, [(r, wanted[r]) for r in rowids], below)
            frontier = below
            yield from self._missing(ahead + runs_of(below) if ahead else [])
        return cells

    def _descend(
        self, page: Page, low: int, wanted: Iterable[tuple[int, bool]], below: Rows
    ) -> Wave:
        """Note which pages below an interior one hold the rows; what to fetch along with them."""
        ahead: Wave = []
        gaps = Gaps(page, low, self._shape.page_size) if self._above_leaves(page) else None
        for rowid, is_large in wanted:
            at = find_row(page, rowid)
            before = page.cell(at - 1) if at else None
            child = page.child(at)
            below.setdefault(child, (before.rowid if before else low, []))[1].append(rowid)
            if gaps is not None and is_large and self._page(child) is None:
                ahead += gaps.guess(at, rowid)
        return ahead

    def _chain(self, cell: Cell) -> Plan[None]:
        """The overflow pages of a record, which mostly are one run of pages."""
        page, step = cell.overflow, 1
        left = min(overflow_pages(cell, self._shape.usable), CHAIN_BYTES // self._shape.page_size)
        run = FIRST_RUN if self._broken else left
        while left > 0 and 0 < page <= self._shape.page_count:
            data = self._page(page)
            if data is None:
                size = min(left, run)
                yield [range(page, page + size) if step > 0 else range(page - size + 1, page + 1)]
                run *= RUN_GROWTH
                data = self._page(page)
            if data is None:
                return
            left -= 1
            following = next_page(data)
            if left and following != (self._shape.after(page) if step > 0 else page - 1):
                self._broken = True
                # Freed pages are handed out last in, first out: such a chain runs backwards.
                step = -1 if following == page - 1 else 1
                run = FIRST_RUN
            page = following

    def _pages(self, numbers: Iterable[int]) -> Plan[dict[int, Page]]:
        """Pages of a b-tree, those of them that are such."""
        wanted = {number for number in numbers if 0 < number <= self._shape.page_count}
        yield from self._missing(runs_of(wanted))
        found: dict[int, Page] = {}
        for number in wanted:
            data = self._page(number)
            page = parse(number, data, self._shape.usable) if data is not None else None
            if page is not None:
                found[number] = page
        return found

    def _missing(self, wave: Wave) -> Plan[None]:
        """Ask for what is not here; nothing if all is."""
        missing = runs_of(n for run in wave for n in run if self._page(n) is None)
        if missing:
            yield missing

    def _beside(self, page: Page, wanted: Iterable[int]) -> Wave:
        """The pages wanted below an index page, each with the ones that adjoin it."""
        children = set(page.children())
        reach = INDEX_AHEAD // self._shape.page_size // 2
        wave: Wave = []
        for number in children.intersection(wanted):
            if self._page(number) is None:
                start = stop = number
                while number - start < reach and start - 1 in children:
                    start -= 1
                while stop - number < reach and stop + 1 in children:
                    stop += 1
                wave.append(range(start, stop + 1))
        return wave

    def _above_leaves(self, page: Page) -> bool:
        """Whether the pages below an interior page of a table are leaves, as far as one knows."""
        first, last = page.cell(0), page.cell(page.count - 1)
        if page.count < 2 or first is None or last is None:
            return False
        # An interior page has many children: were they interior too, there would be more rows.
        rows_each: int = (last.rowid - first.rowid) // (page.count - 1)
        return rows_each < self._shape.usable // 32


def rowid_of(cell: Cell) -> int | None:
    """The row that an entry of an index is of, where it can be told from its own page."""
    try:
        return terms(cell)[1]
    except (IndexError, ValueError):
        return None


def together(plans: Iterable[Plan[None]]) -> Plan[None]:
    """Several plans side by side: what they want at one time is one wave."""
    going = list(plans)
    while going:
        wave: Wave = []
        for plan in list(going):
            try:
                wave += next(plan)
            except StopIteration:
                going.remove(plan)
        if wave:
            yield wave


def _search(page: Page, term: Term) -> tuple[int, Cell | None]:
    """The cell of a key in an index page, or the position where it would be; -1 if lost."""
    low, high = 0, page.count
    while low < high:
        middle = (low + high) // 2
        cell = page.cell(middle)
        if cell is None:
            return -1, None
        try:
            other = terms(cell)[0]
        except (IndexError, ValueError):
            return -1, None
        if other == term:
            return middle, cell
        if other < term:
            low = middle + 1
        else:
            high = middle
    return low, None
