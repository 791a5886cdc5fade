"""`zarrdb cat`"""

from contextlib import ExitStack
from typing import Annotated

from typer import Argument, Option

from zarrdb.cli import options
from zarrdb.cli.opening import Reach, no_key, no_node, opened, quoted
from zarrdb.cli.outfile import sent_to
from zarrdb.cli.output import Output
from zarrdb.cli.values import Span, parse_span, print_json, print_value, show_attributes
from zarrdb.detect import is_frame
from zarrdb.errors import NotFoundError, UsageError
from zarrdb.keys import KeySource, printable


def command(
    file: options.File,
    keys: Annotated[
        list[str] | None, Argument(metavar="KEY...", help="Keys, printed without a separator.")
    ] = None,
    byte_range: Annotated[
        str | None,
        Option(
            "--range",
            metavar="START:LENGTH",
            help="A part of each value; a negative START counts from the end.",
        ),
    ] = None,
    attributes: Annotated[
        str | None, Option("--attributes", metavar="NODE", help="A node's attributes, as JSON.")
    ] = None,
    slices: Annotated[
        str | None,
        Option("--slice", metavar="'0:10, ::5'", help="A part of an array, decoded."),
    ] = None,
    form: Annotated[
        str | None,
        Option(
            "--format", metavar="text|csv|json|npy|raw", help="How --slice prints what it decodes."
        ),
    ] = None,
    force: Annotated[bool, Option("--force", help="Print binary data on a terminal.")] = False,
    output: options.OutputFile = None,
    overwrite: options.Overwrite = False,
    skip_existing: options.SkipExisting = False,
    json: options.Json = False,
    timeout: options.Timeout = None,
    storage_option: options.StorageOption = None,
    max_bytes: options.MaxBytes = None,
    download: options.Download = False,
    temp_dir: options.TempDir = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = 0,
    color: options.Color = "auto",
) -> None:
    """Print the values of keys, byte for byte.

    On a terminal metadata documents are indented and binary data is refused. Keys that
    begin with a dash come after `--`; the empty key is ''. With --json each KEY is an object
    of `key`, `bytes` (the size of the whole value), `offset`, `encoding` (`utf-8`, or `base64`
    for what is binary or longer than 4 MiB) and `value`; NODE is one of `path` and
    `attributes`; a slice is printed as with --format json.

    Example:
        zarrdb cat climate.zarrdb zarr.json | jq .attributes
        zarrdb cat climate.zarrdb temperature/c/0/0/0 --range 0:16 | xxd
        zarrdb cat climate.zarrdb temperature --slice '0, :3, ::-1' --format csv
        zarrdb cat climate.zarrdb temperature --slice 0 --format npy -o t.npy
        zarrdb cat temperature.b2nd --slice '0, :3'
    """
    out = Output(json=json, quiet=quiet, verbose=verbose, color=color)
    reach = Reach(storage_option, max_bytes, download, temp_dir)
    if json and form not in (None, "json"):
        raise UsageError("--json and --format exclude each other", hint="--json is --format json")
    if slices is None and (attributes is None) == (not keys):
        raise UsageError(
            "KEY is missing" if attributes is None else "--attributes and KEY exclude each other",
            hint="`zarrdb cat FILE KEY...`, or --attributes NODE, or --slice",
        )
    span = parse_span(byte_range) if byte_range is not None else None
    with ExitStack() as stack:
        sent = sent_to(output, file, out, overwrite=overwrite, skip_existing=skip_existing)
        if not stack.enter_context(sent):
            return
        source = stack.enter_context(opened(file, out, timeout=timeout, reach=reach))
        if slices is not None:
            from zarrdb.cli.slicing import print_slice

            form = "json" if json else form or "text"
            print_slice(source, keys or [], slices, form, out, force=force)
        elif is_frame(source):
            from zarrdb.cli import frames

            if attributes is None:
                raise frames.no_keys(source)
            frames.print_attributes(source, attributes, out)
        elif attributes is not None:
            _print_attributes(source, attributes, out)
        else:
            _print_keys(source, keys or [], span, out, force=force)


def _print_keys(
    source: KeySource, keys: list[str], span: Span | None, out: Output, *, force: bool
) -> None:
    for key in keys:
        if source.size(key) is None:
            raise no_key(source, key)
    for key in keys:
        if out.json:
            print_json(source, key, span, out)
        else:
            print_value(source, key, span, out, force=force)


def _print_attributes(source: KeySource, path: str, out: Output) -> None:
    from zarrdb.hierarchy import lookup

    nodes = lookup(source, path.strip("/"), counts=False)
    if not nodes:
        raise no_node(source, path)
    node = next((node for node in nodes if node.attributes is not None), nodes[0])
    if node.problem is not None and node.attributes is None:
        raise NotFoundError(
            f"{printable(source.name)}: no attributes of `{printable(path)}`: {node.problem}",
            hint=f"`zarrdb check {quoted(source.name)}` tells more",
        )
    show_attributes(node.path, node.attributes or {}, out)
