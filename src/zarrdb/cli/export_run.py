"""Exporting what the command line asks for."""

import dataclasses
import os
from contextlib import ExitStack, closing

from zarrdb.cli.lasting import telling_what_is_kept
from zarrdb.cli.log import follow
from zarrdb.cli.opening import Reach, opened, remote_options
from zarrdb.cli.options import ProgressMode
from zarrdb.cli.output import Output
from zarrdb.cli.progress import Progress
from zarrdb.cli.transferring import make_directory, result_json, result_line, show_notes
from zarrdb.detect import is_frame
from zarrdb.errors import UsageError
from zarrdb.keys import KeySource, printable
from zarrdb.location import is_url, parse
from zarrdb.transfer.copy import CopyOptions
from zarrdb.transfer.export import STDOUT, Kind, default_target, export
from zarrdb.transport.options import RemoteOptions


def destination(file: str, kind: Kind, folder: str | None, *, dry_run: bool) -> str:
    """Where an export goes for which no name was given; `folder` is made if it is missing."""
    usual = default_target(file, kind)
    if folder is None:
        return usual
    if not dry_run:
        make_directory(folder)
    return os.path.join(folder, os.path.basename(usual))


def run(
    file: str,
    target: str,
    wanted: CopyOptions,
    out: Output,
    *,
    kind: Kind,
    path: str,
    portable: bool,
    skip_existing: bool,
    progress: ProgressMode,
    reach: Reach,
    timeout: float | None,
) -> int:
    """Export one store; the exit code."""
    remote = None
    if is_url(target):
        follow(out)
        remote = remote_options(reach, timeout)
    if file == target:
        raise UsageError(f"{parse(file).display}: is the source and the destination")
    if os.path.exists(file) and os.path.exists(target) and os.path.samefile(file, target):
        raise UsageError(f"{printable(file)}: is the source and the destination")
    if skip_existing and target != STDOUT and _exists(target, remote):
        shown_target = parse(target).display
        if out.json:
            members = {"source": parse(file).display, "target": shown_target}
            out.json_line({**members, "status": "skipped"})
        else:
            out.line(f"{shown_target}: exists, skipped")
        return 0
    with (
        telling_what_is_kept(target, wanted, out),
        opened(file, out, timeout=timeout, reach=reach) as source,
        Progress(progress, parse(file).name, quiet=out.quiet) as shown,
        ExitStack() as stack,
    ):
        given = dataclasses.replace(wanted, progress=shown)
        if is_frame(source):
            from zarrdb.transfer.frames import keys_of

            keys: KeySource = stack.enter_context(closing(keys_of(source, target, given)))
        else:
            keys = source
        report = export(
            keys, file, target, given, kind=kind, path=path, portable=portable, remote=remote
        )
    show_notes(report, out)
    if target == STDOUT:
        # What stdout carries is the tar.
        out.note(result_line(report))
    elif out.json:
        out.json_line(result_json(report, "planned" if report.dry_run else "written"))
    else:
        out.line(result_line(report))
    return 0


def _exists(target: str, remote: RemoteOptions | None) -> bool:
    if remote is not None:
        from zarrdb.transfer.far import is_there

        return is_there(parse(target), remote)
    target = parse(target).path
    if os.path.isdir(target):
        return bool(os.listdir(target))
    return os.path.lexists(target) and os.path.getsize(target) > 0
