"""Judging one metadata document: its text, and what it says."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, NamedTuple

from zarrdb import jsontext
from zarrdb.hierarchy.arrays import ArrayFacts, array_v2, array_v3
from zarrdb.lint.arraydocument import ArrayDocument
from zarrdb.lint.collector import Collector
from zarrdb.lint.document import Document
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import Rule, rules_of
from zarrdb.lint.rules import array as array_rules
from zarrdb.lint.rules import codec as codec_rules
from zarrdb.lint.rules import document as document_rules
from zarrdb.lint.rules import dtype as dtype_rules
from zarrdb.lint.rules import fill_value as fill_value_rules
from zarrdb.lint.topics import by_topic, rule_for, topic
from zarrdb.metadata import FieldCache, Problem
from zarrdb.metadata.v2.definition import CORE_V2
from zarrdb.metadata.v2.read_array import read_array

_MAX_CACHED: Final = 4096
_TEXT_RULES: Final = rules_of(document_rules)
_ARRAY_RULES: Final = rules_of(array_rules, dtype_rules, fill_value_rules, codec_rules)


class Verdict(NamedTuple):
    """What a document turned out to be.

    `found` are the ids of the rules that found something in it, `array` the facts of an array
    document that could be read.
    """

    value: Any
    found: frozenset[str] = frozenset()
    is_array: bool = False
    array: ArrayFacts | None = None


Hits = list[tuple[Rule[Any], Hit]]


class Judge:
    """Judges documents; those that are alike to the byte, only once."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._known: dict[tuple[str, bytes], tuple[Verdict, Hits]] = {}
        self._topics = by_topic(_ARRAY_RULES)
        self._v2 = FieldCache(CORE_V2)

    def judge(self, key: str, name: str, data: bytes) -> Verdict:
        """Report what is wrong with a document and tell what it is."""
        known = self._known.get((name, data))
        if known is None:
            known = self._judged(key, name, data)
            if len(self._known) >= _MAX_CACHED:
                self._known.clear()
            self._known[name, data] = known
        verdict, hits = known
        for rule, hit in hits:
            self._collector.add(rule, hit if hit.key == key else replace(hit, key=key))
        return verdict

    def _judged(self, key: str, name: str, data: bytes) -> tuple[Verdict, Hits]:
        document = Document(key, data, jsontext.parse(data))
        found: set[str] = set()
        hits: Hits = list(self._collector.hits(_TEXT_RULES, document, found))
        value = document.parsed.value
        if not isinstance(value, dict):
            return Verdict(value, frozenset(found), is_array=name == ".zarray"), hits
        facts = None
        is_array = name == ".zarray"
        if name == ".zarray":
            hits += self._array2(document, found)
            facts = array_v2(value, None)
        elif name == "zarr.json" and value.get("node_type") == "array":
            is_array, facts = True, array_v3(value)
        return Verdict(value, frozenset(found), is_array, facts), hits

    def _array2(self, document: Document, found: set[str]) -> Iterator[tuple[Rule[Any], Hit]]:
        value = document.parsed.value
        reading = read_array(value, self._v2, fit=document.is_fit, stored=True)
        array = ArrayDocument(document.key, 2, value, reading)
        yield from self._said(array, _ARRAY_RULES, self._topics, found)

    def _said(
        self,
        array: ArrayDocument,
        rules: Iterable[Rule[Any]],
        topics: Mapping[str, Rule[Any]],
        found: set[str],
    ) -> Iterator[tuple[Rule[Any], Hit]]:
        """What problems of the engine and rules of our own say about an array."""
        told: dict[str, list[Problem]] = {}
        for problem in array.reading.problems:
            rule = rule_for(topics, topic(problem))
            if rule is not None:
                told.setdefault(rule.id, []).append(problem)
        for rule in rules:
            if found and self._collector.blocked(rule.id, found):
                continue
            for problem in told.get(rule.id, ()):
                found.add(rule.id)
                yield rule, array.hit(problem.loc, problem.message)
            if rule.function is not None:
                for hit in rule.function(array):
                    found.add(rule.id)
                    yield rule, hit
