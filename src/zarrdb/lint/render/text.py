"""Findings for people: two lines each, and one that sums up."""

from collections import Counter
from collections.abc import Callable, Iterator

from zarrdb.keys import printable
from zarrdb.lint.finding import Finding, Level
from zarrdb.lint.report import FileReport, Report
from zarrdb.units import counted, size_text

Paint = Callable[..., str]
"""`Output.style`: a text and names of styles to a text."""

COLORS: dict[Level, str] = {"error": "red", "warning": "yellow", "info": "cyan"}


def file_lines(report: FileReport, style: Paint, *, infos: bool) -> Iterator[str]:
    """The findings of one file that were kept, infos only if wanted."""
    if report.error is not None and not report.findings:
        yield f"{printable(report.file)}: cannot be read: {printable(report.error)}"
    shown: Counter[str] = Counter()
    for finding in report.findings:
        if finding.level == "info" and not infos:
            continue
        shown[finding.rule] += 1
        yield finding_line(report.file, finding, style)
        if finding.hint:
            yield f"  hint: {printable(finding.hint)}"
    for rule, shown_count in shown.items():
        more = report.counts[rule] - shown_count
        if more > 0:
            yield f"{printable(report.file)}: [{rule}] … and {more:,} more"


def finding_line(file: str, finding: Finding, style: Paint) -> str:
    """The first line of a finding: its place, level, rule and message."""
    level = style(finding.level, COLORS[finding.level], "bold")
    where = "".join(f"{part}: " for part in (file, place_text(finding)) if part)
    return f"{printable(where)}{level}[{finding.rule}] {printable(finding.message)}"


def place_text(finding: Finding) -> str:
    """`key:line:column`, the node's path, or nothing for the whole container."""
    if finding.key is not None:
        place = finding.key or '""'
        if finding.line is not None:
            place += f":{finding.line}"
            if finding.column is not None:
                place += f":{finding.column}"
        return place
    if finding.node is not None:
        return finding.node or "/"
    return ""


def summary_line(report: Report, *, infos: bool) -> str:
    """How many files were checked, what was found, and what was not looked at."""
    files = len(report.files)
    found = files - report.clean - report.unreadable
    parts = [f"{report.clean} clean"]
    if found:
        parts.append(f"{found} with findings ({_tally(report, ('error', 'warning'))})")
    if report.unreadable:
        parts.append(f"{report.unreadable} not read")
    documents = sum(each.documents for each in report.files)
    line = (
        f"{counted(files, 'file')}: {', '.join(parts)}; "
        f"{counted(documents, 'document')}, {report.seconds:.1f} s"
    )
    hidden = report.count("info")
    if hidden:
        line += f"; {counted(hidden, 'info')}{'' if infos else ' (-v)'}"
    checked = [each for each in report.files if each.error is None]
    if any(not each.data_checked for each in checked):
        line += "; chunk values not decoded (--data)"
    far = sum(each.far for each in checked)
    if far:
        what = "pages and beginnings of values not checked (--download)"
        line += f"; {counted(far, 'file')} read from afar: {what}"
    unsized = sum(not each.sizes_checked for each in checked)
    if unsized:
        line += f"; sizes of values in {counted(unsized, 'file')} not looked at"
    unchecked = sum(each.integrity_checked is False and not each.far for each in checked)
    if unchecked:
        line += f"; pages of {counted(unchecked, 'file')} not all read (--integrity)"
    return line


def many(count: int, noun: str, keys: tuple[str, ...], size: int | None = None) -> str:
    """`1,204 chunks (c/9/0, c/9/1, …)`, with the bytes if given."""
    text = counted(count, noun)
    if size is not None:
        text += f", {size_text(size)}"
    if keys:
        rest = ", …" if count > len(keys) else ""
        text += f" ({', '.join(keys)}{rest})"
    return text


def _tally(report: Report, levels: tuple[Level, ...]) -> str:
    counts = [(report.count(level), level) for level in levels]
    return ", ".join(counted(count, level) for count, level in counts if count)
