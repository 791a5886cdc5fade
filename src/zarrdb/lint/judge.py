"""Judging one metadata document: its text, and what it says."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from typing import Any, Final, TypeVar

from zarrdb import jsontext
from zarrdb.jsontext import CONSTANT, OVERFLOW
from zarrdb.lint.arraydocument import ArrayDocument, NodeDocument
from zarrdb.lint.collector import Collector
from zarrdb.lint.document import Document
from zarrdb.lint.extension import BySubject
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
from zarrdb.lint.rules import portability as portability_rules
from zarrdb.lint.scopes import Scopes
from zarrdb.lint.topics import by_topic, hint, rule_for, topic
from zarrdb.lint.verdict import Verdict
from zarrdb.metadata import FieldCache, Problem
from zarrdb.metadata.reading import Fields, Reading
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
_ARRAY_RULES: Final = rules_of(
    array_rules, dtype_rules, fill_value_rules, codec_rules, portability_rules
)
_MEMBER_RULES: Final = (
    *rules_of(array_rules, fill_value_rules),
    portability_rules.truncated_fill,
)
"""Of these, those that look at more than the data type and the codecs."""

D = TypeVar("D", bound=NodeDocument)

Hits = Iterator[tuple[Rule[Any], Hit]]


class Judge:
    """Judges documents; those that are alike to the byte, only once."""

    def __init__(self, collector: Collector, scopes: Scopes, more: BySubject) -> None:
        self._collector = collector
        self._more = more
        self._known: dict[tuple[str, bytes], tuple[Verdict, list[tuple[Rule[Any], Hit]]]] = {}
        self._of_arrays = by_topic(_ARRAY_RULES)
        self._of_groups = by_topic(_GROUP_RULES)
        self.v2 = FieldCache(scopes.v2)
        self._plain_fields: dict[tuple[int, ...], Fields] = {}

    def judge(self, key: str, name: str, data: bytes) -> Verdict:
        """Report what is wrong with a document and tell what it is."""
        known = self._known.get((name, data))
        if known is None:
            hits: list[tuple[Rule[Any], Hit]] = []
            known = self._judged(key, name, data, hits), hits
            if self._more:
                self._extend(key, data, known[0], hits)
            if len(self._known) >= _MAX_CACHED:
                self._known.clear()
            self._known[name, data] = known
        for rule, hit in known[1]:
            self._collector.add(rule, hit if hit.key == key else replace(hit, key=key))
        return known[0]

    def _judged(
        self, key: str, name: str, data: bytes, hits: list[tuple[Rule[Any], Hit]]
    ) -> Verdict:
        parsed = jsontext.parse(data)
        value = parsed.value
        found: set[str] = set()
        if parsed.odd or parsed.encoding != "utf-8" or type(value) is not dict:
            hits += self._collector.hits(_TEXT_RULES, Document(key, data, parsed), found)
            if not isinstance(value, dict):
                return Verdict(value, frozenset(found), is_array=name == ".zarray")
        fit = CONSTANT not in parsed.odd and OVERFLOW not in parsed.odd
        if name == ".zarray":
            array = ArrayDocument(
                key, name, value, read_array(value, self.v2, fit=fit, stored=True)
            )
            hits += self._array(array, found)
            return Verdict(value, frozenset(found), is_array=True, array=array)
        if name == "zarr.json" and value.get("node_type") == "array":
            array = ArrayDocument(key, name, value, Reading(value, CORE_V2, ()))
            return Verdict(value, frozenset(found), is_array=True, array=array)
        entries = None
        if name == ".zgroup":
            group = NodeDocument(key, name, value, read_group(value, self.v2, stored=True))
            hits += self._said(group, _GROUP_RULES, self._of_groups, found)
        elif name == ".zmetadata":
            hits += self._consolidated2(key, value, found, fit=fit)
            if consolidated_rules.invalid.id not in found:
                entries = value["metadata"]
        return Verdict(value, frozenset(found), entries=entries)

    def _array(self, array: ArrayDocument, found: set[str]) -> Hits:
        """What is wrong with an array; what its data type and codecs alone give rise to is
        looked for once for all arrays that have the same."""
        fields = tuple(id(field) for _, field in array.reading.fields)
        if array.reading.problems or fields not in self._plain_fields:
            before = len(found)
            yield from self._said(array, _ARRAY_RULES, self._of_arrays, found)
            if len(found) == before and not array.reading.problems:
                # The fields are kept, so that their ids stay theirs.
                self._plain_fields[fields] = array.reading.fields
        else:
            yield from self._collector.hits(_MEMBER_RULES, array, found)

    def _extend(
        self, key: str, data: bytes, verdict: Verdict, hits: list[tuple[Rule[Any], Hit]]
    ) -> None:
        """Run the rules that plugins bring on a document, and on the array that it is."""
        found = set(verdict.found)
        if "document" in self._more:
            document = Document(key, data, jsontext.parse(data))
            hits += self._collector.hits(self._more["document"], document, found)
        if verdict.array is not None:
            hits += self._collector.hits(self._more.get("array", ()), verdict.array, found)

    def _consolidated2(
        self, key: str, value: dict[str, Any], found: set[str], *, fit: bool
    ) -> Hits:
        """Faults of the envelope and of entries as such; what is wrong inside an entry is
        reported where the entry is a copy of."""
        rule = consolidated_rules.invalid
        reading = read_consolidated(value, self.v2, fit=fit)
        for problem in reading.problems:
            if len(problem.loc) <= 2 and problem.reason not in _OF_THE_TREE:
                found.add(rule.id)
                where = jsontext.pointer(problem.loc)
                message = f"{'.'.join(map(str, problem.loc))}: {problem.message}"
                yield rule, Hit(message, None, key, pointer=where)

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
