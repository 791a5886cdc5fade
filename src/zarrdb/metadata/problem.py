"""What is wrong in one JSON value: a problem, and where it is.

A location is the steps from the value that was read down to the one at fault: member names
and indexes. A check gives `()` for a clean value and builds no location; a problem's
location grows from the inside outwards, one `under` at a time.
"""

import json
from collections.abc import Collection, Mapping
from typing import Literal, NamedTuple, TypeAlias

Loc: TypeAlias = tuple[str | int, ...]

ProblemKind: TypeAlias = Literal[
    "missing_key", "invalid_type", "invalid_value", "unknown_key", "invalid_json"
]
"""The five kinds that conformance is stated in; `reason` is finer."""


class Problem(NamedTuple):
    """One fault: where it is, its kind, one clause that says it, and its stable reason.

    `reason` is one of the slugs of `zarrdb.metadata.reasons`; what tells problems apart is the
    reason, never the message.
    """

    loc: Loc
    kind: ProblemKind
    message: str
    reason: str


Problems: TypeAlias = tuple[Problem, ...]


def under(step: str | int, problems: Problems) -> Problems:
    """The problems of a value, located from the array or object that holds it."""
    if not problems:
        return ()
    return tuple([Problem((step, *loc), kind, text, why) for loc, kind, text, why in problems])


def below(loc: Loc, problems: Problems) -> Problems:
    """The problems of a value, located from `loc` steps above it."""
    if not loc or not problems:
        return problems
    return tuple([Problem((*loc, *at), kind, text, why) for at, kind, text, why in problems])


def by_member(
    problems: Problems, faults: Mapping[str, Problems], *, one_for_all: Collection[str]
) -> Problems:
    """The problems of an object, so that no member is reported twice for one fault.

    A member in `faults` has no problems but those; one in `one_for_all`, whose items are all
    of one kind, has one problem, located at the member itself.
    """
    kept: list[Problem] = []
    single: dict[str | int, Problem] = {}
    for problem in problems:
        member = problem.loc[0]
        if member in faults:
            continue
        if member not in one_for_all:
            kept.append(problem)
        elif member not in single or single[member].kind == "invalid_value":
            single[member] = problem._replace(loc=(member,))
    return (*kept, *single.values(), *(each for found in faults.values() for each in found))


_SHOWN = 60
_SHOWN_BITS = 4 * _SHOWN


def shown(value: object) -> str:
    """A value for a message: short, on one line, with nothing in it that a terminal obeys."""
    if isinstance(value, dict):
        return "an object"
    if isinstance(value, list | tuple):
        return f"an array of {len(value)}"
    if isinstance(value, int) and value.bit_length() > _SHOWN_BITS:
        return f"an integer of {value.bit_length()} bits"
    try:
        text = json.dumps(value)
    except (TypeError, ValueError):
        return f"a {type(value).__name__}"
    return text if len(text) <= _SHOWN else f"{text[:_SHOWN]}…"
