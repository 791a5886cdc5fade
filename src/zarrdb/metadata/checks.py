"""The functions that check a JSON value, one maker for each form a shape can have.

A check gives `()` as quickly as it can; everything it says about a bad value is made only then.
"""

from collections.abc import Callable, Iterator, Sequence
from types import NoneType
from typing import Any, Final, NamedTuple, TypeAlias

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Loc, Problem, Problems, shown, under

Check: TypeAlias = Callable[[Any], Problems]
Found: TypeAlias = tuple[Loc, Any, Any]
Nested: TypeAlias = Callable[[Any], Iterator[Found]]


class Compiled(NamedTuple):
    """A shape as functions: what is wrong with a value, and which fields lie in it."""

    check: Check
    """Problems of a value, `()` when it has the shape. Fields within are not judged."""
    takes: frozenset[str]
    """The JSON types that the shape has: null boolean integer number string array object."""
    expects: str
    """What it wants, for messages."""
    nested: Nested | None = None
    """Fields within a value, as (location, place, value); None where there can be none."""


class Member(NamedTuple):
    """One member of an object: its shape, and whether it may be absent."""

    name: str
    shape: Compiled
    required: bool


JSON_TYPES: Final[dict[type, str]] = {
    NoneType: "null",
    bool: "boolean",
    int: "integer",
    float: "number",
    str: "string",
    list: "array",
    tuple: "array",
    dict: "object",
}
EVERY_TYPE: Final = frozenset(JSON_TYPES.values())
_NUMBERS: Final = frozenset({"integer", "number"})


def json_type(value: object) -> str | None:
    """The JSON type of a value, a float being a number; None for what JSON does not have."""
    known = JSON_TYPES.get(type(value))
    if known is None:
        known = next((name for kind, name in JSON_TYPES.items() if isinstance(value, kind)), None)
    return known


def wrong_type(expects: str, value: object, reason: str = reasons.WRONG_TYPE) -> Problems:
    """The problem of a value of another JSON type."""
    return (Problem((), "invalid_type", f"expected {expects}, got {shown(value)}", reason),)


def _no_match(expects: str, takes: frozenset[str], value: object) -> Problems:
    """`wrong_type`, telling apart an integer that is written as a float."""
    if isinstance(value, float) and value.is_integer() and "integer" in takes:
        return wrong_type(expects, value, reasons.INTEGRAL_FLOAT)
    return wrong_type(expects, value)


def _fine(_: Any) -> Problems:
    """The check of what is not checked; a container of it need not call it for each item."""
    return ()


def anything() -> Compiled:
    """Any JSON value."""
    return Compiled(_fine, EVERY_TYPE, "any value")


def a_field(place: Any) -> Compiled:
    """A field of its own: nothing of it is checked here, and it is the one nested value."""
    return Compiled(_fine, EVERY_TYPE, "a field", lambda value: iter([((), place, value)]))


def scalar(types: tuple[type, ...], expects: str) -> Compiled:
    """A value of exactly one of these Python types; `True` is no integer."""
    takes = frozenset(JSON_TYPES[kind] for kind in types)

    def check(value: Any) -> Problems:
        if type(value) in types or _is_one(value, types):
            return ()
        return _no_match(expects, takes, value)

    return Compiled(check, takes, expects)


def _is_one(value: object, types: tuple[type, ...]) -> bool:
    """For subclasses, such as an enumeration's members; bool is the one that does not count."""
    return isinstance(value, types) and not isinstance(value, bool)


def closed_set(allowed: Sequence[Any]) -> Compiled:
    """One of some values; a number of another type than all of them is another value."""
    by_type: dict[type, list[Any]] = {}
    for each in allowed:
        by_type.setdefault(type(each), []).append(each)
    takes = frozenset(JSON_TYPES[kind] for kind in by_type)
    alike = takes | _NUMBERS if takes & _NUMBERS else takes
    words = [shown(each) for each in allowed]
    expects = words[0] if len(words) == 1 else f"{', '.join(words[:-1])} or {words[-1]}"

    def check(value: Any) -> Problems:
        if value in by_type.get(type(value), ()):
            return ()
        if json_type(value) not in alike:
            return wrong_type(expects, value)
        text = f"expected {expects}, got {shown(value)}"
        return (Problem((), "invalid_value", text, reasons.NOT_ALLOWED),)

    return Compiled(check, takes, expects)


def bounded(
    inner: Compiled, ge: float | None, gt: float | None, le: float | None, lt: float | None
) -> Compiled:
    """A number within bounds; None is no bound."""
    words = [
        f"{word} {bound}"
        for word, bound in (("at least", ge), ("over", gt), ("at most", le), ("under", lt))
        if bound is not None
    ]
    limits = " and ".join(words) if ge is None or le is None else f"from {ge} to {le}"
    expects = f"{inner.expects} {limits}"

    def check(value: Any) -> Problems:
        problems = inner.check(value)
        if problems:
            return problems
        if (
            (ge is None or value >= ge)
            and (le is None or value <= le)
            and (gt is None or value > gt)
            and (lt is None or value < lt)
        ):
            return ()
        text = f"expected {expects}, got {shown(value)}"
        return (Problem((), "invalid_value", text, reasons.OUT_OF_RANGE),)

    return Compiled(check, inner.takes, expects, inner.nested)


def union(forms: Sequence[Compiled]) -> Compiled:
    """One of several forms. The problems are those of the form that fits a value best: of the
    forms with its JSON type the one with the fewest, the first of equals.

    A form that takes fewer JSON types goes first: a field takes all of them, null included.
    """
    forms = sorted(forms, key=lambda form: len(form.takes))
    expects = " or ".join(form.expects for form in forms)
    takes = frozenset[str]().union(*(form.takes for form in forms))
    by_type = {name: [form for form in forms if name in form.takes] for name in takes}

    def best(value: Any) -> tuple[Compiled | None, Problems]:
        chosen: Compiled | None = None
        least: Problems = ()
        for form in by_type.get(json_type(value) or "", ()):
            problems = form.check(value)
            if not problems:
                return form, ()
            if chosen is None or len(problems) < len(least):
                chosen, least = form, problems
        return chosen, least

    def check(value: Any) -> Problems:
        chosen, problems = best(value)
        return _no_match(expects, takes, value) if chosen is None else problems

    def nested(value: Any) -> Iterator[Found]:
        chosen, _ = best(value)
        return iter(()) if chosen is None or chosen.nested is None else chosen.nested(value)

    holds_fields = any(form.nested for form in forms)
    return Compiled(check, takes, expects, nested if holds_fields else None)


def array(item: Compiled) -> Compiled:
    """An array of any length, every item of one shape."""
    expects, judge = "an array", item.check

    def check(value: Any) -> Problems:
        if not isinstance(value, list | tuple):
            return wrong_type(expects, value)
        if judge is _fine:
            return ()
        problems: list[Problem] = []
        for index, each in enumerate(value):
            inner = judge(each)
            if inner:
                problems += under(index, inner)
        return tuple(problems)

    def nested(value: Any) -> Iterator[Found]:
        if isinstance(value, list | tuple):
            yield from _stepped(enumerate(value), item)

    return Compiled(check, frozenset({"array"}), expects, nested if item.nested else None)


def fixed_array(items: Sequence[Compiled]) -> Compiled:
    """An array of one length, each item of its own shape; another length is one problem."""
    expects = f"an array of {len(items)}"

    def check(value: Any) -> Problems:
        if not isinstance(value, list | tuple):
            return wrong_type(expects, value)
        if len(value) != len(items):
            text = f"expected {expects}, got {shown(value)}"
            return (Problem((), "invalid_type", text, reasons.WRONG_LENGTH),)
        problems: list[Problem] = []
        for index, each in enumerate(value):
            inner = items[index].check(each)
            if inner:
                problems += under(index, inner)
        return tuple(problems)

    def nested(value: Any) -> Iterator[Found]:
        if isinstance(value, list | tuple) and len(value) == len(items):
            for index, each in enumerate(value):
                yield from _stepped([(index, each)], items[index])

    holds_fields = any(item.nested for item in items)
    return Compiled(check, frozenset({"array"}), expects, nested if holds_fields else None)


def mapping(item: Compiled) -> Compiled:
    """An object with any members, every value of one shape."""
    return record((), item)


def record(members: Sequence[Member], others: Compiled | None) -> Compiled:
    """An object with these members; further ones have the shape `others`, None forbids them."""
    expects = "an object"
    known = {member.name: member.shape.check for member in members}
    required = {member.name: None for member in members if member.required}
    holders = [member for member in members if member.shape.nested]
    judge_others = None if others is None else others.check

    def check(value: Any) -> Problems:
        if not isinstance(value, dict):
            return wrong_type(expects, value)
        if judge_others is _fine and not known:
            return ()
        problems: list[Problem] = []
        for name, each in value.items():
            judge = known.get(name, judge_others)
            if judge is _fine:
                continue
            inner = _unknown(name, known) if judge is None else judge(each)
            if inner:
                problems += under(name, inner)
        if not value.keys() >= required.keys():
            problems += [each for name in required if name not in value for each in missing(name)]
        return tuple(problems)

    def nested(value: Any) -> Iterator[Found]:
        if not isinstance(value, dict):
            return
        for member in holders:
            if member.name in value:
                yield from _stepped([(member.name, value[member.name])], member.shape)
        if others is not None and others.nested is not None:
            for name, each in value.items():
                if name not in known:
                    yield from _stepped([(name, each)], others)

    holds_fields = bool(holders) or (others is not None and others.nested is not None)
    return Compiled(check, frozenset({"object"}), expects, nested if holds_fields else None)


def missing(name: str, reason: str = reasons.MISSING_MEMBER) -> Problems:
    """The problem of a required member that is absent, located where it would be."""
    return (Problem((name,), "missing_key", f"`{name}` is missing", reason),)


def _unknown(name: object, known: dict[str, Check]) -> Problems:
    described = f"known: {', '.join(known)}" if known else "it has none"
    text = f"unknown member {shown(name)} ({described})"
    return (Problem((), "unknown_key", text, reasons.UNKNOWN_MEMBER),)


def _stepped(items: Any, shape: Compiled) -> Iterator[Found]:
    if shape.nested is not None:
        for step, each in items:
            for loc, place, value in shape.nested(each):
                yield (step, *loc), place, value
