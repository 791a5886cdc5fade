"""The tree that `ls --tree` draws."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zarrdb.cli.output import Output, text_width
from zarrdb.cli.shown import present_text, shape_text, stored_text
from zarrdb.hierarchy import Node
from zarrdb.keys import printable, split


class _Lines(NamedTuple):
    """What the branches are drawn with: to a sibling, to the last one, past them, below it."""

    tee: str
    end: str
    past: str = "│   "
    none: str = "    "


_UNICODE = _Lines("├── ", "└── ")
_ASCII = _Lines("|-- ", "`-- ", "|   ")


def draw(name: str, path: str, nodes: Iterable[Node], out: Output) -> None:
    """Draw the nodes below `path` under the name; all of them are held in memory."""
    below: dict[str, list[Node]] = {}
    alone: list[Node] = []
    for node in nodes:
        here = alone if node.path == path else below.setdefault(split(node.path)[0], [])
        here.append(node)
    lines = _UNICODE if out.unicode else _ASCII
    out.line("  ".join([printable(name), *(cell for node in alone for cell in _cells(node))]))
    # A stack instead of recursion: paths may be deeper than Python's.
    pending = [("", _branches(below.pop(path, [])))]
    while pending:
        indent, branches = pending[-1]
        branch = next(branches, None)
        if branch is None:
            pending.pop()
            continue
        node, text, last = branch
        out.line(indent + (lines.end if last else lines.tee) + text)
        # Where documents of both formats claim a path, what is below is drawn once.
        if node.path in below:
            deeper = indent + (lines.none if last else lines.past)
            pending.append((deeper, _branches(below.pop(node.path))))


def _branches(nodes: Sequence[Node]) -> Iterator[tuple[Node, str, bool]]:
    """Siblings with their lines, the columns of arrays aligned, and which is the last."""
    names = [printable(split(node.path)[1]) for node in nodes]
    rows = [_cells(node) for node in nodes]
    arrays = [[name, *row] for name, row in zip(names, rows, strict=True) if row]
    widths = [max(map(text_width, column)) for column in zip(*arrays, strict=True)]
    for position, (node, name, row) in enumerate(zip(nodes, names, rows, strict=True)):
        cells = [name, *row]
        if row:
            cells = [c + " " * (w - text_width(c)) for c, w in zip(cells, widths, strict=True)]
        if node.problem:
            cells += ["?", printable(node.problem)]
        yield node, "  ".join(cells).rstrip(), position == len(nodes) - 1


def _cells(node: Node) -> list[str]:
    """What stands beside the name of an array; nothing beside a group's."""
    if node.kind != "array":
        return []
    present = present_text(node)
    return [
        node.data_type or "?",
        shape_text(node.shape) or "?",
        f"{present} chunks" if present else "",
        stored_text(node),
    ]
