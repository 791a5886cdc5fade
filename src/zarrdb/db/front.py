"""What stands between the documents and the other rows of a new file.

Whoever reads a file from afar wants the documents, the keys and the pages above the rows
before any value. Which row each key will be is known beforehand, so all of it can stand among
the first pages instead of costing one more round at the end of the file.
"""

from collections.abc import Iterable
from itertools import islice
from typing import Final

from zarrdb.db.key_index import KeyIndex
from zarrdb.db.pagefile import PageFile
from zarrdb.db.rows import table_size
from zarrdb.db.standing import Standing
from zarrdb.errors import ZarrdbError
from zarrdb.spec import DOCUMENT_NAMES

MOST_KEYS: Final = 40_000
"""Up to so many keys an index (of about 1 MB) is worth a place at the front."""

_DOCUMENTS: Final = frozenset(name.encode() for name in DOCUMENT_NAMES)


class Front:
    """The key index and the pages above the rows, written before the first chunk."""

    def __init__(
        self, keys: list[bytes], index: KeyIndex, above: int, file: PageFile, root: int
    ) -> None:
        self._keys = iter(keys)
        self._index: KeyIndex | None = index
        self._above = above
        self._file = file
        self._root = root
        self.places: list[int] = []
        """Pages for what stands above the rows."""

    def before(self, key: bytes) -> None:
        """Make sure that the next row is the one the index says; write it before a chunk."""
        if key != next(self._keys, None):
            raise ZarrdbError("rows came in another order than was announced")
        if self._index is not None and key.rpartition(b"/")[2] not in _DOCUMENTS:
            self.write()

    @property
    def is_written(self) -> bool:
        """Whether it stands in the file."""
        return self._index is None

    def go_on(self, standing: Standing) -> None:
        """Continue where another writer stopped."""
        next(islice(self._keys, standing.rows, standing.rows), None)
        if standing.places is not None:
            self.places = list(standing.places)
            self._index = None

    def write(self) -> None:
        """Append the index and empty pages for what stands above the rows, once."""
        if self._index is not None:
            self._index.write(self._file, self._root)
            self.places = [self._file.append_later() for _ in range(self._above)]
            self._index = None


def plan_front(rows: Iterable[tuple[str, int]], file: PageFile, root: int) -> Front | None:
    """The front of a file for rows of these keys and sizes of values, in this order.

    `root` is the root page of the key index. None where SQLite has to build that at the end:
    for too many keys, and for keys that are too long for it.
    """
    keys, sizes = [], []
    for key, size in rows:
        keys.append(key.encode())
        sizes.append((len(keys[-1]), size))
        if len(keys) > MOST_KEYS:
            return None
    try:
        index = KeyIndex(keys, file.page_size)
    except ValueError:
        return None
    return Front(keys, index, table_size(sizes, file.page_size).above, file, root)
