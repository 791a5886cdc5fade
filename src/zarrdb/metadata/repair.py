"""Mending what known writers wrote, where only one thing can have been meant."""

from collections.abc import Iterable, Iterator
from typing import Any, Final, NamedTuple

from zarrdb.metadata.problem import Loc
from zarrdb.metadata.value import replaced, without

NON_FINITE_FILL_VALUE: Final = "non_finite_fill_value"  # bare NaN for a float's fill value
ZERO_CHUNK_LENGTH: Final = "zero_chunk_length"  # of 0 on an empty axis
NULL_CONSOLIDATED: Final = "null_consolidated_metadata"  # null where there is no copy
CONSOLIDATED_IN_ZGROUP: Final = "consolidated_metadata_in_zgroup_entry"  # copied in with a group

_PARTS: Final = 2
"""Of a complex number."""


class Repair(NamedTuple):
    """One change to a document: another value at a place, or none where `removed`."""

    loc: Loc
    kind: str
    value: Any = None
    removed: bool = False


def unnamed_floats(value: Any, loc: Loc, *, parts: bool) -> Iterator[Repair]:
    """Names for NaN and infinities that were written as bare tokens, in a number or, where
    `parts`, in either part of a complex one."""
    places = [(loc, value)]
    if parts:
        listed = value if isinstance(value, list) and len(value) == _PARTS else ()
        places = [((*loc, index), part) for index, part in enumerate(listed)]
    for place, part in places:
        if isinstance(part, float) and part - part != 0.0:
            yield Repair(place, NON_FINITE_FILL_VALUE, _name(part))


def _name(number: float) -> str:
    """What a float without a number is called."""
    if number != number:
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"


def repaired(value: Any, repairs: Iterable[Repair]) -> Any:
    """The document with the repairs made."""
    kept = {repair.loc: repair.value for repair in repairs if not repair.removed}
    return without(replaced(value, kept), [repair.loc for repair in repairs if repair.removed])
