"""Pages of a SQLite file written from front to back, without SQLite.

SQLite's "Database File Format", section 1. What is written this way comes in its final order,
so a system call takes a megabyte, where SQLite needs one a page.
"""

from collections.abc import Sequence
from struct import pack
from typing import Final

from zarrdb.db.flusher import Buffer as Buffer
from zarrdb.db.flusher import Flusher
from zarrdb.db.pages import lock_page

_FLUSH: Final = 1 << 20
_PAGE_COUNT_AT: Final = 28
_NO_PAGE: Final = bytes(4)


class PageFile:
    """A file of whole pages to append to; it has `pages` so far. Raises OSError.

    What is appended is written by and by, in another thread, and all of it by `finish`.
    """

    def __init__(self, descriptor: int, *, page_size: int, pages: int) -> None:
        self.page_size = page_size
        self.next = pages + 1
        """The page that is appended next."""
        self._flusher = Flusher(descriptor)
        self._lock_page = lock_page(page_size)
        self._empty = bytes(page_size)
        self._parts: list[Buffer] = []
        self._pending = 0
        # Where the parts begin in the file, and which part is a page to be filled in later.
        self._offset = pages * page_size
        self._slots: dict[int, int] = {}

    def append(self, page: bytes) -> int:
        """Append one page; its number."""
        number = self.next
        self._parts.append(page)
        self._advance(number + 1)
        return number

    def append_later(self) -> int:
        """Append a page whose content `fill` brings; its number."""
        self._slots[self.next] = len(self._parts)
        return self.append(self._empty)

    def fill(self, number: int, page: bytes) -> None:
        """Give a page its content."""
        slot = self._slots.pop(number, None)
        if slot is None:
            self._flusher.write([page], len(page), (number - 1) * self.page_size)
        else:
            self._parts[slot] = page
        if self._pending >= _FLUSH:
            self.flush()

    def append_chain(self, data: memoryview, rest: int) -> None:
        """Append a value's overflow pages: those of `data`, of the `rest` bytes still to come.

        The chain ends with the data if those are all of the rest; else the data fills whole
        pages and the next call goes on.
        """
        parts, step, page, lock_page = self._parts, self.page_size - 4, self.next, self._lock_page
        size = len(data)
        for at in range(0, size, step):
            page += 1
            if page == lock_page:
                page += 1
            parts.append(page.to_bytes(4) if rest > at + step else _NO_PAGE)
            parts.append(data[at : at + step])
            if at + step > size:
                parts.append(bytes(at + step - size))
            if page - 1 == lock_page:
                parts.append(self._empty)
        self._pending += (page - self.next) * self.page_size
        self.next = page
        if self._pending >= _FLUSH:
            self.flush()

    def flush(self) -> None:
        """Hand everything that was appended to the system."""
        parts, self._parts = self._parts, []
        size = sum(map(len, parts))
        self._flusher.write(parts, size, self._offset)
        self._offset += size
        self._slots.clear()
        self._pending = 0

    def settle(self) -> None:
        """Wait until everything that was appended is handed to the system."""
        self.flush()
        self._flusher.finish()

    def finish(self) -> None:
        """Write everything, and into the header how many pages there are."""
        self.flush()
        self._flusher.write([(self.next - 1).to_bytes(4)], 4, _PAGE_COUNT_AT)
        self._flusher.finish()

    def abandon(self) -> None:
        """Stop writing; the file is of no use."""
        self._flusher.abandon()

    def _advance(self, number: int) -> None:
        if number == self._lock_page:
            self._parts.append(self._empty)
            number += 1
        self._pending += (number - self.next) * self.page_size
        self.next = number


def page_of(
    kind: int, cells: Sequence[bytes], page_size: int, *, right: int | None = None
) -> bytes:
    """A b-tree page: its header, the places of the cells, and the cells at its end."""
    body = b"".join(cells)
    place = page_size - len(body)
    begin = pack(">BHHHB", kind, 0, len(cells), place & 0xFFFF, 0)
    if right is not None:
        begin += right.to_bytes(4)
    places = []
    for cell in cells:
        places.append(place)
        place += len(cell)
    begin += pack(f">{len(places)}H", *places)
    return begin + bytes(page_size - len(begin) - len(body)) + body


def varint(number: int) -> bytes:
    """SQLite's variable-length integer: seven bits a byte, the most significant first.

    Of numbers below 2^56, which all sizes and rows are.
    """
    if number < 0x80:
        return bytes((number,))
    found = [number & 0x7F]
    while number := number >> 7:
        found.append(number & 0x7F | 0x80)
    return bytes(reversed(found))
