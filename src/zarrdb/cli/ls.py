"""`zarrdb ls`"""

from collections.abc import Iterator
from itertools import chain
from typing import Annotated

from typer import Option

from zarrdb.cli import options
from zarrdb.cli.opening import Reach, no_node, opened, quoted
from zarrdb.cli.output import Output, json_text
from zarrdb.cli.shown import chunks_text, node_members, present_text, shape_text, stored_text
from zarrdb.detect import is_frame
from zarrdb.errors import UsageError
from zarrdb.hierarchy import Node, walk
from zarrdb.keys import Entry, FarSource, KeySource, as_prefix, printable
from zarrdb.units import size_text

_HEADING = ("kind", "data type", "shape", "chunks", "present", "stored", "name")
_ALIGN = "llllrrl"


def command(
    file: options.File,
    node: options.Node = "",
    long: Annotated[bool, Option("--long", "-l", help="Types, shapes, chunks and sizes.")] = False,
    recursive: Annotated[
        bool, Option("--recursive", "-R", help="All levels, with full paths.")
    ] = False,
    depth: Annotated[
        int | None, Option("--depth", metavar="N", min=1, help="N levels, with full paths.")
    ] = None,
    tree: Annotated[bool, Option("--tree", help="All levels, drawn as a tree.")] = False,
    keys: Annotated[bool, Option("--keys", help="Keys instead of nodes, with full paths.")] = False,
    attributes: Annotated[
        bool, Option("--attributes", help="The attributes too, as JSON in the last column.")
    ] = False,
    null: options.Null = False,
    json: options.Json = False,
    timeout: options.Timeout = None,
    storage_option: options.StorageOption = None,
    max_bytes: options.MaxBytes = None,
    download: options.Download = False,
    temp_dir: options.TempDir = None,
    count: options.Count = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = 0,
    color: options.Color = "auto",
) -> None:
    """List what is in a store: bare names, groups with a slash.

    On a pipe -l is tab-separated, with exact bytes and without a heading.

    Example:
        zarrdb ls -l climate.zarrdb
        zarrdb ls --keys climate.zarrdb temperature
        zarrdb ls -R --json climate.zarrdb | jq -r 'select(.kind=="array").path'
    """
    out = Output(json=json, quiet=quiet, verbose=verbose, color=color)
    if keys and (tree or attributes):
        raise UsageError("--keys lists keys, which have no --tree and no --attributes")
    end = "\0" if null else "\n"
    path = node.strip("/")
    reach = Reach(storage_option, max_bytes, download, temp_dir, count)
    with opened(file, out, timeout=timeout, reach=reach) as source:
        full = recursive or tree or depth is not None
        counts, root = long or json or tree, "/"
        if is_frame(source):
            from zarrdb.cli import frames

            shown = attributes or json
            nodes = frames.listed(source, path, out, counts=counts, attributes=shown, keys=keys)
            path, root = "", frames.base_name(source)
        elif keys:
            _list_keys(source, path, out, long=long, end=end)
            return
        else:
            nodes = _nodes(source, path, depth if full else 1, out, counts=counts)
        if json:
            for found in nodes:
                out.json_line(node_members(found))
        elif tree:
            from zarrdb.cli.tree import draw

            draw(path or file, path, nodes, out)
        elif long or attributes:
            rows = (
                _row(found, _name(found, path, root, full=full), out, attributes=attributes)
                for found in nodes
            )
            if not long:
                rows = (row[6:] for row in rows)
            out.table(rows, heading=_HEADING if long else (), align=_ALIGN if long else "")
        else:
            for found in nodes:
                name = _name(found, path, root, full=full)
                out.line(printable(name) if out.terminal else name, end=end)


def _nodes(
    source: KeySource, path: str, depth: int | None, out: Output, *, counts: bool
) -> Iterator[Node]:
    """What is below the path; the node itself if it is no group."""
    found = walk(source, path, depth=depth, counts=counts)
    first = next(found, None)
    if first is not None:
        yield from (n for n in chain([first], found) if n.path != path or n.kind != "group")
    elif path:
        raise no_node(source, path)
    elif next(source.entries(), None) is not None:
        out.note(f"no node in it, but keys: `zarrdb ls --keys {quoted(source.name)}`")


def _list_keys(source: KeySource, path: str, out: Output, *, long: bool, end: str) -> None:
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


def _name(node: Node, path: str, root: str, *, full: bool) -> str:
    name = node.path
    if path and not full and name.startswith(f"{path}/"):
        name = name[len(path) + 1 :]
    return f"{name}/" if node.kind == "group" else name or root


def _row(node: Node, name: str, out: Output, *, attributes: bool) -> tuple[str, ...]:
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
