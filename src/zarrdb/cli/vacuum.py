"""`zarrdb vacuum`"""

import os
from typing import Annotated

from typer import Argument, Option

from zarrdb.cli import options
from zarrdb.cli.output import Output
from zarrdb.errors import UsageError
from zarrdb.keys import printable


def command(
    files: Annotated[list[str] | None, Argument(metavar="FILE...", help=".zarrdb files.")] = None,
    output: options.OutputFile = None,
    output_dir: options.OutputDir = None,
    page_size: options.PageSize = "auto",
    force: Annotated[bool, Option("--force", help="Rewrite a tidy file as well.")] = False,
    overwrite: options.Overwrite = False,
    skip_existing: options.SkipExisting = False,
    temp_dir: options.TempDir = None,
    dry_run: options.DryRun = False,
    timeout: options.Timeout = None,
    progress: options.Progress = "auto",
    json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = 0,
    color: options.Color = "auto",
) -> int:
    """Lay .zarrdb files out anew: no free pages, a log folded in, quick to read from afar.

    Keys, values and metadata records stay as they are, and are compared before the new file
    takes the old one's place. While it runs others may read the file but not write it.

    Example:
        zarrdb vacuum aged.zarrdb
        zarrdb vacuum --dry-run *.zarrdb
        zarrdb vacuum aged.zarrdb -o tidy.zarrdb
    """
    from zarrdb.cli.opening import require_local
    from zarrdb.cli.transferring import (
        make_directory,
        page_size_of,
        require_directory,
        seconds_to_wait,
    )
    from zarrdb.cli.vacuum_run import run
    from zarrdb.transfer.copy import CopyOptions

    names = files or []
    if not names:
        raise UsageError("no file given", hint="`zarrdb vacuum FILE`")
    if output is not None and len(names) > 1:
        raise UsageError("-o takes one FILE", hint="without -o each file is vacuumed in its place")
    if output is not None and output_dir is not None:
        raise UsageError("-o and -d exclude each other", hint="-o is one file, -d a directory")
    if (overwrite or skip_existing) and output is None and output_dir is None:
        raise UsageError("--overwrite and --skip-existing are for -o and -d")
    options.require_one_choice(overwrite=overwrite, skip_existing=skip_existing)
    require_directory("--temp-dir", temp_dir)
    for name in (*names, *filter(None, [output, output_dir])):
        require_local(name, "`zarrdb import URL -o FILE` lays a file out anew as well")
    targets = [_target(name, output, output_dir) for name in names]
    if output_dir is not None:
        _require_distinct(names, output_dir)
    out = Output(json=json, quiet=quiet, verbose=verbose, color=color)
    wanted = CopyOptions(
        overwrite=overwrite,
        dry_run=dry_run,
        new_folder=dry_run and output_dir is not None,
        page_size=page_size_of(page_size),
        temp_dir=temp_dir,
        timeout=seconds_to_wait(timeout),
    )
    if output_dir is not None and not dry_run:
        make_directory(output_dir)
    return run(
        list(zip(names, targets, strict=True)),
        wanted,
        out,
        mode=progress,
        force=force,
        skip_existing=skip_existing,
    )


def _target(name: str, output: str | None, output_dir: str | None) -> str | None:
    """Where the result goes, if not in the file's own place."""
    target = output
    if output_dir is not None:
        target = os.path.join(output_dir, os.path.basename(name))
    if target is None or not (os.path.exists(target) and os.path.exists(name)):
        return target
    if os.path.samefile(target, name):
        option = "-d" if output is None else "-o"
        raise UsageError(
            f"{option} names FILE itself", hint="leave it out to vacuum FILE in its place"
        )
    return target


def _require_distinct(names: list[str], output_dir: str) -> None:
    seen: dict[str, str] = {}
    for name in names:
        target = os.path.join(output_dir, os.path.basename(name))
        other = seen.setdefault(target, name)
        if other is not name:
            raise UsageError(
                f"{printable(other)} and {printable(name)} would both become {printable(target)}",
                hint="vacuum them apart, with -o",
            )
