"""`zarrdb ls`"""

from typing import Annotated

from typer import Option

from zarrdb.cli import options
from zarrdb.cli.listing import list_keys, name_of, nodes_below, row_of
from zarrdb.cli.opening import Reach, opened
from zarrdb.cli.output import Output
from zarrdb.cli.shown import node_members
from zarrdb.detect import is_frame
from zarrdb.errors import UsageError
from zarrdb.keys import printable

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
            list_keys(source, path, out, long=long, end=end)
            return
        else:
            nodes = nodes_below(source, path, depth if full else 1, out, counts=counts)
        if json:
            for found in nodes:
                out.json_line(node_members(found))
        elif tree:
            from zarrdb.cli.tree import draw

            draw(path or file, path, nodes, out)
        elif long or attributes:
            rows = (
                row_of(found, name_of(found, path, root, full=full), out, attributes=attributes)
                for found in nodes
            )
            if not long:
                rows = (row[6:] for row in rows)
            out.table(rows, heading=_HEADING if long else (), align=_ALIGN if long else "")
        else:
            for found in nodes:
                name = name_of(found, path, root, full=full)
                out.line(printable(name) if out.terminal else name, end=end)
