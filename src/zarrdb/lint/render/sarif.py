"""SARIF 2.1.0, for code scanning.

A document of a directory store is a file of its own, with a region; what lies inside a single
file is a logical location in it.
"""

import os
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from typing import Any, Final
from urllib.parse import quote

from zarrdb._version import __version__
from zarrdb.lint.finding import Finding, Level
from zarrdb.lint.report import FileReport, Report
from zarrdb.lint.rule import Rule
from zarrdb.location import is_url, redact

_SCHEMA: Final = "https://json.schemastore.org/sarif-2.1.0.json"
_ROOT: Final = "%SRCROOT%"
_LEVELS: Final[dict[Level, str]] = {"error": "error", "warning": "warning", "info": "note"}


def as_sarif(report: Report, rules: Iterable[Rule[Any]]) -> dict[str, Any]:
    """One run with the rules that found something and a result a finding."""
    found = {finding.rule for each in report.files for finding in each.findings}
    used = [rule for rule in rules if rule.id in found]
    index = {rule.id: number for number, rule in enumerate(used)}
    return {
        "$schema": _SCHEMA,
        "version": "2.1.0",
        "runs": [
            {
                "tool": {"driver": _driver(used)},
                "columnKind": "unicodeCodePoints",
                "invocations": [_invocation(report.files)],
                "results": [
                    _result(each, finding, index[finding.rule])
                    for each in report.files
                    for finding in each.findings
                ],
            }
        ],
    }


def fingerprint(finding: Finding) -> str:
    """What tells a finding from others of the same file, whatever its wording and line."""
    parts = (finding.rule, finding.key or "", finding.node or "", finding.pointer or "")
    return sha256("\0".join(parts).encode("utf-8", "surrogatepass")).hexdigest()


def _driver(rules: Sequence[Rule[Any]]) -> dict[str, Any]:
    return {
        "name": "zarrdb",
        "version": __version__,
        "semanticVersion": __version__,
        "rules": [
            {
                "id": rule.id,
                "shortDescription": {"text": f"{rule.summary}."},
                "fullDescription": {"text": rule.why or rule.summary},
                "help": {"text": rule.page},
                "defaultConfiguration": {"level": _LEVELS[rule.level]},
                "properties": {"tags": [rule.family]},
            }
            for rule in rules
        ],
    }


def _invocation(files: Sequence[FileReport]) -> dict[str, Any]:
    unread = [each for each in files if each.error is not None]
    return {
        "executionSuccessful": not unread,
        "toolExecutionNotifications": [
            {
                "level": "error",
                "message": {"text": each.error},
                "locations": [{"physicalLocation": {"artifactLocation": _artifact(each.file)}}],
            }
            for each in unread
        ],
    }


def _result(report: FileReport, finding: Finding, index: int) -> dict[str, Any]:
    message = finding.message
    if finding.hint:
        message += f"\n{finding.hint}"
    return {
        "ruleId": finding.rule,
        "ruleIndex": index,
        "level": _LEVELS[finding.level],
        "message": {"text": message},
        "locations": [_location(report, finding)],
        "partialFingerprints": {"zarrdbFinding/v1": fingerprint(finding)},
    }


def _location(report: FileReport, finding: Finding) -> dict[str, Any]:
    inside = report.kind == "directory" and finding.key is not None
    file = f"{report.file}/{finding.key}" if inside else report.file
    physical: dict[str, Any] = {"artifactLocation": _artifact(file)}
    if inside and finding.line is not None:
        physical["region"] = dict(_region(finding))
    location: dict[str, Any] = {"physicalLocation": physical}
    name = finding.key if finding.key is not None else finding.node
    if name is not None:
        pointer = f"#{finding.pointer}" if finding.pointer else ""
        location["logicalLocations"] = [
            {
                "fullyQualifiedName": f"{name}{pointer}",
                "kind": "member" if pointer else "resource",
            }
        ]
    return location


def _region(finding: Finding) -> Iterator[tuple[str, int]]:
    if finding.line is not None:
        yield "startLine", finding.line
    if finding.column is not None:
        yield "startColumn", finding.column


def _artifact(file: str) -> dict[str, Any]:
    """A URI relative to the current directory, if the file lies below it."""
    if is_url(file):
        return {"uri": redact(file)}
    path = os.path.relpath(file)
    if path.startswith(os.pardir) or os.path.isabs(path):
        return {"uri": "file://" + quote(os.path.abspath(file).replace(os.sep, "/"))}
    encoded = quote(path.replace(os.sep, "/").encode("utf-8", "surrogateescape"))
    return {"uri": encoded, "uriBaseId": _ROOT}
