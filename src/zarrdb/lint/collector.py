"""What gathers the findings of one file, in flat memory."""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping

from zarrdb.lint.finding import Finding, Hit, Level
from zarrdb.lint.rule import Rule, S, matching


class Collector:
    """Findings of one file: at most `limit` a rule are kept, all are counted.

    A rule runs only while none of those it requires has found anything on the same subject.
    Rules that are not selected run too, so that ignoring a cause does not bring its
    consequences up, but they report nothing.
    """

    __slots__ = ("_levels", "_limit", "_requires", "counts", "findings")

    def __init__(
        self,
        rules: Iterable[Rule[object]],
        levels: Mapping[str, Level],
        *,
        limit: int | None = None,
    ) -> None:
        rules = tuple(rules)
        ids = [rule.id for rule in rules]
        self._requires = {
            rule.id: frozenset(id for pattern in rule.requires for id in matching(pattern, ids))
            for rule in rules
            if rule.requires
        }
        self._levels = levels
        self._limit = limit
        self.findings: list[Finding] = []
        self.counts: Counter[str] = Counter()

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

    def add(self, rule: Rule[S], hit: Hit) -> None:
        """Take one hit, if its rule is selected."""
        level = self._levels.get(rule.id)
        if level is None:
            return
        self.counts[rule.id] += 1
        if self._limit is not None and self.counts[rule.id] > self._limit:
            return
        self.findings.append(
            Finding(
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
        )
