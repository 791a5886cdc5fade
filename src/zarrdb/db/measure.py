"""How large a new file will be, before any of it is written."""

from collections.abc import Iterable, Iterator, Mapping

from zarrdb.db.bulk import all_records, empty_file
from zarrdb.db.front import MOST_KEYS
from zarrdb.db.key_index import KeyIndex, cell_size
from zarrdb.db.limits import PAGE_SIZES, require_room
from zarrdb.db.pages import LEAF_HEADER, POINTER, least_local, most_local
from zarrdb.db.rows import table_size


def file_size(rows: Iterable[tuple[str, int]], page_size: int, records: Mapping[str, str]) -> int:
    """Bytes of the `.zarrdb` that `BulkWriter` makes of rows of these keys and sizes of values.

    In flat memory, and exact but for what SQLite writes itself: a key index of very many or
    very long keys, and records that do not fit on a page.
    """
    empty, _, _ = empty_file(page_size)
    texts = {key: len(value.encode()) for key, value in all_records(records).items()}
    pages = len(empty) // page_size
    return (pages + _pages(rows, page_size) + _pages(texts.items(), page_size)) * page_size


def require_row(key: str, size: int) -> None:
    """Raise ValueTooLargeError unless a row of a new file can hold the key and its value."""
    _, _, limit = empty_file(PAGE_SIZES[0])
    require_room(key, size, limit)


def _pages(rows: Iterable[tuple[str, int]], page_size: int) -> int:
    """Pages of a table and its index beside their two roots."""
    index = _IndexSize(page_size)

    def seen() -> Iterator[tuple[int, int]]:
        for key, size in rows:
            encoded = key.encode()
            index.add(encoded)
            yield len(encoded), size

    table = table_size(seen(), page_size)
    return table.leaves + table.overflow + table.above + index.pages()


class _IndexSize:
    """Adds up the index of a table's keys: exactly as long as they are few and short."""

    def __init__(self, page_size: int) -> None:
        self._page_size = page_size
        self._keys: list[bytes] | None = []
        self._count = 0
        self._bytes = 0
        self._overflow = 0

    def add(self, key: bytes) -> None:
        """Count the key of the next row."""
        self._count += 1
        size = cell_size(len(key), self._count)
        if size > most_local(self._page_size, is_table=False):
            self._keys = None
            # About what stays on the page of a longer one, and its pointer.
            local = least_local(self._page_size)
            self._overflow += -(-(size - local) // (self._page_size - 4))
            size = local + 4
        self._bytes += size + POINTER
        if self._keys is not None:
            self._keys.append(key)
            if self._count > MOST_KEYS:
                self._keys = None

    def pages(self) -> int:
        """Pages beside the root."""
        if self._keys is not None:
            return KeyIndex(self._keys, self._page_size).pages
        if not self._count:
            return 0
        # SQLite fills the pages as well; of each but the last a cell stands on the one above.
        on_page = max(1, (self._page_size - LEAF_HEADER) * self._count // self._bytes)
        pages, level = self._overflow, self._count
        while level > on_page:
            level = -(-(level + 1) // (on_page + 1))
            pages += level
        return pages
