"""Lines and columns of findings, looked up when there is something to report."""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import replace

from zarrdb import jsontext
from zarrdb.keys import KeySource
from zarrdb.lint.finding import Finding


def located(findings: Sequence[Finding], source: KeySource) -> list[Finding]:
    """The findings with the places of those that have a pointer into a document."""
    wanted: dict[str, set[str]] = defaultdict(set)
    for finding in findings:
        if finding.key is not None and finding.pointer is not None and finding.line is None:
            wanted[finding.key].add(finding.pointer)
    places: dict[tuple[str, str], jsontext.Place] = {}
    for key, data in source.get_many(wanted):
        if data is not None:
            for pointer, place in jsontext.locate(data, wanted[key]).items():
                places[key, pointer] = place
    return [_placed(finding, places) for finding in findings]


def _placed(finding: Finding, places: dict[tuple[str, str], jsontext.Place]) -> Finding:
    if finding.line is not None or finding.key is None or finding.pointer is None:
        return finding
    place = places.get((finding.key, finding.pointer))
    if place is None:
        return finding
    return replace(finding, line=place.line, column=place.column)
