"""Judging one metadata document: its text, and what it says."""

from typing import Any, Final, NamedTuple

from zarrdb import jsontext
from zarrdb.hierarchy.arrays import ArrayFacts, array_v2, array_v3
from zarrdb.lint.collector import Collector
from zarrdb.lint.document import Document
from zarrdb.lint.rule import Rule, rules_of
from zarrdb.lint.rules import document as document_rules

_MAX_CACHED: Final = 4096


class Verdict(NamedTuple):
    """What a document turned out to be.

    `found` are the ids of the rules that found something in it, `array` the facts of an array
    document that could be read.
    """

    value: Any
    found: frozenset[str] = frozenset()
    is_array: bool = False
    array: ArrayFacts | None = None


class Judge:
    """Judges documents; those that are alike to the byte, only once if they are clean."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._clean: dict[tuple[str, bytes], Verdict] = {}
        self._text_rules: tuple[Rule[Document], ...] = rules_of(document_rules)

    def judge(self, key: str, name: str, data: bytes) -> Verdict:
        """Report what is wrong with a document and tell what it is."""
        known = self._clean.get((name, data))
        if known is not None:
            return known
        document = Document(key, data, jsontext.parse(data))
        found: set[str] = set()
        self._collector.apply(self._text_rules, document, found)
        verdict = _verdict(name, document.parsed.value, found)
        if not found and len(self._clean) < _MAX_CACHED:
            self._clean[name, data] = verdict
        return verdict


def _verdict(name: str, value: Any, found: set[str]) -> Verdict:
    fixed = frozenset(found)
    if not isinstance(value, dict):
        return Verdict(value, fixed, is_array=name == ".zarray")
    if name == ".zarray":
        return Verdict(value, fixed, True, array_v2(value, None))
    if name == "zarr.json" and value.get("node_type") == "array":
        return Verdict(value, fixed, True, array_v3(value))
    return Verdict(value, fixed)
