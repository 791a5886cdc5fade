"""The watch over a consolidated copy: each document below its group is held against it."""

from collections.abc import Mapping
from typing import Any, Final

from zarrdb.jsontext import pointer
from zarrdb.lint.collector import Collector
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import Rule
from zarrdb.lint.rules import consolidated as rules
from zarrdb.lint.same import same
from zarrdb.metadata import FieldCache
from zarrdb.metadata.reading import Reading
from zarrdb.metadata.v2.read_array import read_array

_NODES: Final = (".zarray", ".zgroup")
_STALE_HINT: Final = "readers that take the copy see something else; consolidate again"


class CopyWatch:
    """A `.zmetadata` of the group with a prefix; entries that were met are forgotten."""

    def __init__(
        self,
        prefix: str,
        key: str,
        entries: Mapping[str, Any],
        cache: FieldCache,
        collector: Collector,
    ) -> None:
        self.prefix = prefix
        self.key = key
        self._entries = entries
        self._rest = dict(entries)
        self._cache = cache
        self._collector = collector
        self._met_nodes = False

    def lists_array(self, path: str) -> bool:
        """Whether it has an entry for an array at a path of the store."""
        inside = path[len(self.prefix) :]
        return (f"{inside}/.zarray" if inside else ".zarray") in self._entries

    def see(self, key: str, name: str, value: Any) -> None:
        """Hold a document that was judged against its entry."""
        entry_key = key[len(self.prefix) :]
        self._met_nodes |= name in _NODES
        if entry_key in self._rest:
            entry = self._rest.pop(entry_key)
            if not same(entry, value):
                self._compare(entry_key, name, entry, value)
        elif name in _NODES:
            path = entry_key.rpartition("/")[0]
            self._add(rules.missing_node, (), f"does not list {path or 'the group itself'}")
        elif name == ".zattrs" and value:
            self._add(rules.stale_attributes, (), f"has no attributes of {entry_key}")

    def finish(self) -> None:
        """Report the entries of which there was no document."""
        if not self._met_nodes:
            text = "the only metadata there is: the documents that it lists are not in the store"
            self._add(rules.unusual, (), text)
            return
        for entry_key, entry in self._rest.items():
            name = entry_key.rpartition("/")[2]
            if name in _NODES:
                self._add(rules.absent_node, (entry_key,), f"{entry_key} is not in the store")
            elif name == ".zattrs" and entry:
                text = f"{entry_key} is not in the store"
                self._add(rules.stale_attributes, (entry_key,), text)

    def _compare(self, entry_key: str, name: str, entry: Any, value: Any) -> None:
        if name == ".zattrs":
            text = "other attributes than the document"
            self._add(rules.stale_attributes, (entry_key,), text, _STALE_HINT)
            return
        if name == ".zarray" and isinstance(value, dict) and isinstance(entry, dict):
            members = _read(value, self._cache).differences(_read(entry, self._cache))
        else:
            members = [name]
        if members:
            text = f"differs from the document in {', '.join(members)}"
            self._add(rules.stale, (entry_key,), text, _STALE_HINT)

    def _add(
        self, rule: Rule[Any], entry: tuple[str, ...], message: str, hint: str | None = None
    ) -> None:
        where = pointer(("metadata", *entry))
        self._collector.add(rule, Hit(message, hint, self.key, pointer=where))


def _read(value: dict[str, Any], cache: FieldCache) -> Reading:
    return read_array(value, cache)
