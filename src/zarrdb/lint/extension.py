"""Rules that plugins bring: an object, often a module, with an attribute `RULES`."""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any

from zarrdb.errors import PluginError
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import Rule
from zarrdb.plugins import load_plugin

BySubject = Mapping[str, tuple[Rule[Any], ...]]
"""Rules by what their functions are given."""


def plugin_rules(names: Iterable[str], known: Iterable[Rule[Any]]) -> tuple[Rule[Any], ...]:
    """The rules of plugins, which have other ids than the known ones.

    Raises PluginError for a plugin that is missing, fails, or brings no rules.
    """
    taken = {rule.id for rule in known}
    found: list[Rule[Any]] = []
    for name in names:
        rules = getattr(load_plugin(name), "RULES", None)
        if not isinstance(rules, Iterable):
            raise PluginError(f"plugin {name}: has no RULES", hint="RULES is a list of rules")
        for rule in rules:
            if not isinstance(rule, Rule):
                raise PluginError(f"plugin {name}: {rule!r} is no rule")
            if rule.id in taken:
                raise PluginError(f"plugin {name}: there is a rule {rule.id} already")
            taken.add(rule.id)
            found.append(_guarded(name, rule))
    return tuple(found)


def by_subject(rules: Iterable[Rule[Any]]) -> BySubject:
    """Rules with a function, by their subject."""
    found: dict[str, tuple[Rule[Any], ...]] = {}
    for rule in rules:
        if rule.function is not None:
            found[rule.subject] = (*found.get(rule.subject, ()), rule)
    return found


def _guarded(name: str, rule: Rule[Any]) -> Rule[Any]:
    """The rule, with a function whose failures are those of the plugin."""
    function = rule.function
    if function is None:
        return rule
    return rule.with_function(_guard(name, rule.id, function))


def _guard(
    name: str, id: str, function: Callable[[Any], Iterable[Hit]]
) -> Callable[[Any], Iterator[Hit]]:
    def guarded(subject: Any) -> Iterator[Hit]:
        # A plugin is foreign code: whatever it raises is its failure.
        try:
            yield from function(subject)
        except Exception as error:
            text = f"plugin {name}: rule {id} failed: {type(error).__name__}: {error}"
            raise PluginError(text) from error

    return guarded
