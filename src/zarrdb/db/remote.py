"""A `.zarrdb` far away, for reading: SQLite's answers, out of pages fetched in waves."""

import logging
from collections.abc import Iterable, Iterator, Sequence
from functools import partial
from typing import Final

import apsw

from zarrdb.db import listing
from zarrdb.db.container import ContainerFacts, Problem, check_integrity, of_file, with_content
from zarrdb.db.database import Database
from zarrdb.db.documents import Row
from zarrdb.db.opening import Demands, Opened, open_over
from zarrdb.db.pager import INDEX_BYTES, Pager
from zarrdb.db.values import Range, Values
from zarrdb.db.ways import FileState, harden
from zarrdb.keys import Entry, Remark, is_document
from zarrdb.spec import APPLICATION_ID
from zarrdb.transport.reader import RangeReader, Traffic

BATCH_BYTES: Final = 24 << 20
"""Bytes of the values that are fetched together; with all that is guessed they fit in the
cache, and four of the largest requests run side by side."""
FIRST_GUESS: Final = 1 << 20
"""Bytes taken for the size of a value until one has been seen."""
FIRST_PAGE: Final = 4
"""Keys whose sizes are fetched first: many only want to know whether there is one."""
MOST_DOCUMENTS: Final = 1000
"""So many documents at most are fetched because a second one was not at hand."""
DOCUMENTS_INDEX: Final = 1 << 20
"""Bytes of a key index that is read to find them."""

_log = logging.getLogger("zarrdb")


class RemoteDatabase(Database):
    """Keys and values of a file behind a range reader. Made by `open_remote`.

    What several threads ask for is fetched side by side. Besides what a Database raises, any
    call may raise a RangeError.
    """

    def __init__(self, pager: Pager, opened: Opened) -> None:
        super().__init__(opened, fold=False)
        self.kind = self.facts.kind
        self._pager = pager
        self.index_limit = INDEX_BYTES
        """Bytes of a key index that is fetched only to count keys."""
        self._usual_size = FIRST_GUESS
        self._missed_documents = 0
        self._sized: bool | None = None
        self.opening_requests = self.traffic.requests
        """What opening cost."""

    @property
    def traffic(self) -> Traffic:
        """What was fetched so far."""
        return self._pager.reader.traffic

    @property
    def stamp(self) -> str | None:
        """Names the exact bytes of the file; None if the other side has no name for them."""
        return self._pager.reader.stamp

    def close(self) -> None:
        """Give back connection and reader; a second call does nothing."""
        super().close()
        self._pager.close()

    # Reading values

    def get(self, key: str) -> bytes | None:
        """The whole value, or None if there is no such key."""
        if is_document(key):
            self._warm_document(key)
        else:
            self._pager.warm_values([key])
        return super().get(key)

    def _warm_document(self, key: str) -> None:
        """Fetch a document; with the second one that is not at hand, fetch all of them.

        A walk through the hierarchy would otherwise wait for each of them in turn.
        """
        before = self.traffic.requests
        self._pager.warm_values([key])
        if self.traffic.requests == before:
            return
        self._missed_documents += 1
        if self._missed_documents == 2 and self._pager.warm_index(DOCUMENTS_INDEX):
            documents = [found for found in self.list() if is_document(found)]
            self._pager.warm_values(documents[:MOST_DOCUMENTS])

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given; as many as fit are fetched together."""
        for batch in self._batches(keys):
            self._pager.warm_values(batch)
            for key in batch:
                value = super().get(key)
                if value is not None and not is_document(key):
                    self._usual_size = (self._usual_size + len(value)) // 2
                yield key, value

    def _batches(self, keys: Iterable[str]) -> Iterator[Sequence[str]]:
        page_size = self._pager.header.page_size
        batch: list[str] = []
        size = 0
        for key in keys:
            batch.append(key)
            size += page_size if is_document(key) else max(page_size, self._usual_size)
            if size >= BATCH_BYTES:
                yield batch
                batch, size = [], 0
        if batch:
            yield batch

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a value, clamped to it; a negative offset counts from its end."""
        return self.get_ranges([(key, offset, length)])[0]

    def get_ranges(self, ranges: Sequence[Range]) -> Values:
        """Several (key, offset, length), in the order given; fetched together."""
        found: Values = [None] * len(ranges)
        if self._pager.sequential and self._layout.plain and self._layout.incremental:
            found = self._pager.read_parts(ranges)
        left = [place for place, part in enumerate(found) if part is None]
        self._pager.warm_values({ranges[place][0] for place in left})
        values = super().get_ranges([ranges[place] for place in left])
        for place, value in zip(left, values, strict=True):
            found[place] = value
        return found

    def read_into(self, key: str, buffer: bytearray | memoryview, offset: int = 0) -> int | None:
        """Fill the buffer from a place in a value; the number of bytes, or None if no key."""
        view = memoryview(buffer).cast("B")
        value = self.get_range(key, offset, len(view))
        if value is None:
            return None
        view[: len(value)] = value
        return len(value)

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        """A value piece by piece, in flat memory. Raises NotFoundError."""
        self._pager.warm_sizes([key])
        return super().stream(key, chunk_size)

    def size(self, key: str) -> int | None:
        """Size of the value in bytes, or None if there is no such key; it is not read."""
        self._pager.warm_sizes([key])
        return super().size(key)

    # Listing: the key index alone, unless sizes are asked for

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix` once, in code-point order of the whole key, past `after`.

        Sizes are in the rows, which are all over the file; `list` is content with the index.
        """
        if not self._layout.ordered:
            self._pager.warm_table()
            yield from super().entries(prefix, after)
            return
        for keys in self._key_pages(prefix, listing.end_of(prefix), after):
            self._pager.warm_sizes(keys)
            for key in keys:
                yield Entry(key, super().size(key) or 0)

    def list(self) -> Iterator[str]:
        """Every key, in code-point order."""
        return self.list_prefix("")

    def list_prefix(self, text: str, after: str | None = None) -> Iterator[str]:
        """Every key past `after` that begins with `text`, any text, taken literally."""
        if self._layout.ordered:
            self._pager.warm_index()
        yield from super().list_prefix(text, after)

    def keys_at_hand(self, prefix: str = "") -> Iterator[str] | None:
        """The keys below `prefix` in order; None where the key index is over `index_limit`."""
        return self.list_prefix(prefix) if self._pager.warm_index(self.index_limit) else None

    def exists(self, key: str) -> bool:
        """Whether there is such a key; only the key index is read."""
        self._pager.warm_keys([key])
        if not self._layout.ordered:
            return super().exists(key)
        return self._has_any(key, key + "\0")

    def sizes_at_hand(self) -> bool:
        """Fetch the rows without what overflows; False where they are over `index_limit`."""
        if self._sized is None:
            self._sized = self._pager.warm_table(self.index_limit)
        return self._sized

    def survey(self) -> Iterator[Row]:
        """Every key with its size, and with the value where it is a metadata document.

        The size is -1 where telling it would fetch more than `index_limit` bytes of rows.
        """
        if not self._layout.ordered:
            yield from super().survey()
            return
        self._pager.warm_index()
        sized = self.sizes_at_hand()
        for keys in self._key_pages("", listing.end_of(""), None):
            self._pager.warm_values(filter(is_document, keys))
            for key in keys:
                value = super().get(key) if is_document(key) else None
                if value is not None:
                    yield key, len(value), value
                else:
                    yield key, (super().size(key) or 0) if sized else -1, None

    def integrity(self) -> ContainerFacts:
        """The facts with what reading every page shows."""
        found = self._handle.read(partial(_integrity, self.facts))
        return self.facts._replace(problems=self.facts.problems + found)

    def remarks(self) -> Iterator[Remark]:
        """Rows that fit no key and value; needs a pass over all rows."""
        self._pager.warm_table()
        return super().remarks()

    def _key_pages(
        self, prefix: str, end: str | bytes, after: str | None
    ) -> Iterator[Sequence[str]]:
        past = after is not None and after >= prefix
        start: str | bytes | None = after if past else prefix
        limit = FIRST_PAGE
        while start is not None:
            page = self._page(start, end, limit, past)
            yield [entry.key for entry in page.entries]
            start, past, limit = page.last, True, min(8 * limit, listing.PAGE)

    def _page(self, start: str | bytes, end: str | bytes, limit: int, after: bool) -> listing.Page:
        return self._handle.read(listing.keys, self._layout, start, end, limit, after=after)


def _integrity(facts: ContainerFacts, connection: apsw.Connection) -> tuple[Problem, ...]:
    return tuple(check_integrity(facts, connection))


def open_remote(
    reader: RangeReader,
    *,
    first: bytes | None = None,
    allow_foreign: bool = False,
    strict: bool = True,
) -> RemoteDatabase:
    """Open the `.zarrdb`, or the SQLite store of zarr-python 2, behind a reader.

    `first` are bytes from its start, if some were read already (best HEAD of them). Closing it
    closes the reader. Without `strict` whatever can be read at all is opened. Raises what
    `Database.open` raises for a file's content.
    """
    pager = Pager(reader, first=first)
    try:
        database = RemoteDatabase(pager, _opened(pager, allow_foreign, strict))
    except BaseException:
        pager.close()
        raise
    if strict and database.facts.has("wal-mode"):
        _log.warning(
            "%s: the header says WAL: rows may be in a -wal file that was not shipped", reader.name
        )
    return database


def _opened(pager: Pager, allow_foreign: bool, strict: bool) -> Opened:
    name, connection = pager.reader.name, pager.connection
    state = FileState(pager.cache.size, pager.start, pager.header, (), (0, 0), name=name)
    demands = Demands(strict=strict, allow_foreign=allow_foreign, writing=False)
    if pager.header.application_id != APPLICATION_ID:
        harden(connection)
        if with_content(of_file(state), connection).kind == "legacy":
            demands = Demands(strict=False, allow_foreign=True, writing=False)
    return open_over(connection, name, state, demands)
