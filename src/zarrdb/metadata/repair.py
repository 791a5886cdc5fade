"""Mending what known writers wrote, where only one thing can have been meant."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from zarrdb.metadata.problem import Loc
from zarrdb.metadata.value import replaced, without

NON_FINITE_FILL_VALUE: Final = "non_finite_fill_value"  # bare NaN for a float's fill value
CONSOLIDATED_IN_ZGROUP: Final = "consolidated_metadata_in_zgroup_entry"  # copied in with a group


class Repair(NamedTuple):
    """One change to a document: another value at a place, or none where `removed`."""

    loc: Loc
    kind: str
    value: Any = None
    removed: bool = False


def repaired(value: Any, repairs: Iterable[Repair]) -> Any:
    """The document with the repairs made."""
    kept = {repair.loc: repair.value for repair in repairs if not repair.removed}
    return without(replaced(value, kept), [repair.loc for repair in repairs if repair.removed])
