"""`zarrdb info`"""

from contextlib import ExitStack

from zarrdb.cli import options
from zarrdb.cli.opening import Reach, no_node, opened
from zarrdb.cli.outfile import sent_to
from zarrdb.cli.output import Output
from zarrdb.detect import is_frame


def command(
    file: options.File,
    node: options.Node = "",
    output: options.OutputFile = None,
    overwrite: options.Overwrite = False,
    skip_existing: options.SkipExisting = False,
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
    """Describe a file, or a group or array in it, without reading any chunk.

    NODE `/` is the root group or array. With -v attributes are shown in full.

    Example:
        zarrdb info climate.zarrdb
        zarrdb info climate.zarrdb temperature
        zarrdb info --json climate.zarrdb | jq .hierarchy.arrays
        zarrdb info --json climate.zarrdb -o climate.json
        zarrdb info https://host/temperature.b2nd
    """
    out = Output(json=json, quiet=quiet, verbose=verbose, color=color)
    reach = Reach(storage_option, max_bytes, download, temp_dir, count)
    with ExitStack() as stack:
        sent = sent_to(output, file, out, overwrite=overwrite, skip_existing=skip_existing)
        if not stack.enter_context(sent):
            return
        source = stack.enter_context(opened(file, out, timeout=timeout, reach=reach))
        if is_frame(source):
            from zarrdb.cli.frame_info import print_frame

            print_frame(source, node, out)
            return
        if not node:
            from zarrdb.cli.info_file import print_file

            print_file(source, out)
            return
        from zarrdb.cli.info_node import print_node
        from zarrdb.hierarchy import lookup

        nodes = lookup(source, node.strip("/"))
        if not nodes:
            raise no_node(source, node)
        for found in nodes:
            print_node(source, found, out)
