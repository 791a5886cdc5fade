"""The tree that the nodes of a consolidated document form."""

from collections.abc import Iterable, Iterator, Mapping
from typing import NamedTuple

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import shown


class Misplaced(NamedTuple):
    """A node whose place in the tree is none: below an array, or in a group that is not listed."""

    path: str
    """The node; of a missing group, that of the group."""
    text: str
    reason: str


def misplaced(arrays: Mapping[str, bool]) -> Iterator[Misplaced]:
    """Nodes below an array, and groups that are not listed though a node in them is.

    `arrays` tells of each path whether it is an array. The root need not be listed, and each
    missing group comes once, the nearest alone.
    """
    missing: set[str] = set()
    for path, nearest in _with_ancestors(arrays):
        parent = path.rpartition("/")[0]
        if nearest is not None and arrays[nearest]:
            text = f"a node below the array {shown(nearest)}"
            yield Misplaced(path, text, reasons.NODE_BELOW_ARRAY)
        elif parent and nearest != parent and parent not in missing:
            missing.add(parent)
            text = f"the group {shown(parent)} is not listed, but {shown(path)} in it is"
            yield Misplaced(parent, text, reasons.MISSING_GROUP)


def _with_ancestors(paths: Iterable[str]) -> Iterator[tuple[str, str | None]]:
    """Every path with the nearest of the others that it lies below."""
    above: list[str] = []
    for path in sorted(paths, key=lambda path: path.split("/")):
        while above and above[-1] and not path.startswith(f"{above[-1]}/"):
            above.pop()
        yield path, above[-1] if above else None
        above.append(path)
