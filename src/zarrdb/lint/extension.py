"""What plugins bring: an object, often a module, with `RULES`, `DEFINITIONS`, or both.

`RULES` are rules as those here are, `DEFINITIONS` definitions of `zarrdb.metadata`: codecs and
data types that documents may have.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from zarrdb.errors import PluginError
from zarrdb.lint.finding import Hit
from zarrdb.lint.rule import Rule
from zarrdb.plugins import load_plugin

if TYPE_CHECKING:
    from zarrdb.metadata import Definition

BySubject = Mapping[str, tuple[Rule[Any], ...]]
"""Rules by what their functions are given."""


class Brought(NamedTuple):
    """What plugins bring together."""

    rules: tuple[Rule[Any], ...] = ()
    definitions: "tuple[Definition[Any], ...]" = ()


def load_plugins(names: Iterable[str], known: Iterable[Rule[Any]]) -> Brought:
    """Load plugins, whose rules have other ids than the known ones.

    Raises PluginError for a plugin that is missing, fails, or brings nothing.
    """
    taken = {rule.id for rule in known}
    rules: list[Rule[Any]] = []
    definitions: list[Definition[Any]] = []
    for name in names:
        plugin = load_plugin(name)
        given, defined = (getattr(plugin, each, None) for each in ("RULES", "DEFINITIONS"))
        if given is None and defined is None:
            raise PluginError(
                f"plugin {name}: has neither RULES nor DEFINITIONS", hint="each of them is a list"
            )
        for rule in _listed(name, "RULES", given):
            if not isinstance(rule, Rule):
                raise PluginError(f"plugin {name}: {rule!r} is no rule")
            if rule.id in taken:
                raise PluginError(f"plugin {name}: there is a rule {rule.id} already")
            taken.add(rule.id)
            rules.append(_guarded(name, rule))
        definitions += (_defined(name, each) for each in _listed(name, "DEFINITIONS", defined))
    return Brought(tuple(rules), tuple(definitions))


def _listed(name: str, what: str, given: object) -> Iterable[object]:
    if given is None:
        return ()
    if not isinstance(given, Iterable):
        raise PluginError(f"plugin {name}: {what} is no list")
    return given


def _defined(name: str, definition: object) -> "Definition[Any]":
    """A definition, with functions whose failures are those of the plugin."""
    from dataclasses import fields, replace
    from inspect import isfunction

    from zarrdb.metadata import Definition

    if not isinstance(definition, Definition):
        raise PluginError(f"plugin {name}: {definition!r} is no definition")
    functions: dict[str, Any] = {
        each.name: _guarded_call(name, definition.name, getattr(definition, each.name))
        for each in fields(definition)
        if isfunction(getattr(definition, each.name))
    }
    return replace(definition, **functions)


def _guarded_call(name: str, id: str, function: Callable[..., Any]) -> Callable[..., Any]:
    def guarded(*arguments: Any) -> Any:
        try:
            found = function(*arguments)
            return tuple(found) if isinstance(found, Iterator) else found
        # A plugin is foreign code: whatever it raises is its failure.
        except Exception as error:
            text = f"plugin {name}: definition {id} failed: {type(error).__name__}: {error}"
            raise PluginError(text) from error

    return guarded


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
