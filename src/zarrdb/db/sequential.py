"""Parts of large values, out of files whose values are known to be in one piece each. No I/O.

SQLite finds the place of a byte by following a value's chain of pages from its start, which
over a network means to read it all. A file that was written front to back and not changed
since has each chain on consecutive pages, so that the place can be computed. It tells so by
its change counter: the writer sets it to a number of its own, and every change counts it up.
"""

from typing import Final, NamedTuple

from zarrdb.db.header import Header
from zarrdb.db.pages import Cell, Shape, next_page, overflow_pages, varint
from zarrdb.keys import clamp

UNCHANGED: Final = 0x5A445201
"""The change counter that a file written front to back begins with."""

# Where the header has the counter, and the count for which its number of pages is right.
_CHANGE_COUNTER: Final = 24
_VERSION_VALID_FOR: Final = 92


class Part(NamedTuple):
    """Bytes `start` to `stop` of a row's record, and where they are."""

    cell: Cell
    start: int
    stop: int
    first: int
    """The number of the first overflow page that holds some of them, among those of the row."""
    pages: list[int]


def is_sequential(header: Header) -> bool:
    """Whether each value's overflow pages are consecutive."""
    return header.change_counter == header.version_valid_for == UNCHANGED


def mark_unchanged(path: str) -> None:
    """Set the change counter of a new file that nobody has open. Raises OSError."""
    with open(path, "r+b") as file:
        for offset in (_CHANGE_COUNTER, _VERSION_VALID_FOR):
            file.seek(offset)
            file.write(UNCHANGED.to_bytes(4, "big"))


def locate(cell: Cell, offset: int, length: int | None, shape: Shape) -> Part | None:
    """Where part of the value of a row (key, value) lies; None unless it is a BLOB.

    A negative offset counts from the end of the value.
    """
    try:
        end, at = varint(cell.local, 0)
        key_kind, at = varint(cell.local, at)
        kind, at = varint(cell.local, at)
    except IndexError:
        return None
    if at != end or kind < 12 or kind % 2 or key_kind < 13:
        return None
    size, begin = (kind - 12) // 2, end + (key_kind - 13) // 2
    if begin + size != cell.size:
        return None
    first, last = clamp(size, offset, length)
    start, stop = begin + first, begin + last
    room, local = shape.usable - 4, len(cell.local)
    if stop <= max(start, local):
        return Part(cell, start, stop, 0, [])
    indexes = range(max(0, start - local) // room, (stop - 1 - local) // room + 1)
    pages = [shape.after(cell.overflow, index) for index in indexes]
    return Part(cell, start, stop, indexes.start, pages)


def cut(part: Part, pages: list[bytes], shape: Shape) -> bytes | None:
    """The bytes of a part, from its overflow pages; None where they are not consecutive."""
    cell, _, _, first, numbers = part
    following = [*numbers[1:], shape.after(numbers[-1])] if numbers else []
    if numbers and first + len(numbers) == overflow_pages(cell, shape.usable):
        following[-1] = 0
    if following != [next_page(data) for data in pages]:
        return None
    return join(part, pages, shape)


def join(part: Part, pages: list[bytes], shape: Shape) -> bytes:
    """The bytes of a part, from the overflow pages that are known to be its own."""
    cell, start, stop, first, numbers = part
    found = [cell.local[start:stop]] if start < len(cell.local) else []
    if numbers:
        body = b"".join([data[4 : shape.usable] for data in pages])
        before = len(cell.local) + first * (shape.usable - 4)
        found.append(body[max(0, start - before) : stop - before])
    return found[0] if len(found) == 1 else b"".join(found)
