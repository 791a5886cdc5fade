"""Judging one metadata document: its text, and what it says."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from math import prod
from typing import Any, Final, TypeVar

from zarrdb import jsontext
from zarrdb.hierarchy.arrays import layout_v2, layout_v3
from zarrdb.lint.arraydocument import ArrayDocument, NodeDocument
from zarrdb.lint.collector import Collector
from zarrdb.lint.document import Document
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import Rule, rules_of
from zarrdb.lint.rules import array as array_rules
from zarrdb.lint.rules import codec as codec_rules
from zarrdb.lint.rules import consolidated as consolidated_rules
from zarrdb.lint.rules import document as document_rules
from zarrdb.lint.rules import dtype as dtype_rules
from zarrdb.lint.rules import fill_value as fill_value_rules
from zarrdb.lint.rules import group as group_rules
from zarrdb.lint.rules import hierarchy as hierarchy_rules
from zarrdb.lint.topics import by_topic, hint, rule_for, topic
from zarrdb.lint.verdict import Verdict
from zarrdb.metadata import FieldCache, Problem
from zarrdb.metadata.reasons import ARRAY_AND_GROUP, MISSING_GROUP, NODE_BELOW_ARRAY
from zarrdb.metadata.v2.definition import CORE_V2
from zarrdb.metadata.v2.read_array import read_array
from zarrdb.metadata.v2.read_consolidated import read_consolidated
from zarrdb.metadata.v2.read_node import read_group

_MAX_CACHED: Final = 4096

# Rules on the hierarchy itself tell of these.
_OF_THE_TREE: Final = (MISSING_GROUP, NODE_BELOW_ARRAY, ARRAY_AND_GROUP)

_TEXT_RULES: Final = rules_of(document_rules)
_GROUP_RULES: Final = rules_of(group_rules)
_ARRAY_RULES: Final = rules_of(array_rules, dtype_rules, fill_value_rules, codec_rules)

D = TypeVar("D", bound=NodeDocument)

Hits = Iterator[tuple[Rule[Any], Hit]]


class Judge:
    """Judges documents; those that are alike to the byte, only once."""

    def __init__(self, collector: Collector) -> None:
        self._collector = collector
        self._known: dict[tuple[str, bytes], tuple[Verdict, list[tuple[Rule[Any], Hit]]]] = {}
        self._of_arrays = by_topic(_ARRAY_RULES)
        self._of_groups = by_topic(_GROUP_RULES)
        self.v2 = FieldCache(CORE_V2)

    def judge(self, key: str, name: str, data: bytes) -> Verdict:
        """Report what is wrong with a document and tell what it is."""
        known = self._known.get((name, data))
        if known is None:
            hits: list[tuple[Rule[Any], Hit]] = []
            known = self._judged(Document(key, data, jsontext.parse(data)), hits), hits
            if len(self._known) >= _MAX_CACHED:
                self._known.clear()
            self._known[name, data] = known
        for rule, hit in known[1]:
            self._collector.add(rule, hit if hit.key == key else replace(hit, key=key))
        return known[0]

    def _judged(self, document: Document, hits: list[tuple[Rule[Any], Hit]]) -> Verdict:
        name, value = document.name, document.parsed.value
        found: set[str] = set()
        hits += self._collector.hits(_TEXT_RULES, document, found)
        if not isinstance(value, dict):
            return Verdict(value, frozenset(found), is_array=name == ".zarray")
        verdict = Verdict(value)
        if name == ".zarray":
            reading = read_array(value, self.v2, fit=document.is_fit, stored=True)
            array = ArrayDocument(document.key, name, value, reading)
            hits += self._said(array, _ARRAY_RULES, self._of_arrays, found)
            verdict = Verdict(
                value,
                is_array=True,
                reading=reading,
                layout=layout_v2(value),
                stored=array.stored,
            )
        elif name == ".zgroup":
            group = NodeDocument(document.key, name, value, read_group(value, self.v2, stored=True))
            hits += self._said(group, _GROUP_RULES, self._of_groups, found)
        elif name == ".zmetadata":
            hits += self._consolidated2(document, found)
            if consolidated_rules.invalid.id not in found:
                verdict = Verdict(value, entries=value["metadata"])
        elif name == "zarr.json" and value.get("node_type") == "array":
            verdict = Verdict(value, is_array=True, layout=layout_v3(value))
        if verdict.layout is not None:
            total, null = prod(verdict.layout.lengths), value.get("fill_value") is None
            verdict = verdict._replace(chunks_total=total, fill_is_null=null)
        return verdict._replace(found=frozenset(found))

    def _consolidated2(self, document: Document, found: set[str]) -> Hits:
        """Faults of the envelope and of entries as such; what is wrong inside an entry is
        reported where the entry is a copy of."""
        rule, value = consolidated_rules.invalid, document.parsed.value
        reading = read_consolidated(value, self.v2, fit=document.is_fit)
        for problem in reading.problems:
            if len(problem.loc) <= 2 and problem.reason not in _OF_THE_TREE:
                found.add(rule.id)
                where = jsontext.pointer(problem.loc)
                message = f"{'.'.join(map(str, problem.loc))}: {problem.message}"
                yield rule, Hit(message, None, document.key, pointer=where)

    def _said(
        self,
        document: D,
        rules: Iterable[Rule[D]],
        topics: Mapping[str, Rule[Any]],
        found: set[str],
    ) -> Hits:
        """What problems of the engine and rules of our own say about a node's document.

        A document of an unknown format has that one finding: the rest is in another language.
        """
        told: dict[str, list[Problem]] = {}
        for problem in document.reading.problems:
            name = topic(problem)
            if name.startswith("format:") and name != "format:missing-member":
                found.add(hierarchy_rules.unknown_document.id)
                yield hierarchy_rules.unknown_document, document.hit(problem.loc, problem.message)
                return
            rule = rule_for(topics, name)
            if rule is not None:
                told.setdefault(rule.id, []).append(problem)
        for rule in rules:
            if found and self._collector.blocked(rule.id, found):
                continue
            for problem in told.get(rule.id, ()):
                found.add(rule.id)
                yield rule, document.hit(problem.loc, problem.message, hint(problem))
            if rule.function is not None:
                for each in rule.function(document):
                    found.add(rule.id)
                    yield rule, each
