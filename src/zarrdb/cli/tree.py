"""The tree that `ls --tree` draws."""

from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from zarrdb.cli.output import Output, text_width
from zarrdb.cli.shown import present_text, shape_text
from zarrdb.hierarchy import Node
from zarrdb.keys import printable, split
from zarrdb.units import size_text


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
    """Siblings with their lines, columns aligned among them, and which is the last."""
    rows = [(printable(split(node.path)[1]), *_cells(node)) for node in nodes]
    # A group has nothing beside its name, and does not widen the column.
    wide = [row for row in rows if len(row) > 1]
    widths = [max(map(text_width, column)) for column in zip(*wide, strict=False)]
    for position, (node, row) in enumerate(zip(nodes, rows, strict=True)):
        text = row[0]
        if len(row) > 1:
            cells = (c + " " * (w - text_width(c)) for c, w in zip(row, widths, strict=True))
            text = "  ".join(cells).rstrip()
        yield node, text, position == len(nodes) - 1


def _cells(node: Node) -> tuple[str, ...]:
    if node.kind == "broken" or (node.problem is not None and node.kind != "array"):
        return ("?", "", "", "", printable(node.problem or ""))
    if node.kind == "group":
        return ()
    present = present_text(node)
    return (
        node.data_type or "?",
        shape_text(node.shape) or "?",
        f"{present} chunks" if present else "",
        size_text(node.stored_bytes),
        printable(node.problem or ""),
    )
