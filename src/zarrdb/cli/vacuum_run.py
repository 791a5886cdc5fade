"""Vacuuming what the command line asks for."""

import dataclasses
import os

from zarrdb.cli.options import ProgressMode
from zarrdb.cli.output import Output, worst
from zarrdb.cli.progress import Progress
from zarrdb.errors import ZarrdbError
from zarrdb.keys import printable
from zarrdb.transfer.copy import CopyOptions
from zarrdb.transfer.vacuum import VacuumReport, vacuum
from zarrdb.units import counted, size_text


def run(
    files: list[tuple[str, str | None]],
    wanted: CopyOptions,
    out: Output,
    *,
    mode: ProgressMode,
    force: bool,
    skip_existing: bool,
) -> int:
    """Vacuum files, each in its place or to another name; the exit code."""
    codes = []
    for name, target in files:
        if skip_existing and target is not None and os.path.lexists(target):
            _show_skipped(name, target, out)
            continue
        try:
            _vacuum(name, target, wanted, out, mode=mode, force=force)
        except ZarrdbError as error:
            if len(files) == 1:
                raise
            # Of several files others were done: that is no usage error any more.
            codes.append(3 if out.error(error) == 2 else error.exit_code)
    return worst(codes)


def _show_skipped(name: str, target: str, out: Output) -> None:
    if out.json:
        out.json_line({"file": name, "output": target, "status": "skipped"})
    else:
        out.line(f"{printable(target)}: exists, skipped")


def _vacuum(
    name: str,
    target: str | None,
    wanted: CopyOptions,
    out: Output,
    *,
    mode: ProgressMode,
    force: bool,
) -> None:
    with Progress(mode, os.path.basename(name), quiet=out.quiet) as progress:
        given = dataclasses.replace(wanted, progress=progress)
        report = vacuum(name, given, output=target, force=force)
    if out.json:
        out.json_line(_members(report))
    else:
        out.line(_line(report))


def _line(report: VacuumReport) -> str:
    line = f"{printable(report.source)}"
    if report.target != report.source:
        line += f" -> {printable(report.target)}"
    if report.tidy:
        return f"{line}: tidy, left as it is ({size_text(report.size_before)})"
    line += f": {size_text(report.size_before)} -> {size_text(report.size_after)}"
    if not report.dry_run:
        return f"{line}, {counted(report.keys, 'key')} in {report.seconds:.1f} s"
    if report.score is None:
        return f"{line}; its log would be folded in"
    now = report.score.chunk
    return f"{line}; requests a chunk when read from afar: {now} -> {min(now, 1)}"


def _members(report: VacuumReport) -> dict[str, object]:
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
