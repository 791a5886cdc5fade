"""What gathers the findings of one file, in flat memory."""

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from typing import Any, Protocol

from zarrdb.lint.finding import Finding, Hit, Level
from zarrdb.lint.rule import Rule, S, matching


class Levels(Protocol):
    """The level at which a rule is reported at a place, None where it is not."""

    def __call__(self, rule: str, place: str | None) -> Level | None: ...


class Collector:
    """Findings of one file: at most `limit` a rule are kept, all are counted.

    A rule runs only while none of those it requires has found anything on the same subject;
    of a family (`array/*`) those count that are errors.
    Rules that are not reported run too, so that ignoring a cause does not bring its
    consequences up. `accepts` tells which findings are known and accepted.
    """

    __slots__ = (
        "_accepts",
        "_levels",
        "_limit",
        "_requires",
        "accepted",
        "counts",
        "findings",
        "levels",
    )

    def __init__(
        self,
        rules: Iterable[Rule[Any]],
        levels: Levels,
        *,
        limit: int | None = None,
        accepts: Callable[[Finding], bool] | None = None,
    ) -> None:
        rules = tuple(rules)
        ids = [rule.id for rule in rules]
        errors = [rule.id for rule in rules if rule.level == "error"]
        self._requires = {
            rule.id: frozenset(
                id
                for pattern in rule.requires
                for id in matching(pattern, errors if "*" in pattern else ids)
            )
            for rule in rules
            if rule.requires
        }
        self._levels = levels
        self._limit = limit
        self._accepts = accepts
        self.findings: list[Finding] = []
        self.counts: Counter[str] = Counter()
        self.levels: Counter[Level] = Counter()
        self.accepted = 0

    def apply(self, rules: Iterable[Rule[S]], subject: S, found: set[str]) -> None:
        """Run rules on one subject; ids of those that find something join `found`."""
        for rule, hit in self.hits(rules, subject, found):
            self.add(rule, hit)

    def hits(
        self, rules: Iterable[Rule[S]], subject: S, found: set[str]
    ) -> Iterator[tuple[Rule[S], Hit]]:
        """What `apply` would add."""
        for rule in rules:
            if rule.function is None or (found and self.blocked(rule.id, found)):
                continue
            for hit in rule.function(subject):
                found.add(rule.id)
                yield rule, hit

    def blocked(self, id: str, found: Collection[str]) -> bool:
        """Whether a rule that this one requires is among those that found something."""
        requires = self._requires.get(id)
        return requires is not None and not requires.isdisjoint(found)

    def is_full(self, rule: Rule[Any]) -> bool:
        """Whether further hits of a rule would only be counted, so that `count` will do."""
        return self._limit is not None and (
            self.counts[rule.id] >= self._limit and self._accepts is None
        )

    def count(self, rule: Rule[Any], place: str) -> None:
        """Take one hit of a rule that is full."""
        level = self._levels(rule.id, place)
        if level is not None:
            self.counts[rule.id] += 1
            self.levels[level] += 1

    def add(self, rule: Rule[S], hit: Hit) -> None:
        """Take one hit, if its rule is to be reported there."""
        level = self._levels(rule.id, hit.key if hit.key is not None else hit.node)
        if level is None:
            return
        full = self._limit is not None and self.counts[rule.id] >= self._limit
        if not full or self._accepts is not None:
            finding = _finding(rule, level, hit)
            if self._accepts is not None and self._accepts(finding):
                self.accepted += 1
                return
            if not full:
                self.findings.append(finding)
        self.counts[rule.id] += 1
        self.levels[level] += 1


def _finding(rule: Rule[Any], level: Level, hit: Hit) -> Finding:
    return Finding(
        rule=rule.id,
        level=level,
        key=hit.key,
        node=hit.node,
        pointer=hit.pointer,
        line=hit.line,
        column=hit.column,
        count=hit.count,
        message=hit.message,
        hint=hit.hint,
        fixable=rule.fixable,
        size=hit.size,
        keys=hit.keys,
    )
