"""Consolidated copies that are open: each document below them is shown to them."""

from dataclasses import replace
from typing import TYPE_CHECKING

from zarrdb.keys import printable
from zarrdb.lint.collector import Collector
from zarrdb.lint.finding import Hit
from zarrdb.lint.judge import Judge
from zarrdb.lint.place import NODE_DOCUMENTS, V3, Place
from zarrdb.lint.rules import consolidated as rules
from zarrdb.lint.verdict import Verdict

if TYPE_CHECKING:
    from zarrdb.lint.copywatch import CopyWatch


class Copies:
    """The copies of the groups that the scan is in, outermost first."""

    def __init__(self, collector: Collector, judge: Judge) -> None:
        self._collector = collector
        self._judge = judge
        self._open: list[CopyWatch] = []
        self.active = False
        """Whether there is a copy to show documents to."""
        self.any_seen = False

    def see(self, place: Place, key: str, name: str, verdict: Verdict) -> None:
        """Show a document that was judged to the copies around it; it may be one itself."""
        for copy in self._open:
            copy.see(key, name, verdict.value)
        if verdict.entries is None:
            return
        if name == "zarr.json" and place.below & V3:
            # Beside documents of v2 it was not fetched ahead: nodes below have passed already.
            return
        from zarrdb.lint.copywatch import CopyWatch

        dialect = self._judge.v3 if name == "zarr.json" else self._judge.v2
        watch = CopyWatch(place.prefix, key, verdict.entries, dialect, self._collector)
        # In key order those of the group itself came before.
        for own in (".zarray", ".zattrs", ".zgroup", "zarr.json"):
            if own in place.documents:
                watch.see(place.prefix + own, own, place.documents[own].value)
        self._open.append(watch)
        self.active = self.any_seen = True
        if place.prefix and name == ".zmetadata":
            self._unusual(key, "consolidated metadata of a subgroup")

    def misnamed(self, key: str) -> None:
        """Take a key that is named as if it were consolidated metadata."""
        self._unusual(key, "consolidated metadata is named `.zmetadata`")

    def list_array(self, path: str) -> bool:
        """Whether one of the copies lists an array at a path."""
        return any(copy.lists_array(path) for copy in self._open)

    def leave(self, place: Place) -> None:
        """Finish the copy of a place that is left."""
        if self._open and self._open[-1].prefix == place.prefix:
            copy = self._open.pop()
            self.active = bool(self._open)
            if not copy.finish():
                self._judge_entries(copy)

    def _judge_entries(self, copy: "CopyWatch") -> None:
        """Judge the entries of a copy as the documents that they are instead of."""
        for entry, place, name, value in copy.documents():
            if name not in NODE_DOCUMENTS or not isinstance(value, dict):
                continue
            for rule, hit in self._judge.entry(copy.key, name, value):
                where = place + (hit.pointer or "")
                message = f"{printable(entry)}: {hit.message}"
                self._collector.add(rule, replace(hit, message=message, pointer=where))

    def _unusual(self, key: str, message: str) -> None:
        self._collector.add(rules.unusual, Hit(message, "few readers look there", key=key))
