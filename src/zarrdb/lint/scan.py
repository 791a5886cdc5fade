"""One pass over the keys of a source, with a stack of the places on the way down.

Keys come in code-point order of the whole key, so everything below a path is met in one
stretch; nothing is remembered about places that have been left. In Zarr v2 the documents of a
place come before what lies below it; a `zarr.json` comes after, and is fetched ahead.
"""

import re
from collections.abc import Mapping
from typing import Any, Final

from zarrdb.errors import CorruptError, NotAStoreError, ZarrdbError
from zarrdb.keys import KeySource
from zarrdb.lint.chunkwatch import ChunkWatch, array_watch
from zarrdb.lint.collector import Collector
from zarrdb.lint.copywatch import CopyWatch
from zarrdb.lint.finding import Hit
from zarrdb.lint.judge import Judge
from zarrdb.lint.keywatch import KeyWatch
from zarrdb.lint.node import NODE_DOCUMENTS, Place
from zarrdb.lint.rule import rules_of
from zarrdb.lint.rules import chunk as chunk_rules
from zarrdb.lint.rules import chunk_value as chunk_value_rules
from zarrdb.lint.rules import consolidated as consolidated_rules
from zarrdb.lint.rules import hierarchy as hierarchy_rules
from zarrdb.lint.rules import orphan as orphan_rules
from zarrdb.lint.tally import Tally
from zarrdb.lint.valuewatch import UNREADABLE_VALUE
from zarrdb.lint.verdict import Verdict
from zarrdb.spec import DOCUMENT_NAMES

_UNREAD: Final = frozenset({"key/value-not-blob"})
"""What a document that could not be read counts as, so that nothing follows from it."""

_FETCHED_AHEAD: Final = (".zarray", ".zgroup", "zarr.json")

_V3_CHUNK: Final = re.compile(r"(?:(.*)/)?c(?:/[0-9]+|\.[0-9]+)+").fullmatch
_V2_CHUNK: Final = re.compile(r"(?:(.*?)/)??[0-9]+(?:[./][0-9]+)*").fullmatch


class Scan:
    """The pass over one source; `keys` and `documents` count what was seen."""

    def __init__(self, source: KeySource, collector: Collector) -> None:
        self._source = source
        self._collector = collector
        self._judge = Judge(collector)
        self._watch = KeyWatch(collector)
        self._places = [Place("", None)]
        self._parent = ""
        self._copies: list[CopyWatch] = []
        self._array_rules = rules_of(chunk_rules, chunk_value_rules)
        self._place_rules = (*rules_of(hierarchy_rules), orphan_rules.orphan)
        self.keys = 0
        self.documents = 0
        self.nodes = 0
        self._has_copy = False
        self.damage: CorruptError | None = None

    def run(self) -> None:
        """See every key, then finish the places that are still open."""
        for key, size in self._source.entries():
            self.keys += 1
            self._watch.see(key)
            parent, _, name = key.rpartition("/")
            if parent != self._parent:
                self._move(parent)
            place = self._places[-1]
            if name in DOCUMENT_NAMES:
                self._document(place, key, name)
            else:
                self._other(place, key, name, size)
        while self._places:
            self._leave(self._places.pop())
        if self._source.kind == "directory" and not self.documents:
            raise NotAStoreError("no store: there is no metadata document in it")
        if not self.nodes and not self._has_copy:
            self._collector.add(
                hierarchy_rules.no_nodes, Hit("no metadata document: Zarr finds nothing in it")
            )

    def _move(self, parent: str) -> None:
        """Leave the places that end here and enter those that begin."""
        self._parent = parent
        places = self._places
        while places[-1].path and not (parent + "/").startswith(places[-1].path + "/"):
            self._leave(places.pop())
        above = places[-1]
        rest = parent[len(above.path) + 1 :] if above.path else parent
        for name in rest.split("/") if rest else ():
            self._resolve(above, name)
            place = Place(above.key(name), above)
            place.array = above.array
            places.append(place)
            above = place

    def _resolve(self, place: Place, name: str) -> None:
        """Make sure of a place's documents before what is called `name` there is judged.

        Whatever sorts before `name` has passed already.
        """
        if place.resolved or place.array is not None:
            return
        place.resolved = True
        for document in _FETCHED_AHEAD:
            if place.is_node or document in place.documents or name > document:
                continue
            self._document(place, place.key(document), document)

    def _document(self, place: Place, key: str, name: str) -> None:
        if name in place.documents:
            return
        try:
            data = self._source.get(key)
        except UNREADABLE_VALUE as error:
            self._unread(error)
            verdict = Verdict(None, _UNREAD, is_array=name == ".zarray")
        else:
            if data is None:
                return
            verdict = self._judge.judge(key, name, data)
        self.documents += 1
        place.documents[name] = verdict
        self._judged(place, key, name, verdict)

    def _unread(self, error: ZarrdbError) -> None:
        """Remember damage; what else keeps a value from being read is among the remarks."""
        if isinstance(error, CorruptError) and self.damage is None:
            self.damage = error

    def _judged(self, place: Place, key: str, name: str, verdict: Verdict) -> None:
        for copy in self._copies:
            copy.see(key, name, verdict.value)
        if verdict.entries is not None:
            self._consolidated(place, key, verdict.entries)
        if name not in NODE_DOCUMENTS:
            return
        self.nodes += 1
        if place.array is not None and place.array.path != place.path:
            self._collector.add(
                hierarchy_rules.node_below_array,
                Hit(f"a node inside the array {place.array.path or '/'}", node=place.path),
            )
        self._announce(place, NODE_DOCUMENTS[name])
        self._check_format(place, NODE_DOCUMENTS[name])
        if verdict.is_array and place.array is None:
            place.array = array_watch(place.path, NODE_DOCUMENTS[name], verdict, self._source)

    def _consolidated(self, place: Place, key: str, entries: Mapping[str, Any]) -> None:
        copy = CopyWatch(place.path, key, entries, self._judge.v2, self._collector)
        # In key order those of the group itself came before.
        for name in (".zarray", ".zattrs", ".zgroup"):
            if name in place.documents:
                copy.see(place.key(name), name, place.documents[name].value)
        self._copies.append(copy)
        self._has_copy = True
        if place.path:
            self._unusual(key, "consolidated metadata of a subgroup")

    def _unusual(self, key: str, message: str) -> None:
        hit = Hit(message, "few readers look there", key=key)
        self._collector.add(consolidated_rules.unusual, hit)

    def _announce(self, place: Place, zarr_format: int) -> None:
        """Tell the places above that there is a node of this format below them."""
        above = place.parent
        while above is not None and zarr_format not in above.formats_below:
            above.formats_below.add(zarr_format)
            above = above.parent

    def _check_format(self, place: Place, zarr_format: int) -> None:
        """Report a node of one format below a group of the other only."""
        above = place.parent
        while above is not None and not above.is_node:
            above = above.parent
        if above is None or zarr_format in above.formats:
            return
        if zarr_format == 3 and self._source.size(above.key("zarr.json")) is not None:
            return
        self._collector.add(
            hierarchy_rules.mixed_formats,
            Hit(
                f"a node of Zarr v{zarr_format} below the v{5 - zarr_format} "
                f"group {above.path or '/'}",
                "readers that walk down do not find it",
                node=place.path,
            ),
        )

    def _other(self, place: Place, key: str, name: str, size: int) -> None:
        self._resolve(place, name)
        array = place.array
        if array is not None:
            array.see(key[len(array.path) + 1 :] if array.path else key, size)
            return
        if name == "zmetadata":
            self._unusual(key, "consolidated metadata is named `.zmetadata`")
        elif name[-1:].isdigit():
            self._orphan(key, size)

    def _orphan(self, key: str, size: int) -> None:
        """Count a key that looks like a chunk of the format of the group it lies in."""
        formats = next((place.formats for place in reversed(self._places) if place.is_node), {2, 3})
        match = (_V3_CHUNK(key) if 3 in formats else None) or (
            _V2_CHUNK(key) if 2 in formats else None
        )
        if match is None:
            return
        path = match[1] or ""
        if any(copy.lists_array(path) for copy in self._copies):
            return
        place = next(place for place in self._places if place.path == path)
        if place.orphans is None:
            place.orphans = Tally()
        place.orphans.add(key, size)

    def _leave(self, place: Place) -> None:
        if self._copies and self._copies[-1].path == place.path:
            self._copies.pop().finish()
        found: set[str] = set()
        for verdict in place.documents.values():
            found |= verdict.found
        self._collector.apply(self._place_rules, place, found)
        array = place.array
        if isinstance(array, ChunkWatch) and array.path == place.path:
            if len(place.formats) > 1:
                # The chunks of the other format's document are not this one's.
                array.other_layout = Tally()
            self._collector.apply(self._array_rules, array, set(array.found))
