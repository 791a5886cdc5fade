"""Zarr v2 documents: `.zarray`, `.zgroup`, `.zmetadata`."""

from collections.abc import Iterator
from typing import Any, Final

from zarrdb.hierarchy.arrays import Layout, layout_v2
from zarrdb.lint.arraydocument import ArrayDocument, NodeDocument
from zarrdb.metadata import FieldCache, Problem, ResolvedField
from zarrdb.metadata.reading import Reading
from zarrdb.metadata.reasons import ARRAY_AND_GROUP, MISSING_GROUP, NODE_BELOW_ARRAY
from zarrdb.metadata.scope import Scope
from zarrdb.metadata.v2.context import ZarrV2Context
from zarrdb.metadata.v2.data_type.struct import item_size
from zarrdb.metadata.v2.definition import CORE_V2
from zarrdb.metadata.v2.read_array import read_array
from zarrdb.metadata.v2.read_consolidated import read_consolidated
from zarrdb.metadata.v2.read_node import read_group

# Rules on the hierarchy itself tell of these.
_OF_THE_TREE: Final = (MISSING_GROUP, NODE_BELOW_ARRAY, ARRAY_AND_GROUP)

_OF_KERCHUNK: Final = "record_size"


class DialectV2:
    """Reads v2 documents in a scope."""

    zarr_format = 2
    core: Scope = CORE_V2

    def __init__(self, scope: ZarrV2Context) -> None:
        self._cache = FieldCache(scope)

    def node(self, key: str, name: str, value: dict[str, Any], *, fit: bool) -> NodeDocument:
        """Read a `.zarray`, a `.zgroup` or a `.zmetadata`."""
        if name == ".zarray":
            array = read_array(value, self._cache, fit=fit, stored=True)
            return ArrayDocument(key, name, value, array, self)
        reading: Reading
        if name == ".zgroup":
            reading = read_group(value, self._cache, stored=True)
        else:
            reading = read_consolidated(value, self._cache, fit=fit)
        return NodeDocument(key, name, value, reading, self)

    def copy_faults(self, copy: Reading) -> Iterator[Problem]:
        """What is wrong with consolidated metadata as such: its envelope, and its keys.

        What is wrong inside an entry is reported of the document that it is a copy of. A
        reference set of kerchunk has a form of its own.
        """
        if isinstance(copy.value, dict) and _OF_KERCHUNK in copy.value:
            return
        for problem in copy.problems:
            if len(problem.loc) <= 2 and problem.reason not in _OF_THE_TREE:
                yield problem

    def differences(self, name: str, entry: dict[str, Any], value: dict[str, Any]) -> list[str]:
        """The members in which an entry says something else than the document of that name."""
        if name != ".zarray":
            return [name]
        return read_array(value, self._cache).differences(read_array(entry, self._cache))

    def item_size(self, reading: Reading) -> int | None:
        """Bytes of one item of an array."""
        data_type = reading.field_at("dtype")
        return None if data_type is None else item_size(data_type)

    def refuses(self, fill_value: Any, data_type: ResolvedField) -> bool:
        """Whether a number is wrong as the fill value of a data type that was read."""
        return bool(self._cache.fill_value_problems(fill_value, data_type))

    def layout(self, value: dict[str, Any]) -> Layout | None:
        """The layout of an array's chunks."""
        return layout_v2(value)
