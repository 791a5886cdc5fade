"""What `ls` lists: nodes as rows of a table, and keys."""

from collections.abc import Iterator
from itertools import chain

from zarrdb.cli.opening import no_node, quoted
from zarrdb.cli.output import Output, json_text
from zarrdb.cli.shown import chunks_text, present_text, shape_text, stored_text
from zarrdb.hierarchy import Node, walk
from zarrdb.keys import Entry, FarSource, KeySource, as_prefix, printable
from zarrdb.units import size_text


def nodes_below(
    source: KeySource, path: str, depth: int | None, out: Output, *, counts: bool
) -> Iterator[Node]:
    """What is below the path; the node itself if it is no group. Raises NotFoundError."""
    found = walk(source, path, depth=depth, counts=counts)
    first = next(found, None)
    if first is not None:
        yield from (n for n in chain([first], found) if n.path != path or n.kind != "group")
    elif path:
        raise no_node(source, path)
    elif next(source.entries(), None) is not None:
        out.note(f"no node in it, but keys: `zarrdb ls --keys {quoted(source.name)}`")


def list_keys(source: KeySource, path: str, out: Output, *, long: bool, end: str) -> None:
    """List the keys below the path. Raises NotFoundError."""
    entries = _entries(source, as_prefix(path), sizes=long or out.json)
    first = next(entries, None)
    if first is None:
        if path:
            raise no_node(source, path)
        return
    every = chain([first], entries)
    if out.json:
        for key, size in every:
            out.json_line({"key": key, "bytes": size})
    elif long:
        sizes = ((size_text(size) if out.terminal else str(size), key) for key, size in every)
        out.table(sizes, heading=("bytes", "key"), align="r")
    else:
        for key, _ in every:
            out.line(printable(key) if out.terminal else key, end=end)


def _entries(source: KeySource, prefix: str, *, sizes: bool) -> Iterator[Entry]:
    """The keys below a prefix, without their sizes where those are far away and not wanted."""
    keys = source.keys_at_hand(prefix) if isinstance(source, FarSource) and not sizes else None
    return source.entries(prefix) if keys is None else (Entry(key, 0) for key in keys)


def name_of(node: Node, path: str, root: str, *, full: bool) -> str:
    """What a listing of the path calls a node; `root` is what it calls the root's array."""
    name = node.path
    if path and not full and name.startswith(f"{path}/"):
        name = name[len(path) + 1 :]
    return f"{name}/" if node.kind == "group" else name or root


def row_of(node: Node, name: str, out: Output, *, attributes: bool) -> tuple[str, ...]:
    """The cells of a node in `ls -l`, and its attributes in one more."""
    row = (
        "?" if node.kind == "broken" else node.kind,
        node.data_type or "",
        shape_text(node.shape),
        chunks_text(node),
        present_text(node),
        stored_text(node, exact=not out.terminal),
        name,
        node.problem or "",
    )
    return (*row, json_text(node.attributes or {})) if attributes else row
