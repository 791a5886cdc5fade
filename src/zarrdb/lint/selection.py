"""Which rules run, and at which level: --select, --ignore, --level."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from zarrdb.errors import UsageError
from zarrdb.lint.finding import LEVELS, Level
from zarrdb.lint.rule import Rule, matching


@dataclass(frozen=True, slots=True)
class Selection:
    """Patterns of rule ids: an id, a family (`container`), a glob (`chunk/*`) or `all`.

    Later entries of `levels` win over earlier ones, `ignore` wins over `select`.
    """

    select: tuple[str, ...] = ("all",)
    ignore: tuple[str, ...] = ()
    levels: tuple[tuple[str, Level], ...] = ()


def effective_levels(rules: Iterable[Rule[object]], selection: Selection) -> Mapping[str, Level]:
    """The level of each rule that is to be reported.

    Raises UsageError for a pattern that selects no rule.
    """
    declared = {rule.id: rule.level for rule in rules}
    chosen: dict[str, Level] = {}
    for pattern in selection.select:
        for id in _required(pattern, declared):
            chosen[id] = declared[id]
    for pattern, level in selection.levels:
        for id in _required(pattern, declared):
            if id in chosen:
                chosen[id] = level
    for pattern in selection.ignore:
        for id in _required(pattern, declared):
            chosen.pop(id, None)
    return chosen


def parse_level(text: str) -> tuple[str, Level]:
    """`RULE=LEVEL` as a pair; raises UsageError."""
    pattern, separator, level = text.partition("=")
    if not separator or level not in LEVELS or not pattern:
        raise UsageError(
            f"--level {text}: not of the form RULE=LEVEL",
            hint=f"LEVEL is one of {', '.join(LEVELS)}, like --level chunk/missing=error",
        )
    return pattern, level


def find_rule(id: str, rules: Iterable[Rule[object]]) -> Rule[object]:
    """The rule of that id; raises UsageError with the nearest ids as a hint."""
    by_id = {rule.id: rule for rule in rules}
    if id not in by_id:
        raise _unknown(id, by_id)
    return by_id[id]


def _required(pattern: str, ids: Iterable[str]) -> list[str]:
    found = list(matching(pattern, ids))
    if not found:
        raise _unknown(pattern, ids)
    return found


def _unknown(pattern: str, ids: Iterable[str]) -> UsageError:
    from difflib import get_close_matches

    near = get_close_matches(pattern, list(ids), n=3)
    suggestion = f"did you mean {' or '.join(f'`{id}`' for id in near)}? " if near else ""
    return UsageError(
        f"no rule `{pattern}`", hint=f"{suggestion}`zarrdb check --list-rules` lists them"
    )
