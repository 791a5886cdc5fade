"""Zarr v3 documents: the `zarr.json` of arrays and groups, consolidated metadata inside."""

from collections.abc import Iterator
from typing import Any, Final

from zarrdb.hierarchy.arrays import Layout, layout_v3
from zarrdb.lint.arraydocument import ArrayDocument, NodeDocument
from zarrdb.metadata import FieldCache, Problem, ResolvedField
from zarrdb.metadata.reading import Reading
from zarrdb.metadata.reasons import BAD_PATH, CONTRADICTION
from zarrdb.metadata.scope import Scope
from zarrdb.metadata.v3.context import ZarrV3Context
from zarrdb.metadata.v3.definition import CORE_V3
from zarrdb.metadata.v3.read_array import ZarrV3ArrayReading
from zarrdb.metadata.v3.read_consolidated import read_consolidated
from zarrdb.metadata.v3.read_node import CONSOLIDATED, ZarrV3GroupReading, read_node

_ENTRY: Final = 3
"""Steps to an entry of consolidated metadata: the member, `metadata`, the path."""


class DialectV3:
    """Reads v3 documents in a scope."""

    zarr_format = 3
    core: Scope = CORE_V3

    def __init__(self, scope: ZarrV3Context) -> None:
        self._cache = FieldCache(scope)

    def node(self, key: str, name: str, value: dict[str, Any], *, fit: bool) -> NodeDocument:
        """Read a `zarr.json` as what it says it is."""
        reading = read_node(value, self._cache, fit=fit)
        if isinstance(reading, ZarrV3ArrayReading):
            return ArrayDocument(key, name, value, reading, self, notes=reading.notes)
        notes = reading.notes if isinstance(reading, ZarrV3GroupReading) else ()
        return NodeDocument(key, name, value, reading, self, notes=notes)

    def copy_faults(self, group: Reading) -> Iterator[Problem]:
        """What is wrong with the entries of a group's consolidated metadata as such.

        What is wrong inside an entry is reported of the document that it is a copy of.
        """
        if not isinstance(group, ZarrV3GroupReading):
            return
        for problem in read_consolidated(group, self._cache).problems:
            at_entry = len(problem.loc) == _ENTRY and problem.kind != "missing_key"
            if (at_entry and problem.reason == BAD_PATH) or problem.reason == CONTRADICTION:
                yield problem

    def differences(self, _: str, entry: dict[str, Any], value: dict[str, Any]) -> list[str]:
        """The members in which an entry says something else than the document itself."""
        mine, theirs = (read_node(each, self._cache) for each in (value, entry))
        if type(mine) is not type(theirs):
            return ["kind"]
        return [name for name in mine.differences(theirs) if name != CONSOLIDATED]

    def item_size(self, reading: Reading) -> int | None:
        """Bytes of one item of an array."""
        return reading.item_size if isinstance(reading, ZarrV3ArrayReading) else None

    def refuses(self, fill_value: Any, data_type: ResolvedField) -> bool:
        """Whether a number is wrong as the fill value of a data type that was read."""
        return bool(self._cache.fill_value_problems(fill_value, data_type))

    def layout(self, value: dict[str, Any]) -> Layout | None:
        """The layout of an array's chunks."""
        return layout_v3(value)
