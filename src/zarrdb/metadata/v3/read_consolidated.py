"""Reading the documents that a v3 group lists, and the tree that they form."""

from collections.abc import Iterator, Mapping
from typing import Any

from zarrdb.metadata import reasons
from zarrdb.metadata.cache import FieldCache
from zarrdb.metadata.problem import Loc, Problem, Problems, below, shown
from zarrdb.metadata.reading import Fields, Reading
from zarrdb.metadata.resolve import AcceptedField, ResolvedField
from zarrdb.metadata.scope import Scope
from zarrdb.metadata.tree import misplaced
from zarrdb.metadata.v3.read_array import ZarrV3ArrayReading
from zarrdb.metadata.v3.read_node import CONSOLIDATED, ZarrV3GroupReading, read_group, read_node

_LISTED_AT = (CONSOLIDATED, "metadata")


class ZarrV3ConsolidatedReading(Reading):
    """The documents that a group lists; `value` is the group's own document."""

    __slots__ = ("nodes",)

    def __init__(
        self,
        value: Any,
        scope: Scope,
        problems: Problems,
        fields: Fields = (),
        nodes: Mapping[str, Reading] | None = None,
    ) -> None:
        super().__init__(value, scope, problems, fields)
        self.nodes = nodes or {}
        """The readings of the nodes, by path from the group."""

    def read_in(self, scope: Scope) -> "ZarrV3ConsolidatedReading":
        cache = FieldCache(scope)
        return read_consolidated(read_group(self.value, cache), cache)

    @property
    def members(self) -> dict[str, Any]:
        return {path: frozenset(node.members.items()) for path, node in self.nodes.items()}


def read_consolidated(
    group: ZarrV3GroupReading, cache: FieldCache, *, fit: bool = False
) -> ZarrV3ConsolidatedReading:
    """Read the documents that a group lists.

    Problems are located from the group's root, at `consolidated_metadata`, `metadata`, the
    path, and the place in that document. Of a group that has no member of the right form
    nothing is read: what is wrong with it is a problem of the group.
    """
    if not isinstance(group.field_at(CONSOLIDATED), AcceptedField):
        return ZarrV3ConsolidatedReading(group.value, cache.scope, ())
    nodes: dict[str, Reading] = {}
    problems: list[Problem] = []
    fields: list[tuple[Loc, ResolvedField]] = []
    inner: dict[str, ZarrV3ConsolidatedReading] = {}
    for path, entry in group.value[CONSOLIDATED]["metadata"].items():
        at = (*_LISTED_AT, path)
        if not is_path(path):
            text = f"{shown(path)} is no path of a node below the group"
            problems.append(Problem(at, "invalid_value", text, reasons.BAD_PATH))
        node = nodes[path] = read_node(entry, cache, fit=fit)
        problems += below(at, node.problems)
        fields += [((*at, *loc), field) for loc, field in node.fields]
        if isinstance(node, ZarrV3GroupReading) and not node.problems:
            inner[path] = read_consolidated(node, cache, fit=fit)
            problems += below(at, inner[path].problems)
    problems += _tree_problems(nodes)
    for path, listing in inner.items():
        if is_path(path):
            problems += _contradictions(path, listing, nodes)
    return ZarrV3ConsolidatedReading(
        group.value, cache.scope, tuple(problems), tuple(fields), nodes
    )


def is_path(path: str) -> bool:
    """Whether a key is the path of a node below a group (core specification, "Node names")."""
    return all(
        name.strip(".") and not name.startswith("__") and name != "zarr.json"
        for name in path.split("/")
    )


def _tree_problems(nodes: Mapping[str, Reading]) -> Iterator[Problem]:
    arrays = {
        path: isinstance(node, ZarrV3ArrayReading) for path, node in nodes.items() if is_path(path)
    }
    for path, text, reason in misplaced(arrays):
        is_missing = reason == reasons.MISSING_GROUP
        kind: Any = "missing_key" if is_missing else "invalid_value"
        yield Problem((*_LISTED_AT, path), kind, text, reason)


def _contradictions(
    path: str, listing: ZarrV3ConsolidatedReading, nodes: Mapping[str, Reading]
) -> Iterator[Problem]:
    """Where a listed group lists what the outer group does not, or describes otherwise."""
    for name, node in listing.nodes.items():
        if not is_path(name):
            continue
        whole = f"{path}/{name}"
        other = nodes.get(whole)
        if other is None:
            text = f"only the group {shown(path)} lists {shown(whole)}"
        elif _differ(node, other):
            text = f"described otherwise than the entry {shown(whole)} does"
        else:
            continue
        loc = (*_LISTED_AT, path, *_LISTED_AT, name)
        yield Problem(loc, "invalid_value", text, reasons.CONTRADICTION)


def _differ(one: Reading, other: Reading) -> bool:
    """Whether two documents of one node disagree, as far as both can be understood.

    A group's own listing is compared entry by entry, where it stands.
    """
    kinds = (ZarrV3ArrayReading, ZarrV3GroupReading)
    if not isinstance(one, kinds) or not isinstance(other, kinds):
        return False
    if type(one) is not type(other):
        return True
    if one.problems or other.problems:
        return False
    return one.differences(other) not in ([], [CONSOLIDATED])
