"""What is judged of a place when the last key below it has passed."""

from functools import cached_property
from typing import Final

from zarrdb.keys import KeySource, printable
from zarrdb.lint.arraydata import ArrayData
from zarrdb.lint.chunkwatch import BlindWatch, ChunkWatch
from zarrdb.lint.collector import Collector
from zarrdb.lint.copies import Copies
from zarrdb.lint.extension import BySubject
from zarrdb.lint.place import NODE_DOCUMENTS, V2, V3, Place
from zarrdb.lint.rule import rules_of
from zarrdb.lint.rules import chunk as chunk_rules
from zarrdb.lint.rules import chunk_data as chunk_data_rules
from zarrdb.lint.rules import chunk_value as chunk_value_rules
from zarrdb.lint.rules import hierarchy as hierarchy_rules
from zarrdb.lint.rules import orphan as orphan_rules
from zarrdb.lint.tally import Tally
from zarrdb.patterns import compiled

_V3_CHUNK: Final = r"(?:(.*)/)?c(?:/[0-9]+|\.[0-9]+)+"
_V2_CHUNK: Final = r"(?:(.*?)/)??[0-9]+(?:[./][0-9]+)*"

_PLACE_RULES: Final = (*rules_of(hierarchy_rules), orphan_rules.orphan)
_ARRAY_RULES: Final = rules_of(chunk_rules, chunk_value_rules)
_DATA_RULES: Final = rules_of(chunk_data_rules)
_ABSENCE_RULES: Final = (chunk_rules.missing, chunk_rules.undefined)


class Leaving:
    """Runs the rules on places and arrays; counts keys that belong to no array until then."""

    def __init__(
        self, source: KeySource, collector: Collector, copies: Copies, more: BySubject
    ) -> None:
        self._source = source
        self._more = more.get("node", ())
        self._collector = collector
        self._copies = copies
        # Arrays that are left while chunks of theirs are still being decoded.
        self._decoding: list[tuple[ArrayData, set[str]]] = []

    def see_foreign(
        self, places: list[Place], place: Place, key: str, name: str, size: int
    ) -> None:
        """Take a key that lies in no array: it may be a chunk of one that is gone."""
        if name == "zmetadata":
            self._copies.misnamed(key)
        elif name[-1:].isdigit():
            self._see_orphan(places, place, key, size)

    def _see_orphan(self, places: list[Place], place: Place, key: str, size: int) -> None:
        """Count a key that looks like a chunk of the format of the group it lies in."""
        group: Place | None = place
        while group is not None and not group.formats:
            group = group.parent
        formats = V2 | V3 if group is None else group.formats
        match = (compiled(_V3_CHUNK).fullmatch(key) if formats & V3 else None) or (
            compiled(_V2_CHUNK).fullmatch(key) if formats & V2 else None
        )
        if match is None or self._copies.list_array(match[1] or ""):
            return
        owner = next(each for each in places if each.path == (match[1] or ""))
        if owner.orphans is None:
            owner.orphans = Tally()
        owner.orphans.add(key, size)

    def leave(self, place: Place) -> None:
        """Judge a place that nothing more can be told about."""
        self._copies.leave(place)
        array = place.array
        ordinary = place.is_ordinary
        if self._more and place.formats:
            self._collector.apply(self._more, place, set())
        if ordinary and (array is None or array.prefix != place.prefix):
            return
        found: set[str] = set()
        for verdict in place.documents.values():
            found |= verdict.found
        if place.orphans is not None and not place.formats and self._is_unread(place):
            found.add(orphan_rules.UNREAD)
        if not ordinary:
            self._collector.apply(_PLACE_RULES, place, set(found))
        if array is not None and array.prefix == place.prefix:
            self._leave_array(array, place, found)

    def _is_unread(self, place: Place) -> bool:
        """Whether a document of a node is there that is no file which can be read."""
        return any(printable(place.prefix + name) in self._unread for name in NODE_DOCUMENTS)

    @cached_property
    def _unread(self) -> frozenset[str]:
        """The documents of nodes that only a directory's remarks tell of."""
        if self._source.kind != "directory":
            return frozenset()
        keys = (remark.key for remark in self._source.remarks())
        return frozenset(key for key in keys if key.rpartition("/")[2] in NODE_DOCUMENTS)

    def _leave_array(self, array: ChunkWatch | BlindWatch, place: Place, found: set[str]) -> None:
        if isinstance(array, BlindWatch):
            return
        if place.formats == V2 | V3:
            # The chunks of the other format's document are not this one's.
            array.tallies.pop("other-layout", None)
        if array.tallies or array.present:
            self._collector.apply(_ARRAY_RULES, array, found)
        elif array.present != array.total:
            self._leave_empty(array, found)
        if array.data is not None:
            self._decoding.append((array.data, found))
            self.finish_decoded()

    def _leave_empty(self, array: ChunkWatch, found: set[str]) -> None:
        """Judge an array without any chunk, of which there may be very many."""
        is_ordinary = not found and array.array.value.get("fill_value") is not None
        if is_ordinary and self._collector.is_full(chunk_rules.missing):
            self._collector.count(chunk_rules.missing, array.path)
        else:
            self._collector.apply(_ABSENCE_RULES, array, found)

    def finish_decoded(self) -> None:
        """Judge the arrays all of whose chunks have been decoded."""
        waiting = []
        for data, found in self._decoding:
            if data.pending:
                waiting.append((data, found))
            else:
                self._collector.apply(_DATA_RULES, data, found)
        self._decoding = waiting
