"""One pass over the keys of a source, with a stack of the places on the way down.

Keys come in code-point order of the whole key, so everything below a path is met in one
stretch; nothing is remembered about places that have been left. In Zarr v2 the documents of a
place come before what lies below it; a `zarr.json` comes after, and is fetched ahead.
"""

from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, Final

from zarrdb.db import Database
from zarrdb.errors import CorruptError, NotAStoreError, ZarrdbError
from zarrdb.keys import KeySource
from zarrdb.lint.chunkwatch import array_watch
from zarrdb.lint.collector import Collector
from zarrdb.lint.copies import Copies
from zarrdb.lint.extension import BySubject
from zarrdb.lint.finding import Hit
from zarrdb.lint.judge import Judge
from zarrdb.lint.leaving import Leaving
from zarrdb.lint.names import NameWatch
from zarrdb.lint.place import NODE_DOCUMENTS, V2, V3, Place
from zarrdb.lint.rules import hierarchy as hierarchy_rules
from zarrdb.lint.rules import portability as portability_rules
from zarrdb.lint.scopes import Scopes
from zarrdb.lint.valuewatch import UNREADABLE_VALUE
from zarrdb.lint.verdict import Verdict
from zarrdb.spec import DOCUMENT_NAMES

if TYPE_CHECKING:
    from zarrdb.lint.datawatch import DataWatch

_UNREAD: Final = frozenset({"key/value-not-blob"})
"""What a document that could not be read counts as, so that nothing follows from it."""

MAX_VALUE: Final = 1_000_000_000
"""Bytes of a record in stock builds of SQLite."""

Progress = Callable[[int, int], None]
"""Told how many keys and bytes of values have been seen so far."""

_TOLD_EVERY: Final = 64
"""Keys between two reports, unless every value is decoded."""

_STORES_BY_DOCUMENTS: Final = frozenset({"directory", "remote"})
"""Kinds of sources that anything may be; a database has told by its tables what it is."""

Row = tuple[str, int, bytes | None]

_FETCHED_AHEAD: Final = (".zarray", ".zgroup", "zarr.json")


class Scan:
    """The pass over one source; `keys` and `documents` count what was seen.

    `more` are rules that plugins bring, `decoding` has every chunk decoded, `heads` says
    whether the beginnings of values are looked at.
    """

    def __init__(
        self,
        source: KeySource,
        collector: Collector,
        scopes: Scopes,
        more: BySubject,
        decoding: "DataWatch | None" = None,
        progress: Progress | None = None,
        *,
        heads: bool = True,
    ) -> None:
        self._heads = heads
        self._progress = progress
        self._decoding = decoding
        self._source = source
        self._collector = collector
        self._judge = Judge(collector, scopes, more)
        self._names = NameWatch(collector, more)
        self._copies = Copies(collector, self._judge)
        self._leaving = Leaving(source, collector, self._copies, more)
        self._places = [Place("", None)]
        self.keys = 0
        self.documents = 0
        self.nodes = 0
        self.damage: CorruptError | None = None

    def run(self) -> None:
        """See every key, then finish the places that are still open."""
        place = self._places[-1]
        for key, size, value in self._rows():
            self.keys += 1
            if size > MAX_VALUE:
                self._huge(key, size)
            cut = key.rfind("/") + 1
            if key[:cut] != place.prefix:
                place = self._move(key, cut)
            name = key[cut:]
            if name in DOCUMENT_NAMES and place.valid:
                if name not in place.documents:
                    self._document(place, key, name, value)
                continue
            if not place.resolved:
                self._resolve(place, name)
            array = place.array
            if array is None:
                self._leaving.see_foreign(self._places, place, key, name, max(size, 0))
            elif array.see(key[len(array.prefix) :], size):
                continue
            self._names.see_key(place, key, name)
        while self._places:
            self._leaving.leave(self._places.pop())
        if self._decoding is not None:
            self._decoding.drain()
            self._leaving.finish_decoded()
        self._conclude()

    def _rows(self) -> Iterable[Row]:
        rows: Iterable[Row]
        if isinstance(self._source, Database):
            rows = self._source.survey()
        else:
            rows = ((key, size, None) for key, size in self._source.entries())
        return rows if self._progress is None else self._told(rows, self._progress)

    def _told(self, rows: Iterable[Row], progress: Progress) -> Iterator[Row]:
        every = _TOLD_EVERY if self._decoding is None else 1
        bytes_seen = 0
        for row in rows:
            bytes_seen += max(row[1], 0)
            yield row
            if not self.keys % every:
                progress(self.keys, bytes_seen)

    def _conclude(self) -> None:
        if self._source.kind in _STORES_BY_DOCUMENTS and not self.documents:
            raise NotAStoreError("no store: there is no metadata document in it")
        if not self.nodes and not self._copies.any_seen:
            self._collector.add(
                hierarchy_rules.no_nodes, Hit("no metadata document: Zarr finds nothing in it")
            )

    def _move(self, key: str, cut: int) -> Place:
        """Leave the places that end here and enter those that begin."""
        places = self._places
        place = places[-1]
        while not key.startswith(place.prefix):
            self._leaving.leave(places.pop())
            place = places[-1]
        start = len(place.prefix)
        while start < cut:
            end = key.index("/", start)
            name = key[start:end]
            if not place.resolved:
                self._resolve(place, name)
            below = Place(key[: end + 1], place, valid=place.valid and end > start)
            below.array, below.resolved = place.array, place.array is not None
            self._names.see_place(below, name)
            places.append(below)
            place, start = below, end + 1
        return place

    def _resolve(self, place: Place, name: str) -> None:
        """Make sure of a place's documents before what is called `name` there is judged.

        Whatever sorts before `name` has passed already.
        """
        place.resolved = True
        for document in _FETCHED_AHEAD:
            if not place.formats and name <= document and place.valid:
                self._document(place, place.prefix + document, document, None)

    def _document(self, place: Place, key: str, name: str, value: bytes | None) -> None:
        try:
            data = self._source.get(key) if value is None else value
        except UNREADABLE_VALUE as error:
            self._unread(error)
            verdict = Verdict(None, _UNREAD, is_array=name == ".zarray")
        else:
            if data is None:
                return
            verdict = self._judge.judge(key, name, data)
        self.documents += 1
        place.documents[name] = verdict
        if self._copies.active or verdict.entries is not None:
            self._copies.see(place, key, name, verdict)
        zarr_format = NODE_DOCUMENTS.get(name)
        if zarr_format is not None:
            self._node(place, zarr_format)
            if verdict.is_array and place.array is None:
                place.array = array_watch(
                    place.prefix, verdict, self._source, self._decoding, heads=self._heads
                )

    def _huge(self, key: str, size: int) -> None:
        message = f"a value of {size:,} bytes; SQLite takes {MAX_VALUE:,}"
        self._collector.add(portability_rules.huge_value, Hit(message, key=key))

    def _unread(self, error: ZarrdbError) -> None:
        """Remember damage; what else keeps a value from being read is among the remarks."""
        if isinstance(error, CorruptError) and self.damage is None:
            self.damage = error

    def _node(self, place: Place, zarr_format: int) -> None:
        """Take note of a node of a format, and of how it stands to what is above it."""
        self.nodes += 1
        place.formats |= zarr_format
        above = place.parent
        if above is None:
            return
        if not above.formats & zarr_format:
            self._check_format(place, zarr_format)
        if place.array is not None and place.array.prefix != place.prefix:
            around = place.array.prefix[:-1] or "/"
            hit = Hit(f"a node inside the array {around}", node=place.path)
            self._collector.add(hierarchy_rules.node_below_array, hit)
        while above is not None and not above.below & zarr_format:
            above.below |= zarr_format
            above = above.parent

    def _check_format(self, place: Place, zarr_format: int) -> None:
        """Report a node of one format below a group of the other only."""
        above = place.parent
        while above is not None and not above.formats:
            above = above.parent
        if above is None or above.formats & zarr_format:
            return
        # Of a v2 group the `zarr.json` has not passed yet.
        if zarr_format == V3 and self._source.size(above.prefix + "zarr.json") is not None:
            return
        mine, theirs = (2, 3) if zarr_format == V2 else (3, 2)
        self._collector.add(
            hierarchy_rules.mixed_formats,
            Hit(
                f"a node of Zarr v{mine} below the v{theirs} group {above.path or '/'}",
                "readers that walk down do not find it",
                node=place.path,
            ),
        )
