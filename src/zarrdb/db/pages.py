"""Pages of SQLite's b-trees: what the format says of them, and what is on one. No I/O.

SQLite's "Database File Format", sections 1.6 and 2.1. Pages are read here to guess what SQLite
will want next; the answers are SQLite's own. So whatever bytes a page has, what cannot be made
sense of is left out, never an error.
"""

from struct import Struct
from typing import Final, NamedTuple

INDEX_INTERIOR: Final = 2
TABLE_INTERIOR: Final = 5
INDEX_LEAF: Final = 10
TABLE_LEAF: Final = 13

LEAF_HEADER: Final = 8
INTERIOR_HEADER: Final = 12
POINTER: Final = 2
"""Bytes of the place of a cell, behind the header."""

_KINDS: Final = frozenset({INDEX_INTERIOR, TABLE_INTERIOR, INDEX_LEAF, TABLE_LEAF})
_SHORT: Final = Struct(">H")
_WORD: Final = Struct(">I")

Term = tuple[int, bytes]
"""A value of a key column as it sorts: NULL and numbers 0, texts 1, BLOBs 2; then its bytes."""


class Shape(NamedTuple):
    """What the header tells of a file."""

    page_size: int
    usable: int
    page_count: int
    codec: str
    """Python's name of the text encoding."""

    def after(self, page: int, steps: int = 1) -> int:
        """The page that comes so many steps after another one, for whoever takes them in order."""
        return page + steps + (page < lock_page(self.page_size) <= page + steps)


def lock_page(page_size: int) -> int:
    """The page at 1 GiB, of which SQLite locks bytes and which it never uses (section 1.3)."""
    return (1 << 30) // page_size + 1


class Cell(NamedTuple):
    """One entry of a page."""

    child: int
    """The page below it, of an interior page; else 0."""
    rowid: int
    """Of a table: the row's, or the largest one below `child`."""
    size: int
    """Bytes of the record; 0 in the interior of a table."""
    local: bytes
    """The part of the record that is on this page."""
    overflow: int
    """The page where the rest begins, or 0."""


class Page:
    """A page of a b-tree."""

    __slots__ = ("_at", "_data", "_usable", "count", "is_leaf", "is_table", "kind", "right")

    def __init__(self, data: bytes, start: int, usable: int) -> None:
        self._data = data
        self._usable = usable
        self.kind = data[start]
        self.is_leaf = self.kind in (INDEX_LEAF, TABLE_LEAF)
        self.is_table = self.kind in (TABLE_INTERIOR, TABLE_LEAF)
        self.right = 0 if self.is_leaf else _WORD.unpack_from(data, start + 8)[0]
        self._at = start + (LEAF_HEADER if self.is_leaf else INTERIOR_HEADER)
        room = (len(data) - self._at) // 2
        self.count = min(_SHORT.unpack_from(data, start + 3)[0], room)

    def cell(self, index: int) -> Cell | None:
        """The cell at a position; None where there is none, or it makes no sense."""
        if not 0 <= index < self.count:
            return None
        data = self._data
        at: int = _SHORT.unpack_from(data, self._at + 2 * index)[0]
        try:
            return self._cell(data, at)
        except (IndexError, ValueError):
            return None

    def _cell(self, data: bytes, at: int) -> Cell:
        child = rowid = size = 0
        if not self.is_leaf:
            child = _word(data, at)
            at += 4
        if self.kind == TABLE_INTERIOR:
            return Cell(child, varint(data, at)[0], 0, b"", 0)
        size, at = varint(data, at)
        if self.is_table:
            rowid, at = varint(data, at)
        length = local_size(size, self._usable, is_table=self.is_table)
        local = data[at : at + length]
        overflow = _word(data, at + length) if length < size else 0
        return Cell(child, rowid, size, local, overflow)

    def child(self, index: int) -> int:
        """The page below a cell, below the last one of all where `index` is `count`; else 0."""
        if self.is_leaf or not 0 <= index <= self.count:
            return 0
        if index == self.count:
            return self.right
        at = _SHORT.unpack_from(self._data, self._at + 2 * index)[0]
        return _word(self._data, at) if at + 4 <= len(self._data) else 0

    def children(self) -> list[int]:
        """All pages below, in order; 0 where a cell makes no sense."""
        return [] if self.is_leaf else [self.child(index) for index in range(self.count + 1)]


def parse(number: int, data: bytes, usable: int) -> Page | None:
    """The b-tree page with this number, or None where the bytes are none."""
    start = 100 if number == 1 else 0
    if len(data) < max(start + 12, 480) or data[start] not in _KINDS:
        return None
    return Page(data, start, usable)


def varint(data: bytes, at: int) -> tuple[int, int]:
    """A variable-length integer and where it ends. Raises IndexError past the end."""
    value = 0
    for index in range(at, at + 8):
        byte = data[index]
        value = value << 7 | byte & 0x7F
        if byte < 0x80:
            return value, index + 1
    value = value << 8 | data[at + 8]
    # Nine bytes are a signed number of 64 bits.
    return value - (1 << 64) if value >> 63 else value, at + 9


def most_local(usable: int, *, is_table: bool) -> int:
    """Bytes of the longest record that is on its own page as a whole."""
    return usable - 35 if is_table else (usable - 12) * 64 // 255 - 23


def least_local(usable: int) -> int:
    """Bytes of a longer record that are on its own page, at least."""
    return (usable - 12) * 32 // 255 - 23


def local_size(size: int, usable: int, *, is_table: bool) -> int:
    """How many bytes of a record are on its own page."""
    most = most_local(usable, is_table=is_table)
    if size <= most:
        return max(0, size)
    least = least_local(usable)
    left = least + (size - least) % (usable - 4)
    return left if left <= most else least


def overflow_pages(cell: Cell, usable: int) -> int:
    """How many pages the rest of a record takes."""
    return -(-(cell.size - len(cell.local)) // (usable - 4)) if cell.overflow else 0


def next_page(data: bytes) -> int:
    """The page after an overflow page, 0 after the last."""
    return _word(data, 0) if len(data) >= 4 else 0


def terms(cell: Cell) -> tuple[Term, int | None]:
    """The first column of an index record, and its last one, which is the rowid.

    A text that goes on elsewhere is cut, and the rowid then None. Raises IndexError and
    ValueError where the record makes no sense.
    """
    local = cell.local
    end, at = varint(local, 0)
    if end > len(local):
        raise ValueError("a record header that goes on elsewhere")
    kinds: list[int] = []
    while at < end:
        kind, at = varint(local, at)
        kinds.append(kind)
    first = _length(kinds[0])
    sort = 0 if kinds[0] < 12 else 1 + (kinds[0] % 2 == 0)
    key = (sort, local[end : end + first])
    start = end + sum(map(_length, kinds[:-1]))
    last = local[start : start + _length(kinds[-1])]
    if cell.overflow or len(kinds) < 2 or start + len(last) > len(local):
        return key, None
    return key, _integer(kinds[-1], last)


def _length(kind: int) -> int:
    if kind >= 12:
        return (kind - 12) // 2
    return (0, 1, 2, 3, 4, 6, 8, 8, 0, 0, 0, 0)[max(0, kind)]


def _integer(kind: int, data: bytes) -> int | None:
    if kind in (8, 9):
        return kind - 8
    return int.from_bytes(data, "big", signed=True) if 1 <= kind <= 6 else None


def _word(data: bytes, at: int) -> int:
    if at + 4 > len(data):
        raise IndexError(at)
    number: int = _WORD.unpack_from(data, at)[0]
    return number
