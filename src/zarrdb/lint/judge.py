"""Judging one metadata document: its text, and what it says."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from zarrdb import jsontext
from zarrdb.jsontext import CONSTANT, OVERFLOW
from zarrdb.lint.alike import Alike
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
from zarrdb.metadata import Problem

if TYPE_CHECKING:
    from zarrdb.lint.dialect2 import DialectV2
    from zarrdb.lint.dialect3 import DialectV3

_MAX_CACHED: Final = 4096
_MAX_SEEN: Final = 1 << 16

_COPY: Final = "consolidated_metadata"

_TEXT_RULES: Final = rules_of(document_rules)
_COPY_RULES: Final = (consolidated_rules.invalid, consolidated_rules.null)
_COPY_IDS: Final = frozenset(rule.id for rule in _COPY_RULES)
_GROUP_RULES: Final = (*rules_of(group_rules), *_COPY_RULES)
_ARRAY_RULES: Final = (
    *rules_of(array_rules, dtype_rules, fill_value_rules, codec_rules, portability_rules),
    *_COPY_RULES,
)
D = TypeVar("D", bound=NodeDocument)

Hits = Iterator[tuple[Rule[Any], Hit]]
Known = tuple[Verdict, list[tuple[Rule[Any], Hit]]]
"""What a document is, and what was found in it."""


class Judge:
    """Judges documents; those that are alike to the byte, only once."""

    def __init__(self, collector: Collector, scopes: Scopes, more: BySubject) -> None:
        self._collector = collector
        self._scopes = scopes
        self._more = more
        self._known: dict[tuple[str, bytes], Known] = {}
        self._seen: set[int] = set()
        self._of_arrays = by_topic(_ARRAY_RULES)
        self._of_groups = by_topic(_GROUP_RULES)
        self._alike = Alike()

    @cached_property
    def v2(self) -> "DialectV2":
        """What reads v2 documents; loaded when the first is met."""
        from zarrdb.lint.dialect2 import DialectV2

        return DialectV2(self._scopes.v2)

    @cached_property
    def v3(self) -> "DialectV3":
        """What reads v3 documents; loaded when the first is met."""
        from zarrdb.lint.dialect3 import DialectV3

        return DialectV3(self._scopes.v3)

    def judge(self, key: str, name: str, data: bytes) -> Verdict:
        """Report what is wrong with a document and tell what it is."""
        document = name, data
        known = self._known.get(document)
        if known is None:
            hits: list[tuple[Rule[Any], Hit]] = []
            known = self._judged(key, name, data, hits), hits
            if self._more:
                self._extend(key, data, known[0], hits)
            self._remember(document, known)
        for rule, hit in known[1]:
            self._collector.add(rule, hit if hit.key == key else replace(hit, key=key))
        return known[0]

    def _remember(self, document: tuple[str, bytes], known: Known) -> None:
        """Keep what was found in a document that comes a second time.

        Most come once, and to hold what is made of them costs more than to let it go at once.
        """
        fingerprint = hash(document)
        if fingerprint not in self._seen:
            if len(self._seen) >= _MAX_SEEN:
                self._seen.clear()
            self._seen.add(fingerprint)
            return
        if len(self._known) >= _MAX_CACHED:
            self._known.clear()
        self._known[document] = known

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
        if name == ".zattrs":
            return Verdict(value, frozenset(found))
        fit = CONSTANT not in parsed.odd and OVERFLOW not in parsed.odd
        dialect = self.v3 if name == "zarr.json" else self.v2
        is_array = name == ".zarray" or value.get("node_type") == "array"
        kind = self._alike.kind_of(name, value) if is_array and not found else None
        if kind is not None and (alike := self._alike.document(kind, key, value)) is not None:
            return Verdict(value, is_array=True, array=alike)
        document = dialect.node(key, name, value, fit=fit)
        if isinstance(document, ArrayDocument):
            hits += self._said(document, _ARRAY_RULES, self._of_arrays, found)
            if kind is not None and not found:
                self._alike.remember(kind, document)
            return Verdict(value, frozenset(found), is_array=True, array=document)
        if name != ".zmetadata":
            hits += self._said(document, _GROUP_RULES, self._of_groups, found)
            if _COPY not in value:
                return Verdict(value, frozenset(found))
        entries = None
        if found.isdisjoint(_COPY_IDS):
            hits += self._copy(document, dialect.copy_faults(document.reading), found)
            if found.isdisjoint(_COPY_IDS):
                entries = _entries(value if name == ".zmetadata" else value[_COPY])
        return Verdict(value, frozenset(found), entries=entries)

    def entry(self, key: str, name: str, value: dict[str, Any]) -> Hits:
        """What is wrong with a node's document that is part of the document of a key."""
        dialect = self.v3 if name == "zarr.json" else self.v2
        document = dialect.node(key, name, value, fit=False)
        if isinstance(document, ArrayDocument):
            yield from self._said(document, _ARRAY_RULES, self._of_arrays, set())
        elif _COPY not in value:
            yield from self._said(document, _GROUP_RULES, self._of_groups, set())

    def _copy(self, document: NodeDocument, faults: Iterable[Problem], found: set[str]) -> Hits:
        """What is wrong with consolidated metadata as such."""
        for problem in faults:
            found.add(consolidated_rules.invalid.id)
            yield consolidated_rules.invalid, document.hit(problem.loc, problem.message)

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
        for problem in (*document.reading.problems, *document.notes):
            name = topic(problem, document.zarr_format)
            if _is_unknown(name, document):
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


def _entries(copy: Any) -> Mapping[str, Any] | None:
    """What a copy lists; None where nobody can tell."""
    entries = copy.get("metadata", {}) if isinstance(copy, dict) else None
    return entries if isinstance(entries, dict) else None


def _is_unknown(name: str, document: NodeDocument) -> bool:
    """Whether a topic is that of a document which does not tell what it is."""
    if not name.startswith("format:"):
        return False
    if name != "format:missing-member":
        return True
    return document.name == "zarr.json" and "node_type" not in document.value
