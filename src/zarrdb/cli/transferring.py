"""What import and export have in common: options into a copy, a copy into lines."""

import os

from zarrdb.cli.opening import DEFAULT_TIMEOUT
from zarrdb.cli.output import Output, os_reason
from zarrdb.db.limits import PAGE_SIZES
from zarrdb.errors import UsageError
from zarrdb.keys import Remark, printable
from zarrdb.transfer.report import CopyReport
from zarrdb.units import counted, size_text

_NAMES_SHOWN = 3

# Notes on what a source is like, by the kind of remark; {} is how many there are.
_NOTES = {
    "link-outside": "symbolic links that lead out of the store were followed: {} (--links)",
    "superseded-member": "members superseded by later ones of the same name: {}",
    "outer-folder": "all of it lies in one outer folder, which was left off",
    "unportable-key": "names that Windows or macOS cannot hold: {} (--portable)",
    "outside-root": "members outside the store's folder, left out: {}",
    "field-order": "the fields of its items are little-endian now",
    "not-compressed": "sizes are those of decoded chunks; compressed ones are smaller",
    "dimension-names": "a frame has no place for dimension names",
}
_DETAILS = {
    "empty-directory": "empty directories, which cannot be kept: {}",
    "text-value": "values that are TEXT in the source, now BLOBs of the same bytes: {}",
}


def seconds_to_wait(timeout: float | None) -> float:
    """The timeout that was asked for, or the usual one."""
    return DEFAULT_TIMEOUT if timeout is None else timeout


def require_directory(option: str, path: str | None) -> None:
    """Refuse an option's directory that does not exist."""
    if path is not None and not os.path.isdir(path):
        raise UsageError(f"{option}: {printable(path)} is no directory")


def make_directory(path: str) -> None:
    """Make the directory that -d names, if there is none."""
    try:
        os.makedirs(path, exist_ok=True)
    except OSError as error:
        raise UsageError(f"-d {printable(path)}: {os_reason(error)}") from None


def page_size_of(text: str) -> int | None:
    """The page size that was asked for; None where it is to be chosen."""
    if text == "auto":
        return None
    if text.isascii() and text.isdigit() and int(text) in PAGE_SIZES:
        return int(text)
    raise UsageError(
        f"--page-size: {printable(text)} is no page size",
        hint="`auto`, or a power of two from 512 to 65536",
    )


def result_line(report: CopyReport) -> str:
    """A copy on one line: what, how much, how fast, what was left out."""
    what = f"{counted(report.keys, report.noun)}, {size_text(report.bytes)}"
    line = f"{printable(report.source)} -> {printable(report.target)}: "
    if report.dry_run:
        line += f"would copy {what}, needs {size_text(report.needed)}"
    else:
        rate = size_text(int(report.bytes / max(report.seconds, 1e-3)))
        line += f"{what} in {report.seconds:.1f} s ({rate}/s)"
    if report.resumed:
        line += f", {report.resumed:,} of them before"
    if report.verified:
        line += ", verified"
    if report.skipped:
        line += f"; skipped {report.skipped:,} (exist)"
    if report.counts.get("junk"):
        line += f"; left out {report.counts['junk']:,} ({_names(report.of_kind('junk'))})"
    return line


def result_json(report: CopyReport, status: str) -> dict[str, object]:
    """A copy as the members of a JSON object."""
    return {
        "source": report.source,
        "target": report.target,
        "status": status,
        "keys": report.keys,
        "bytes": report.bytes,
        "documents": report.documents,
        "seconds": round(report.seconds, 3),
        "page_size": report.page_size,
        "needed": report.needed,
        "verified": report.verified,
        "dry_run": report.dry_run,
        "skipped_keys": report.skipped,
        "resumed_keys": report.resumed,
        "added": list(report.added),
        "left_out": report.counts.get("junk", 0),
        "remarks": [remark._asdict() for remark in report.remarks],
    }


def show_notes(report: CopyReport, out: Output) -> None:
    """On stderr, what is worth knowing about the source."""
    name = printable(report.source)
    for kind, text in _NOTES.items():
        if report.counts.get(kind):
            out.note(f"{name}: {text.format(report.counts[kind])}")
    for kind, text in _DETAILS.items():
        if report.counts.get(kind):
            out.detail(f"{name}: {text.format(report.counts[kind])}")
    for key in report.added:
        out.note(f"{printable(report.target)}: added {printable(key)} above --path")
    if left_out := report.of_kind("attribute-left-out"):
        names = ", ".join(remark.key for remark in left_out)
        out.note(f"{name}: attributes that cannot be kept: {names}")
    for remark in report.of_kind("stale-partial"):
        out.note(f"{remark.key} {remark.detail}")
    for remark in report.of_kind("junk"):
        out.detail(f"{name}: left out {remark.key}")


def _names(remarks: list[Remark]) -> str:
    found = list(dict.fromkeys(_last(remark.key) for remark in remarks))
    more = ", …" if len(found) > _NAMES_SHOWN else ""
    return ", ".join(found[:_NAMES_SHOWN]) + more


def _last(key: str) -> str:
    folder = "/" if key.endswith("/") else ""
    return key.rstrip("/").rpartition("/")[2] + folder
