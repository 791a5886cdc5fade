"""Annotations of GitHub Actions, and a summary of the step."""

from collections.abc import Iterator
from itertools import islice
from typing import Final

from zarrdb.keys import printable
from zarrdb.lint.finding import LEVELS, Finding, Level
from zarrdb.lint.render.text import place_text, summary_line
from zarrdb.lint.report import FileReport, Report
from zarrdb.location import normal

_COMMANDS: Final[dict[Level, str]] = {"error": "error", "warning": "warning", "info": "notice"}

# GitHub shows no more of one level and step.
_MAX_ANNOTATIONS: Final = 10
_MAX_ROWS: Final = 100


def annotations(report: Report) -> Iterator[str]:
    """A workflow command a finding: errors first, at most ten of a level.

    What could not be read at all is an error too.
    """
    for level in LEVELS:
        lines = [_unread(each) for each in _unreadable(report)] if level == "error" else []
        total = len(lines) + report.count(level)
        lines += (_annotation(*pair) for pair in islice(_of_level(report, level), _MAX_ANNOTATIONS))
        yield from lines[:_MAX_ANNOTATIONS]
        if total > _MAX_ANNOTATIONS:
            yield f"{total - _MAX_ANNOTATIONS} more at level {level} not shown as annotations"
    yield summary_line(report, infos=True)


def step_summary(report: Report) -> str:
    """Markdown for the file that GITHUB_STEP_SUMMARY names."""
    lines = ["### zarrdb check", "", summary_line(report, infos=True), ""]
    rows = [("error", each.file, "", "", _why(each)) for each in _unreadable(report)]
    rows += (
        (level, each.file, place_text(finding), finding.rule, finding.message)
        for level in LEVELS
        for each, finding in _of_level(report, level)
    )
    if rows:
        lines += ["| level | file | place | rule | message |", "|---|---|---|---|---|"]
    lines += (f"| {' | '.join(map(_cell, cells))} |" for cells in rows[:_MAX_ROWS])
    if len(rows) > _MAX_ROWS:
        lines.append(f"\n… and {len(rows) - _MAX_ROWS:,} more")
    return "\n".join(lines) + "\n"


def _unreadable(report: Report) -> list[FileReport]:
    """The files of which nothing is told but that they could not be read."""
    return [each for each in report.files if each.error is not None and not each.findings]


def _why(report: FileReport) -> str:
    return f"cannot be read: {report.error}"


def _unread(report: FileReport) -> str:
    return f"::error file={_property(normal(report.file))}::{_data(_why(report))}"


def _of_level(report: Report, level: Level) -> Iterator[tuple[FileReport, Finding]]:
    for each in report.files:
        for finding in each.findings:
            if finding.level == level:
                yield each, finding


def _annotation(report: FileReport, finding: Finding) -> str:
    properties = {"title": finding.rule}
    place = place_text(finding)
    if report.kind == "directory" and finding.key is not None:
        properties["file"] = f"{normal(report.file)}/{finding.key}"
        if finding.line is not None:
            properties["line"] = str(finding.line)
        if finding.column is not None:
            properties["col"] = str(finding.column)
        place = ""
    else:
        properties["file"] = normal(report.file)
    text = f"{place}: {finding.message}" if place else finding.message
    if finding.hint:
        text += f"\nhint: {finding.hint}"
    joined = ",".join(f"{name}={_property(value)}" for name, value in properties.items())
    return f"::{_COMMANDS[finding.level]} {joined}::{_data(text)}"


def _data(text: str) -> str:
    return "%0A".join(printable(line).replace("%", "%25") for line in text.split("\n"))


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


def _cell(text: str) -> str:
    return printable(text).replace("\\", "\\\\").replace("|", "\\|").replace("<", "&lt;")
