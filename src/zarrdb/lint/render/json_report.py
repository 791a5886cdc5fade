"""The report as one JSON object, the contract for programs."""

from typing import Any, Final

from zarrdb._version import __version__
from zarrdb.lint.finding import Finding
from zarrdb.lint.report import FileReport, Report

SCHEMA: Final = 1
"""The number that every JSON object of ours begins with."""


def as_json(report: Report, *, config: str | None) -> dict[str, Any]:
    """All findings that were kept, and the sums; members are only ever added."""
    return {
        "schema": SCHEMA,
        "zarrdb": __version__,
        "config": config,
        "files": [_file(each) for each in report.files],
        "summary": {
            "files": len(report.files),
            "clean": report.clean,
            "unreadable": report.unreadable,
            "errors": report.count("error"),
            "warnings": report.count("warning"),
            "infos": report.count("info"),
            "fixed": report.fixed,
            "baseline": report.accepted,
        },
    }


def _file(report: FileReport) -> dict[str, Any]:
    return {
        "file": report.file,
        "kind": report.kind,
        "status": report.status,
        "error": report.error,
        "documents": report.documents,
        "keys": report.keys,
        "data_checked": report.data_checked,
        "integrity_checked": report.integrity_checked,
        "sizes_checked": report.sizes_checked,
        "findings": [_finding(finding) for finding in report.findings],
        "omitted": report.omitted,
    }


def _finding(finding: Finding) -> dict[str, Any]:
    return {
        "rule": finding.rule,
        "level": finding.level,
        "key": finding.key,
        "node": finding.node,
        "pointer": finding.pointer,
        "line": finding.line,
        "column": finding.column,
        "count": finding.count,
        "message": finding.message,
        "hint": finding.hint,
        "fixable": finding.fixable,
        "bytes": finding.size,
        "keys": list(finding.keys),
    }
