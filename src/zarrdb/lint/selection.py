"""Which rules are reported, and at which level: --select, --ignore, --level, and places."""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

from zarrdb.errors import UsageError
from zarrdb.lint.finding import LEVELS, Level
from zarrdb.lint.rule import Rule, matching
from zarrdb.patterns import Predicate, matcher


class Override(NamedTuple):
    """Other levels for findings whose key or node matches one of the patterns."""

    keys: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    level: tuple[tuple[str, Level], ...] = ()


class Selection(NamedTuple):
    """Patterns of rule ids: an id, a family (`container`), a glob (`chunk/*`) or `all`.

    Later entries of `levels` win over earlier ones, `ignore` wins over `select`. `include`
    and `exclude` are patterns of keys: findings elsewhere are left out, but for those about
    the container as a whole. The first override that matches a place holds there.
    """

    select: tuple[str, ...] = ("all",)
    ignore: tuple[str, ...] = ()
    levels: tuple[tuple[str, Level], ...] = ()
    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    overrides: tuple[Override, ...] = ()


class EffectiveLevels:
    """A selection worked out for the rules there are; answers for a rule and a place.

    Raises UsageError for a pattern that selects no rule, or can match no key.
    """

    __slots__ = ("_exclude", "_include", "_overrides", "by_rule")

    def __init__(self, rules: Iterable[Rule[Any]], selection: Selection) -> None:
        declared = {rule.id: rule.level for rule in rules}
        chosen: dict[str, Level] = {}
        for pattern in selection.select:
            for id in _required(pattern, declared):
                chosen[id] = declared[id]
        self.by_rule = _changed(chosen, declared, selection.ignore, selection.levels)
        self._include = matcher(selection.include)
        self._exclude = matcher(selection.exclude)
        self._overrides: list[tuple[Predicate, Mapping[str, Level]]] = []
        for each in selection.overrides:
            matches = matcher(each.keys)
            if matches is not None:
                changed = _changed(self.by_rule, declared, each.ignore, each.level)
                self._overrides.append((matches, changed))

    def __call__(self, rule: str, place: str | None) -> Level | None:
        """The level of a rule at a key or node; None where it is not reported."""
        if place is None:
            return self.by_rule.get(rule)
        if self._include is not None and not self._include(place):
            return None
        if self._exclude is not None and self._exclude(place):
            return None
        for matches, levels in self._overrides:
            if matches(place):
                return levels.get(rule)
        return self.by_rule.get(rule)


def parse_level(text: str) -> tuple[str, Level]:
    """`RULE=LEVEL` as a pair; raises UsageError."""
    pattern, separator, level = text.partition("=")
    if not separator or level not in LEVELS or not pattern:
        raise UsageError(
            f"--level {text}: not of the form RULE=LEVEL",
            hint=f"LEVEL is one of {', '.join(LEVELS)}, like --level chunk/missing=error",
        )
    return pattern, level


def find_rule(id: str, rules: Iterable[Rule[Any]]) -> Rule[Any]:
    """The rule of that id; raises UsageError with the nearest ids as a hint."""
    by_id = {rule.id: rule for rule in rules}
    if id not in by_id:
        raise _unknown(id, by_id)
    return by_id[id]


def _changed(
    levels: Mapping[str, Level],
    declared: Mapping[str, Level],
    ignore: Iterable[str],
    changes: Iterable[tuple[str, Level]],
) -> dict[str, Level]:
    changed = dict(levels)
    for pattern, level in changes:
        for id in _required(pattern, declared):
            if id in changed:
                changed[id] = level
    for pattern in ignore:
        for id in _required(pattern, declared):
            changed.pop(id, None)
    return changed


def _required(pattern: str, ids: Iterable[str]) -> list[str]:
    found = list(matching(pattern, ids))
    if not found:
        raise _unknown(pattern, ids)
    return found


def _unknown(pattern: str, ids: Iterable[str]) -> UsageError:
    from difflib import get_close_matches

    families = dict.fromkeys(id.partition("/")[0] for id in ids)
    begun = [id for id in ids if id.startswith(pattern)]
    near = begun[:3] or get_close_matches(pattern, [*families, *ids], n=3)
    suggestion = f"did you mean {' or '.join(f'`{id}`' for id in near)}? " if near else ""
    return UsageError(
        f"no rule `{pattern}`", hint=f"{suggestion}`zarrdb check --list-rules` lists them"
    )
