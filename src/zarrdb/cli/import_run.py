"""Importing what the command line asks for, one file after the other."""

import dataclasses
import os
from contextlib import ExitStack

from zarrdb.cli.import_frames import as_keys
from zarrdb.cli.import_names import Destination, Wanted
from zarrdb.cli.lasting import telling_what_is_kept
from zarrdb.cli.log import follow
from zarrdb.cli.opening import tell_oddities, tell_traffic
from zarrdb.cli.output import Output, os_reason, worst
from zarrdb.cli.progress import Progress
from zarrdb.cli.transferring import result_json, result_line, show_notes
from zarrdb.detect import open_any
from zarrdb.errors import SourceError, UsageError, ZarrdbError
from zarrdb.keys import printable
from zarrdb.location import is_url
from zarrdb.transfer.copy import into_file, node_prefix
from zarrdb.transfer.read import Part
from zarrdb.transfer.report import CopyReport
from zarrdb.transfer.resume import own_paths
from zarrdb.units import counted, size_text


def run(wanted: Wanted, out: Output) -> int:
    """Import everything; the exit code. With one file its error is raised."""
    if len(wanted.destinations) == 1:
        destination = wanted.destinations[0]
        if _is_skipped(wanted, destination):
            _show_skipped(destination, out)
        else:
            _show(_import(wanted, destination, out), out)
        return 0
    return _run_several(wanted, out)


def _run_several(wanted: Wanted, out: Output) -> int:
    total = len(wanted.destinations)
    written = skipped = 0
    failed: list[str] = []
    codes = [0]
    for number, destination in enumerate(wanted.destinations, 1):
        if _is_skipped(wanted, destination):
            skipped += 1
            if out.json:
                _show_skipped(destination, out)
            continue
        try:
            report = _import(wanted, destination, out)
        except (ZarrdbError, OSError) as error:
            failure = _as_failure(error, destination)
            codes.append(out.error(failure))
            failed.append(destination.sources[0])
            if out.json:
                out.json_line(_failed_json(destination, failure))
            if wanted.fail_fast:
                break
            continue
        written += 1
        if out.json:
            _show(report, out)
        else:
            show_notes(report, out)
            out.line(_numbered(report, number, total))
    if out.json:
        counts = {"sources": total, "written": written, "skipped": skipped, "failed": len(failed)}
        out.json_line({"summary": counts})
    else:
        out.line(_summary(total, written, skipped, failed, wanted))
    # Nothing was done is not true any more of a usage error that comes up on the way.
    return worst(3 if code == 2 else code for code in codes)


def _import(wanted: Wanted, destination: Destination, out: Output) -> CopyReport:
    options = wanted.options
    _require_other_file(destination)
    with ExitStack() as stack:
        stack.enter_context(telling_what_is_kept(destination.target, options, out))
        at = node_prefix(wanted.path)
        label = os.path.basename(destination.target)
        progress = stack.enter_context(Progress(wanted.progress, label, quiet=out.quiet))
        options = dataclasses.replace(options, progress=progress)
        parts = []
        for name in destination.sources:
            if is_url(name):
                follow(out)
            found = open_any(
                name,
                links=wanted.links,
                keep_junk=wanted.keep_junk,
                exclude=(destination.target, *own_paths(destination.target, options.temp_dir)),
                any_name=True,
                timeout=options.timeout,
                temp_dir=options.temp_dir,
                remote=wanted.remote,
            )
            stack.callback(found.close)
            tell_oddities(found, out)
            if is_url(name):
                stack.callback(tell_traffic, found, out)
            source = as_keys(found, destination.target, options, wanted.recoding)
            stack.callback(source.close)
            parts.append(Part(source, at=at))
        return into_file(parts, destination.target, options)


def _require_other_file(destination: Destination) -> None:
    target = destination.target
    for name in destination.sources:
        if os.path.exists(target) and os.path.exists(name) and os.path.samefile(name, target):
            raise UsageError(
                f"{printable(name)}: is the source and the destination",
                hint="-o names another file; `zarrdb vacuum` lays a file out anew",
            )


def _is_skipped(wanted: Wanted, destination: Destination) -> bool:
    target = destination.target
    return wanted.skip_existing and os.path.isfile(target) and os.path.getsize(target) > 0


def _show(report: CopyReport, out: Output) -> None:
    show_notes(report, out)
    if out.json:
        out.json_line(result_json(report, "planned" if report.dry_run else "written"))
    else:
        out.line(result_line(report))


def _show_skipped(destination: Destination, out: Output) -> None:
    if out.json:
        members = {"source": destination.sources[0], "target": destination.target}
        out.json_line({**members, "status": "skipped"})
    else:
        out.line(f"{printable(destination.target)}: exists, skipped")


def _numbered(report: CopyReport, number: int, total: int) -> str:
    width = len(str(total))
    target = printable(os.path.basename(report.target))
    what = f"{target}  {counted(report.keys, 'key')}  {size_text(report.bytes)}"
    return f"[{number:>{width}}/{total}] {what}  {report.seconds:.1f} s"


def _summary(total: int, written: int, skipped: int, failed: list[str], wanted: Wanted) -> str:
    parts = [f"{written} {'would be written' if wanted.options.dry_run else 'written'}"]
    if skipped:
        parts.append(f"{skipped} skipped (exist)")
    names = ", ".join(map(printable, failed[:3])) + (", …" if len(failed) > 3 else "")
    parts.append(f"{len(failed)} failed: {names}" if failed else "0 failed")
    not_done = total - written - skipped - len(failed)
    if not_done:
        parts.append(f"{not_done} not tried")
    return f"{total} sources: {', '.join(parts)}"


def _as_failure(error: ZarrdbError | OSError, destination: Destination) -> ZarrdbError:
    if isinstance(error, ZarrdbError):
        return error
    return SourceError(f"{printable(destination.sources[0])}: {os_reason(error)}")


def _failed_json(destination: Destination, error: ZarrdbError) -> dict[str, object]:
    return {
        "source": destination.sources[0],
        "target": destination.target,
        "status": "failed",
        "error": error.message,
    }
