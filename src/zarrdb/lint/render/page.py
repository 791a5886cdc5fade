"""Rules as text: the list, and the page of one."""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from zarrdb.lint.finding import Level
from zarrdb.lint.rule import Rule


def rule_rows(
    rules: Iterable[Rule[Any]], levels: Mapping[str, Level]
) -> Iterator[tuple[str, str, str, str]]:
    """A row a rule: id, level in this run (`off` if not selected), `fix` or nothing, summary."""
    for rule in rules:
        yield rule.id, levels.get(rule.id, "off"), "fix" if rule.fixable else "", rule.summary


def page_text(rule: Rule[Any]) -> str:
    """The page of a rule as `--explain` prints it."""
    facts = [f"level {rule.level}", f"looks at: {rule.subject}"]
    if rule.fixable:
        facts.append("repaired by --fix")
    lines = [rule.id, f"  {'; '.join(facts)}", "", rule.page]
    if rule.requires:
        lines += ["", f"Not looked for where one of these was found: {', '.join(rule.requires)}."]
    return "\n".join(lines)
