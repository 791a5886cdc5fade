"""A report in any of the formats."""

import json
from collections.abc import Callable, Iterable, Iterator
from typing import Any, Final

from zarrdb.lint.render import github, json_report, junit, sarif, text
from zarrdb.lint.report import FailOn, Report
from zarrdb.lint.rule import Rule


def rendered(
    format: str,
    report: Report,
    rules: Iterable[Rule[Any]],
    *,
    fail_on: FailOn,
    config: str | None,
) -> str:
    """The report as text of a format, ending with a newline."""
    if format == "json":
        return json.dumps(json_report.as_json(report, config=config)) + "\n"
    if format == "sarif":
        return json.dumps(sarif.as_sarif(report, rules), indent=1) + "\n"
    if format == "junit":
        return junit.as_junit(report, fail_on) + "\n"
    lines: Callable[[Report], Iterator[str]] = _LINES[format]
    return "".join(f"{line}\n" for line in lines(report))


def _text(report: Report) -> Iterator[str]:
    for each in report.files:
        yield from text.file_lines(each, lambda words, *_: words, infos=True)
    yield text.summary_line(report, infos=True)


_LINES: Final[dict[str, Callable[[Report], Iterator[str]]]] = {
    "text": _text,
    "github": github.annotations,
}
