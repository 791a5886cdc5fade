"""A remote database file: SQLite reads it through a cache that plans keep warm."""

from collections.abc import Iterable
from typing import Final, TypeVar

import apsw

from zarrdb.db import sql
from zarrdb.db.header import CODECS, SIZE, Header, parse
from zarrdb.db.limits import PAGE_SIZES
from zarrdb.db.pages import Cell, Shape
from zarrdb.db.planner import Plan, Planner
from zarrdb.db.sequential import Part, cut, is_sequential, locate
from zarrdb.db.values import Range
from zarrdb.db.vfs import RemoteFiles
from zarrdb.errors import CorruptError, NotAStoreError, TruncatedError
from zarrdb.keys import is_document
from zarrdb.transport.cache import BlockCache
from zarrdb.transport.reader import RangeReader
from zarrdb.transport.spans import runs_of
from zarrdb.units import size_text

HEAD: Final = 160 << 10
"""Bytes of the one request that opens a file. 56 documents of 75 KB and the index of 656 keys
end at 128 KiB with pages of 4 KiB, at 160 KiB with pages of 16. The end of the file is not
fetched with it: only SQLite's VACUUM puts the key index there, which then costs a second round,
and all other files would cost a request more."""
INDEX_BYTES: Final = 8 << 20
"""A key index of at most so many bytes is fetched as a whole to list keys: 350,000 of them."""


T = TypeVar("T")


class Pager:
    """Connection, cache and plans over one remote file; any thread may warm the cache.

    `first` are bytes from the start of the file, if they are known; else `head` are fetched.
    Raises NotAStoreError where there is no database, CorruptError, TruncatedError, and the
    RangeErrors of the reader.
    """

    def __init__(
        self, reader: RangeReader, *, head: int = HEAD, first: bytes | None = None
    ) -> None:
        self.reader = reader
        if first is None:
            first, _ = reader.head_tail(head, 0)
        self.start: bytes = first[:SIZE]
        self.header: Header = _checked(reader.name, self.start)
        size = _size(reader, self.header)
        self.cache = BlockCache(reader, self.header.page_size, size)
        self.cache.put(0, first)
        self.files = RemoteFiles(self.cache)
        self.connection: apsw.Connection = self.files.connect()
        self.sequential: bool = is_sequential(self.header)
        """Whether `read_parts` can be used."""
        self._shape = _shape(self.header, size)
        self._planner = Planner(self._shape, self._page)
        self._roots: tuple[int, int] | None = None

    def warm_values(self, keys: Iterable[str]) -> None:
        """Fetch, in as few rounds as can be, all that reading the values of keys touches."""
        # Documents are small; their rows must not be taken for those of chunks around them.
        large = {key: not is_document(key) for key in keys}
        self._run(self._planner.values(large, *self._tree_roots()))

    def warm_keys(self, keys: Iterable[str]) -> None:
        """Fetch all that finding keys touches."""
        index_root, _ = self._tree_roots()
        self._run(self._planner.find(keys, index_root))

    def warm_sizes(self, keys: Iterable[str]) -> None:
        """Fetch all that telling the sizes of values touches."""
        self._rows(keys)

    def read_parts(self, parts: Iterable[Range]) -> list[bytes | None]:
        """Parts of large values, in the order asked; None for what SQLite has to read.

        Only of a file that is `sequential`, and whose table has no other columns than the
        key and the value.
        """
        wanted = list(parts)
        cells = self._rows({key for key, _, _ in wanted})
        found = [
            locate(cells[key], offset, length, self._shape) if key in cells else None
            for key, offset, length in wanted
        ]
        self._load(runs_of(page for part in found if part is not None for page in part.pages))
        return [part and self._cut(part) for part in found]

    def _cut(self, part: Part) -> bytes | None:
        pages = [self._page(number) for number in part.pages]
        here = [data for data in pages if data is not None]
        return cut(part, here, self._shape) if len(here) == len(pages) else None

    def _rows(self, keys: Iterable[str]) -> dict[str, Cell]:
        return self._run(self._planner.rows(dict.fromkeys(keys, False), *self._tree_roots()))

    def warm_index(self, most: int = INDEX_BYTES) -> bool:
        """Fetch the key index; False where it has more than `most` bytes, and then a part."""
        index_root, _ = self._tree_roots()
        return self._run(self._planner.tree(index_root, most=most // self.header.page_size))

    def warm_table(self, most: int = INDEX_BYTES) -> bool:
        """Fetch the rows without what overflows; False where they have more than `most` bytes."""
        _, data_root = self._tree_roots()
        return self._run(self._planner.tree(data_root, most=most // self.header.page_size))

    def close(self) -> None:
        """Give back connection and reader; a second call does nothing."""
        self.connection.close()
        self.files.close()
        self.reader.close()

    def _page(self, number: int) -> bytes | None:
        return self.cache.get(number - 1)

    def _run(self, plan: Plan[T]) -> T:
        while True:
            try:
                wave = next(plan)
            except StopIteration as stop:
                result: T = stop.value
                return result
            self._load(wave)

    def _load(self, runs: Iterable[range]) -> None:
        # Pages count from 1, blocks of the cache from 0.
        self.cache.load([range(run.start - 1, run.stop - 1) for run in runs])

    def _tree_roots(self) -> tuple[int, int]:
        """The roots of the key index and of the table; the same without rowids, 0 for none."""
        if self._roots is None:
            try:
                found = dict(self.connection.execute(sql.ROOTS))
            except apsw.Error:
                # What is wrong with the schema, SQLite tells whoever asks for a value.
                return 0, 0
            table = found.get("table", 0)
            self._roots = found.get("index", table), table
        return self._roots


def _checked(name: str, start: bytes) -> Header:
    """The header, or the reason why there is none that can be used."""
    header = parse(start)
    if header is None:
        raise NotAStoreError(f"{name}: not a SQLite database")
    if header.page_size not in PAGE_SIZES or header.page_size - header.reserved < 480:
        raise CorruptError(f"{name}: its header gives an impossible page size")
    return header


def _size(reader: RangeReader, header: Header) -> int:
    """The size of the file: what its header says, held against the real one where that is known."""
    if not header.counts_pages:
        return reader.size
    told = header.page_count * header.page_size
    if reader.known_size is not None and reader.known_size < told:
        raise TruncatedError(
            f"{reader.name}: truncated: {size_text(reader.known_size)} of {size_text(told)}",
            hint="the copy on the server is not complete",
        )
    return told


def _shape(header: Header, size: int) -> Shape:
    return Shape(
        header.page_size,
        header.page_size - header.reserved,
        -(-size // header.page_size),
        CODECS.get(header.encoding, "utf-8"),
    )
