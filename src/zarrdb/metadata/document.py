"""Documents as they are stored: from bytes to a value, and from a problem to its place."""

import json
from typing import Any, Final, NamedTuple

from zarrdb.jsontext import CONSTANT, OVERFLOW, decode, parse, pointer
from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Loc, Problem


class Loaded(NamedTuple):
    """The value of a document; `fit` when it is known to be finite and not too deep."""

    value: Any
    fit: bool
    problem: Problem | None = None
    """Why there is no value; located at the document's name."""


_FAULTS: Final = {"wrong-encoding": reasons.WRONG_ENCODING, "too-deep": reasons.TOO_DEEP}


def load(name: str, data: bytes) -> Loaded:
    """The value that the bytes of a document stand for.

    UTF-8, UTF-16 and UTF-32 are read, `NaN` and `Infinity` too, and of duplicate members the
    last; what else may be wrong with such a text is not told here.
    """
    value, fault, _, odd = parse(data)
    if fault is None:
        return Loaded(value, CONSTANT not in odd and OVERFLOW not in odd)
    if fault.kind == "too-deep":
        try:
            return Loaded(json.loads(decode(data).text or ""), fit=False)
        except (RecursionError, ValueError):
            pass
    reason = _FAULTS.get(fault.kind, reasons.INVALID_JSON)
    return Loaded(None, False, Problem((name,), "invalid_json", fault.message, reason))


def stored_loc(name: str, value: Any, loc: Loc) -> Loc:
    """Where a problem of a document lies in its text.

    Locations are those of the meaning: the records of a v2 struct lie under `fields`, the
    attributes of a node under `attributes`. The steps that are not in the text are left out.
    """
    if name == ".zattrs" and loc[:1] == ("attributes",):
        loc = loc[1:]
    steps: list[str | int] = []
    for step in loc:
        if isinstance(value, list) and isinstance(step, str):
            continue
        steps.append(step)
        try:
            value = value[step]
        except (LookupError, TypeError):
            value = None
    return tuple(steps)


def stored_pointer(name: str, value: Any, loc: Loc) -> str:
    """`stored_loc` as a JSON pointer (RFC 6901); a member that is absent ends it."""
    return pointer(stored_loc(name, value, loc))
