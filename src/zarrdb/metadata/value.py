"""JSON values as Python reads them, and what makes one unfit: infinities and depth."""

import json
from collections.abc import Iterable
from typing import Any, Final, TypeAlias

from typing_extensions import TypeAliasType

from zarrdb.jsontext import MAX_DEPTH
from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Loc, Problem, Problems, shown

JSONValue = TypeAliasType(
    "JSONValue",
    "dict[str, JSONValue] | list[JSONValue] | tuple[JSONValue, ...] | str | int | float | bool | None",
)
"""Any JSON value; a tuple stands for an array, as a list does."""

JSONObject: TypeAlias = dict[str, JSONValue]

_PLAIN: Final = frozenset({str, int, bool, type(None)})


def is_fit(value: object, level: int = 0) -> bool:
    """Whether a value, `level` levels below a document's root, is JSON through and through:
    every number finite, nothing nested past MAX_DEPTH levels."""
    layer: list[Any] = [value]
    for _ in range(level, MAX_DEPTH):
        inner: list[Any] = []
        for item in layer:
            kind = type(item)
            if kind in _PLAIN:
                continue
            if kind is dict:
                inner.extend(item.values())
            elif kind is list or kind is tuple:
                inner.extend(item)
            elif kind is not float or item - item != 0.0:
                return not _faults(value, (), level, finite=True)
        if not inner:
            return True
        layer = inner
    return not _faults(value, (), level, finite=True)


def refined(value: object, level: int = 0) -> Problems:
    """Problems at every number that is not finite and every container nested too deep.

    A value that holds something else than JSON has `invalid_type` there. Nothing below a
    problem is looked at.
    """
    return () if is_fit(value, level) else tuple(_faults(value, (), level, finite=True))


def unfit_attributes(value: object, level: int = 0) -> Problems:
    """`refined` for attributes, which may hold NaN and infinities."""
    return tuple(_faults(value, (), level, finite=False))


def _faults(value: Any, loc: Loc, level: int, *, finite: bool) -> list[Problem]:
    if isinstance(value, float):
        if not finite or value - value == 0.0:
            return []
        return [Problem(loc, "invalid_value", f"{value!r} is no JSON number", reasons.NOT_FINITE)]
    if isinstance(value, dict):
        items: Any = value.items()
    elif isinstance(value, list | tuple):
        items = enumerate(value)
    elif value is None or isinstance(value, str | int):
        return []
    else:
        text = f"{shown(value)} is no JSON value"
        return [Problem(loc, "invalid_type", text, reasons.NOT_JSON)]
    if level >= MAX_DEPTH:
        text = f"nested past {MAX_DEPTH} levels"
        return [Problem(loc, "invalid_value", text, reasons.TOO_DEEP)]
    found: list[Problem] = []
    for step, item in items:
        found += _faults(item, (*loc, step), level + 1, finite=finite)
    return found


def text_of(value: object) -> str:
    """The value as JSON text with sorted keys: equal texts are equal values, `1` is not `1.0`."""
    return json.dumps(value, sort_keys=True, separators=(",", ":"), default=repr)


def replaced(value: Any, parts: dict[Loc, Any]) -> Any:
    """The value with other parts at some locations; what is not on the way is shared."""
    if () in parts:
        return parts[()]
    by_step: dict[str | int, dict[Loc, Any]] = {}
    for (step, *rest), part in parts.items():
        by_step.setdefault(step, {})[tuple(rest)] = part
    if not by_step:
        return value
    changed: Any = dict(value) if isinstance(value, dict) else list(value)
    for step, inner in by_step.items():
        changed[step] = replaced(changed[step], inner)
    return changed


def without(value: Any, locs: Iterable[Loc]) -> Any:
    """The value without the members at some locations."""
    by_parent: dict[Loc, set[str | int]] = {}
    for *way, last in locs:
        by_parent.setdefault(tuple(way), set()).add(last)
    for place, gone in by_parent.items():
        parent = value
        for step in place:
            parent = parent[step]
        kept = {name: item for name, item in parent.items() if name not in gone}
        value = replaced(value, {place: kept})
    return value
