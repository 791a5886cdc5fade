"""Where the result of `zarrdb check` goes: formats, reports in files, and a baseline."""

import os
from collections.abc import Iterable
from typing import TYPE_CHECKING, NamedTuple

from zarrdb.cli.opening import require_local
from zarrdb.cli.output import Output, os_reason
from zarrdb.errors import TargetError, TargetExistsError, UsageError
from zarrdb.keys import printable

if TYPE_CHECKING:
    from zarrdb.lint import Options, Report
    from zarrdb.lint.config import Config
    from zarrdb.lint.report import FailOn


class Reports(NamedTuple):
    """Where the result goes: a format on stdout, and (format, path) pairs."""

    format: str
    files: tuple[tuple[str, str], ...]


def where_to(
    format: str | None, reports: Iterable[str], config: "Config", *, json: bool
) -> Reports:
    """What --format, --json, --report and the configuration say of formats."""
    from zarrdb.lint.config import FORMATS

    if json and format not in (None, "json"):
        raise UsageError(
            "--json and --format exclude each other",
            hint=f"--json is --format json; --report {format}=FILE writes another beside it",
        )
    pairs = []
    for text in reports:
        name, equals, path = text.partition("=")
        if not equals or not path or name not in FORMATS:
            raise UsageError(
                f"--report {printable(text)}: not of the form FORMAT=FILE",
                hint=f"FORMAT is one of {', '.join(FORMATS)}",
            )
        pairs.append((name, path))
    return Reports("json" if json else format or config.format or "text", tuple(pairs))


def require_writable(reports: Reports, baseline: str | None) -> None:
    """Refuse files that could not be written once the check is done, or that are stores.

    Raises UsageError, TargetError, TargetExistsError, ReadOnlyError.
    """
    if baseline == "":
        raise UsageError("--write-baseline: the name of the file is empty")
    paths = [path for _, path in reports.files]
    regular = set()
    for path in [*paths, baseline] if baseline else paths:
        require_local(path, "name a file of this machine")
        if _is_stream(path):
            continue
        _require_file(path)
        real = os.path.realpath(path)
        if real in regular:
            raise UsageError(f"{printable(path)}: is named twice", hint="one file for each report")
        regular.add(real)


def _require_file(path: str) -> None:
    from zarrdb.detect import identify
    from zarrdb.transfer.target import require_folder

    if os.path.isdir(path):
        raise TargetError(f"{printable(path)}: is a directory", hint="name a file in it")
    require_folder(path)
    if os.path.exists(path) and identify(path).kind in ("sqlite", "zip", "frame"):
        raise TargetExistsError(
            f"{printable(path)}: is a store, so it is not replaced", hint="name another file"
        )


def render(
    out: Output,
    report: "Report",
    reports: Reports,
    options: "Options",
    fail_on: "FailOn",
    config: "Config",
) -> None:
    """Write the reports in files, and what is printed if it is no text."""
    from zarrdb.lint.render import github
    from zarrdb.lint.render.reports import rendered

    def content(format: str) -> str:
        return rendered(format, report, options.rules, fail_on=fail_on, config=config.path)

    for format, path in reports.files:
        _write(path, content(format))
    if reports.format != "text":
        out.line(content(reports.format), end="")
    summary = os.environ.get("GITHUB_STEP_SUMMARY")
    if summary and "github" in (reports.format, *(format for format, _ in reports.files)):
        _append(summary, github.step_summary(report))


def accept(out: Output, path: str, report: "Report") -> None:
    """Write a baseline that accepts every finding of a report."""
    from zarrdb.lint.baseline import baseline_text, entry_of
    from zarrdb.units import counted

    entries = {entry_of(each.file, finding) for each in report.files for finding in each.findings}
    _write(path, baseline_text(entries))
    out.note(f"{printable(path)}: {counted(len(entries), 'finding')} accepted from now on")


def _is_stream(path: str) -> bool:
    """Whether it is a pipe or a device, or what this process has open already: `/dev/stdout`."""
    if not os.path.exists(path) or os.path.isdir(path):
        return False
    return not os.path.isfile(path) or os.path.abspath(path).startswith("/dev/")


def _write(path: str, content: str) -> None:
    """Put a text into a file, whole or not at all; into a pipe or a device as it comes."""
    if _is_stream(path):
        _append(path, content)
        return
    from zarrdb.sources.target import ArchiveFile

    file = ArchiveFile(path)
    try:
        file.write(content.encode(errors="backslashreplace"))
        file.commit()
    finally:
        file.discard()


def _append(path: str, content: str) -> None:
    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(content)
    except OSError as error:
        raise TargetError(f"{printable(path)}: cannot be written: {os_reason(error)}") from None
