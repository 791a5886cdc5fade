"""JUnit XML: a suite a file, a test case a rule that found something."""

from itertools import groupby
from typing import Final
from xml.etree.ElementTree import Element, SubElement, indent, tostring

from zarrdb.keys import printable
from zarrdb.lint.finding import Finding
from zarrdb.lint.render.text import place_text
from zarrdb.lint.report import FAILING, FailOn, FileReport, Report

_CLEAN: Final = "all rules"


def as_junit(report: Report, fail_on: FailOn) -> str:
    """The XML text; findings at or above `fail_on` are failures, others are told along."""
    root = Element("testsuites", name="zarrdb check", time=f"{report.seconds:.3f}")
    for each in report.files:
        _suite(root, each, fail_on)
    for count in ("tests", "failures", "errors"):
        root.set(count, str(sum(int(suite.get(count, "0")) for suite in root)))
    indent(root)
    return tostring(root, encoding="unicode", xml_declaration=False)


def _suite(root: Element, report: FileReport, fail_on: FailOn) -> None:
    suite = SubElement(root, "testsuite", name=printable(report.file))
    failures = 0
    findings = sorted(report.findings, key=lambda finding: finding.rule)
    for rule, found in groupby(findings, key=lambda finding: finding.rule):
        failures += _case(suite, report, rule, list(found), fail_on)
    if report.error is not None:
        case = SubElement(suite, "testcase", name="readable", classname=printable(report.file))
        SubElement(case, "error", message=printable(report.error))
    if not len(suite):
        SubElement(suite, "testcase", name=_CLEAN, classname=printable(report.file))
    suite.set("tests", str(len(suite)))
    suite.set("failures", str(failures))
    suite.set("errors", str(int(report.error is not None)))


def _case(
    suite: Element, report: FileReport, rule: str, found: list[Finding], fail_on: FailOn
) -> bool:
    case = SubElement(suite, "testcase", name=rule, classname=printable(report.file))
    lines = [
        printable(": ".join(filter(None, (place_text(finding), finding.message))))
        for finding in found
    ]
    more = report.counts[rule] - len(found)
    if more:
        lines.append(f"… and {more:,} more")
    failed = found[0].level in FAILING[fail_on]
    if failed:
        part = SubElement(case, "failure", type=found[0].level, message=printable(found[0].message))
    else:
        part = SubElement(case, "system-out")
    part.text = "\n".join(lines)
    return failed
