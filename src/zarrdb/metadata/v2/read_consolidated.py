"""Reading `.zmetadata`: the envelope, every node that it lists, and their tree."""

from collections.abc import Iterator, Mapping
from typing import Any, Final, Literal

from typing_extensions import TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.cache import FieldCache
from zarrdb.metadata.problem import Loc, Problem, Problems, below, shown
from zarrdb.metadata.reading import Fields, Reading, not_an_object
from zarrdb.metadata.resolve import ResolvedField
from zarrdb.metadata.scope import Scope
from zarrdb.metadata.shape import compiled
from zarrdb.metadata.tree import misplaced
from zarrdb.metadata.v2.array import ZARR_V2_ARRAY_METADATA_STORE_KEY as ARRAY
from zarrdb.metadata.v2.attributes import ZARR_V2_ATTRIBUTES_STORE_KEY as ATTRIBUTES
from zarrdb.metadata.v2.group import ZARR_V2_GROUP_METADATA_STORE_KEY as GROUP
from zarrdb.metadata.v2.read_node import read_parts
from zarrdb.metadata.value import JSONValue, refined, text_of, unfit_attributes

_DOCUMENTS: Final = (ARRAY, GROUP, ATTRIBUTES)

Listing = dict[str, dict[str, str]]
"""The keys of a node's documents, by their last component, by the node's path."""


class ZarrV2ConsolidatedReading(Reading):
    """Consolidated v2 metadata."""

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
        """The readings of the nodes that it lists, by path; empty when the envelope is wrong."""

    def read_in(self, scope: Scope) -> "ZarrV2ConsolidatedReading":
        return read_consolidated(self.value, FieldCache(scope))

    @property
    def members(self) -> dict[str, Any]:
        if not self.nodes:
            return {"": text_of(self.value)}
        said: dict[str, Any] = {
            key: text_of(item)
            for key, item in self.value["metadata"].items()
            if not _is_of_node(key, self.nodes)
        }
        return said | {path: frozenset(node.members.items()) for path, node in self.nodes.items()}


class _Envelope(TypedDict, closed=True):
    zarr_consolidated_format: Literal[1]
    metadata: Mapping[str, JSONValue]


def read_consolidated(
    value: Any, cache: FieldCache, *, fit: bool = False
) -> ZarrV2ConsolidatedReading:
    """Read consolidated metadata.

    Problems are located at `metadata`, the key of the entry, and the place in that document.
    When the envelope is wrong, or an entry is no finite JSON, the nodes are not read.
    """
    if not isinstance(value, dict):
        return ZarrV2ConsolidatedReading(value, cache.scope, not_an_object(value))
    problems = list(compiled(_Envelope).check(value))
    listed = value.get("metadata")
    if not fit and isinstance(listed, dict):
        for key, item in listed.items():
            unfit = unfit_attributes if document_name(key) == ATTRIBUTES else refined
            problems += below(("metadata", key), unfit(item, 2))
    if problems or not isinstance(listed, dict):
        return ZarrV2ConsolidatedReading(value, cache.scope, tuple(problems))
    listing, problems = _listed(listed)
    nodes: dict[str, Reading] = {}
    fields: list[tuple[Loc, ResolvedField]] = []
    for path, keys in listing.items():
        node, found, inner = _read_entry(keys, listed, cache)
        if node is not None:
            nodes[path] = node
        problems += found
        fields += inner
    problems += _tree_problems(listing)
    return ZarrV2ConsolidatedReading(value, cache.scope, tuple(problems), tuple(fields), nodes)


def _read_entry(
    keys: dict[str, str], listed: dict[str, Any], cache: FieldCache
) -> tuple[Reading | None, Problems, Fields]:
    """A node, its problems and its fields, located in the consolidated document."""
    if ARRAY not in keys and GROUP not in keys:
        return None, (), ()
    documents = {name: listed[key] for name, key in keys.items()}
    node, own, of_attributes = read_parts(documents, cache, fit=True)
    if ARRAY in keys and GROUP in keys:
        return node, (own[0]._replace(loc=("metadata", keys[GROUP])),), ()
    entry = ("metadata", keys[ARRAY] if ARRAY in keys else keys[GROUP])
    problems = below(entry, own)
    if of_attributes:
        problems += below(("metadata", keys[ATTRIBUTES]), of_attributes)
    return node, problems, tuple(((*entry, *loc), field) for loc, field in node.fields)


def document_name(key: str) -> str:
    """The last component of a key."""
    return key.rpartition("/")[2]


def node_path(key: str) -> str:
    """The path of the node that a key belongs to; slashes too many do not count."""
    return "/".join(part for part in key.split("/")[:-1] if part)


def _is_of_node(key: str, nodes: Mapping[str, Reading]) -> bool:
    return document_name(key) in _DOCUMENTS and node_path(key) in nodes


def _listed(entries: dict[str, Any]) -> tuple[Listing, list[Problem]]:
    """The documents that are listed, and the keys that name none or one that is there."""
    listing: Listing = {}
    problems: list[Problem] = []
    for key in entries:
        name = document_name(key)
        if name not in _DOCUMENTS:
            continue
        path = node_path(key)
        if not {".", ".."}.isdisjoint(path.split("/")):
            text = "a path has no `.` or `..` in it"
            problem = Problem(("metadata", key), "invalid_value", text, reasons.RELATIVE_PATH)
            problems.append(problem)
        elif listing.setdefault(path, {}).setdefault(name, key) != key:
            text = f"the same document as {shown(listing[path][name])}"
            problem = Problem(("metadata", key), "invalid_value", text, reasons.DUPLICATE_NODE)
            problems.append(problem)
    return listing, problems


def _tree_problems(listing: Listing) -> Iterator[Problem]:
    """Nodes below an array, and groups that are not listed; the root need not be."""
    nodes = {path: keys for path, keys in listing.items() if ARRAY in keys or GROUP in keys}
    for path, text, reason in misplaced({path: ARRAY in keys for path, keys in nodes.items()}):
        if reason == reasons.MISSING_GROUP:
            yield Problem(("metadata", f"{path}/{GROUP}"), "missing_key", text, reason)
        else:
            keys = nodes[path]
            loc = ("metadata", keys[ARRAY] if ARRAY in keys else keys[GROUP])
            yield Problem(loc, "invalid_value", text, reason)
