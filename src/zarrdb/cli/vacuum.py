"""`zarrdb vacuum`"""

import os
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

from zarrdb.cli import options
from zarrdb.cli.output import Output
from zarrdb.errors import UsageError, ZarrdbError

if TYPE_CHECKING:
    from zarrdb.transfer.copy import CopyOptions
    from zarrdb.transfer.vacuum import VacuumReport


def command(
    files: Annotated[list[str] | None, Argument(metavar="FILE...", help=".zarrdb files.")] = None,
    output: options.OutputFile = None,
    page_size: options.PageSize = "auto",
    force: Annotated[bool, Option("--force", help="Rewrite a tidy file as well.")] = False,
    overwrite: options.Overwrite = False,
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
    from zarrdb.cli.transferring import page_size_of, require_directory, seconds_to_wait
    from zarrdb.transfer.copy import CopyOptions

    names = files or []
    if not names:
        raise UsageError("no file given", hint="`zarrdb vacuum FILE`")
    if output is not None and len(names) > 1:
        raise UsageError("-o takes one FILE", hint="without -o each file is vacuumed in its place")
    if overwrite and output is None:
        raise UsageError("--overwrite is for -o")
    if output is not None and os.path.exists(output) and os.path.samefile(output, names[0]):
        raise UsageError("-o names FILE itself", hint="leave it out to vacuum FILE in its place")
    require_directory("--temp-dir", temp_dir)
    out = Output(json=json, quiet=quiet, verbose=verbose, color=color)
    wanted = CopyOptions(
        overwrite=overwrite,
        dry_run=dry_run,
        page_size=page_size_of(page_size),
        temp_dir=temp_dir,
        timeout=seconds_to_wait(timeout),
    )
    codes = [0]
    for name in names:
        try:
            _vacuum(name, wanted, output, progress, out, force=force)
        except ZarrdbError as error:
            if len(names) == 1:
                raise
            codes.append(3 if out.error(error) == 2 else error.exit_code)
    return max(codes)


def _vacuum(
    name: str,
    wanted: "CopyOptions",
    output: str | None,
    mode: options.ProgressMode,
    out: Output,
    *,
    force: bool,
) -> None:
    import dataclasses

    from zarrdb.cli.progress import Progress
    from zarrdb.transfer.vacuum import vacuum

    with Progress(mode, os.path.basename(name), quiet=out.quiet) as progress:
        given = dataclasses.replace(wanted, progress=progress)
        report = vacuum(name, given, output=output, force=force)
    if out.json:
        out.json_line(_members(report))
    else:
        out.line(_line(report))


def _line(report: "VacuumReport") -> str:
    from zarrdb.keys import printable
    from zarrdb.units import size_text

    line = f"{printable(report.source)}"
    if report.target != report.source:
        line += f" -> {printable(report.target)}"
    if report.tidy:
        return f"{line}: tidy, left as it is ({size_text(report.size_before)})"
    line += f": {size_text(report.size_before)} -> {size_text(report.size_after)}"
    if not report.dry_run:
        return f"{line}, {report.keys:,} keys in {report.seconds:.1f} s"
    if report.score is None:
        return f"{line}; its log would be folded in"
    now = report.score.chunk
    return f"{line}; requests a chunk when read from afar: {now} -> {min(now, 1)}"


def _members(report: "VacuumReport") -> dict[str, object]:
    return {
        "file": report.source,
        "output": report.target,
        "status": "tidy" if report.tidy else "planned" if report.dry_run else "written",
        "keys": report.keys,
        "bytes_before": report.size_before,
        "bytes_after": report.size_after,
        "page_size": report.page_size,
        "seconds": round(report.seconds, 3),
        "requests_to_open": None if report.score is None else report.score.opening,
        "requests_a_chunk": None if report.score is None else report.score.chunk,
    }
