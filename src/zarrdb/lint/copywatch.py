"""The watch over a consolidated copy: each document below its group is held against it."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Protocol

from zarrdb.jsontext import pointer
from zarrdb.lint.collector import Collector
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import Rule
from zarrdb.lint.rules import consolidated as rules
from zarrdb.lint.same import same

_NODES: Final = (".zarray", ".zgroup", "zarr.json")
_STALE_HINT: Final = "readers that take the copy see something else; consolidate again"
_COPY: Final = "consolidated_metadata"


class Compares(Protocol):
    """What tells in what two documents of one name differ, by their meaning."""

    def differences(self, name: str, entry: dict[str, Any], value: dict[str, Any]) -> list[str]: ...


class CopyWatch:
    """The copy in a `.zmetadata`, whose entries are keys, or in a `zarr.json`, where they are
    paths; entries that were met are forgotten."""

    def __init__(
        self,
        prefix: str,
        key: str,
        entries: Mapping[str, Any],
        dialect: Compares,
        collector: Collector,
    ) -> None:
        self.prefix = prefix
        self.key = key
        self._inline = key.rpartition("/")[2] == "zarr.json"
        self._entries = entries
        self._rest = dict(entries)
        self._dialect = dialect
        self._collector = collector
        self._met_nodes = False

    def lists_array(self, path: str) -> bool:
        """Whether it has an entry for an array at a path of the store."""
        inside = path[len(self.prefix) :]
        if self._inline:
            entry = self._entries.get(inside)
            return isinstance(entry, dict) and entry.get("node_type") == "array"
        return (f"{inside}/.zarray" if inside else ".zarray") in self._entries

    def see(self, key: str, name: str, value: Any) -> None:
        """Hold a document that was judged against its entry."""
        if self._inline != (name == "zarr.json"):
            return
        if key == self.key:
            return
        self._met_nodes |= name in _NODES
        inside = key[len(self.prefix) :]
        entry_key = inside.removesuffix("/zarr.json") if self._inline else inside
        if entry_key in self._rest:
            entry = self._rest.pop(entry_key)
            if not same(entry, value):
                self._compare(entry_key, name, entry, value)
        elif name in _NODES:
            path = entry_key if self._inline else entry_key.rpartition("/")[0]
            self._add(rules.missing_node, (), f"does not list {path or 'the group itself'}")
        elif name == ".zattrs" and value:
            self._add(rules.stale_attributes, (), f"has no attributes of {entry_key}")

    def finish(self) -> bool:
        """Report the entries of which there was no document; whether there was any at all.

        Where there was none, the entries are the only documents there are.
        """
        if not self._met_nodes:
            text = "the only metadata there is: the documents that it lists are not in the store"
            self._add(rules.unusual, (), text)
            return False
        for entry_key, entry in self._rest.items():
            text = f"{entry_key} is not in the store"
            name = entry_key.rpartition("/")[2]
            if self._inline or name in _NODES:
                self._add(rules.absent_node, (entry_key,), text)
            elif name == ".zattrs" and entry:
                self._add(rules.stale_attributes, (entry_key,), text)
        return True

    def documents(self) -> Iterator[tuple[str, str, str, Any]]:
        """Each entry with its key, its place, the name of the document that it is, its value."""
        for entry_key, entry in self._entries.items():
            name = "zarr.json" if self._inline else entry_key.rpartition("/")[2]
            yield entry_key, self._pointer(entry_key), name, entry

    def _compare(self, entry_key: str, name: str, entry: Any, value: Any) -> None:
        if name == ".zattrs":
            members = ["attributes"]
        elif isinstance(value, dict) and isinstance(entry, dict):
            # zarr-python copies the copies of groups along, also into those of v2.
            entry, value = _without_copy(entry), _without_copy(value)
            if same(entry, value):
                return
            members = self._dialect.differences(name, entry, value)
            if "attributes" in members and self._same_attributes(entry, value):
                members.remove("attributes")
        else:
            members = [name]
        if members:
            rule = rules.stale_attributes if members == ["attributes"] else rules.stale
            what = entry_key or "the group itself"
            text = f"the copy of {what} differs from the document in {', '.join(members)}"
            self._add(rule, (entry_key,), text, _STALE_HINT)

    def _same_attributes(self, entry: dict[str, Any], value: dict[str, Any]) -> bool:
        return same(entry.get("attributes", {}), value.get("attributes", {}))

    def _add(
        self, rule: Rule[Any], entry: tuple[str, ...], message: str, hint: str | None = None
    ) -> None:
        hit = Hit(message, hint, self.key, pointer=self._pointer(*entry))
        self._collector.add(rule, hit)

    def _pointer(self, *entry: str) -> str:
        above = (_COPY,) if self._inline else ()
        return pointer((*above, "metadata", *entry))


def _without_copy(document: dict[str, Any]) -> dict[str, Any]:
    return {member: value for member, value in document.items() if member != _COPY}
