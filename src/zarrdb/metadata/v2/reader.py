"""Reading v2 documents in one run: by name, parsed or as bytes, with what the run remembers."""

from collections.abc import Mapping
from typing import Any, Final

from zarrdb.metadata.cache import LIMIT, DocumentCache, FieldCache
from zarrdb.metadata.document import load
from zarrdb.metadata.reading import Reading
from zarrdb.metadata.v2.array import ZARR_V2_ARRAY_METADATA_STORE_KEY as ARRAY
from zarrdb.metadata.v2.attributes import ZARR_V2_ATTRIBUTES_STORE_KEY as ATTRIBUTES
from zarrdb.metadata.v2.consolidated import ZARR_V2_CONSOLIDATED_METADATA_STORE_KEY as CONSOLIDATED
from zarrdb.metadata.v2.context import ZarrV2Context
from zarrdb.metadata.v2.definition import CORE_V2
from zarrdb.metadata.v2.group import ZARR_V2_GROUP_METADATA_STORE_KEY as GROUP
from zarrdb.metadata.v2.read_array import ZarrV2ArrayReading, read_array
from zarrdb.metadata.v2.read_consolidated import ZarrV2ConsolidatedReading, read_consolidated
from zarrdb.metadata.v2.read_node import (
    ZarrV2GroupReading,
    ZarrV2UnknownReading,
    read_group,
    read_node,
)

_PLAIN_GROUP: Final = {"zarr_format": 2}


class ZarrV2Reader:
    """Reads v2 documents in a scope.

    It remembers fields and whole documents, at most `limit` of each, for as long as it lives:
    one reader serves one run. Values are parsed JSON; `fit` vouches that every number in one
    is finite and that nothing is nested too deep.
    """

    __slots__ = ("_documents", "cache")

    def __init__(self, scope: ZarrV2Context = CORE_V2, *, limit: int = LIMIT) -> None:
        self.cache = FieldCache(scope, limit)
        self._documents = DocumentCache(limit)

    def array(self, value: Any, *, fit: bool = False) -> ZarrV2ArrayReading:
        """Read an array with its attributes in it."""
        return read_array(value, self.cache, fit=fit)

    def group(self, value: Any) -> ZarrV2GroupReading:
        """Read a group with its attributes in it."""
        return read_group(value, self.cache)

    def consolidated(self, value: Any, *, fit: bool = False) -> ZarrV2ConsolidatedReading:
        """Read a `.zmetadata` document and every node that it lists."""
        return read_consolidated(value, self.cache, fit=fit)

    def node(self, documents: Mapping[str, Any], *, fit: bool = False) -> Reading:
        """Read the array or group that documents, by their names, are."""
        return read_node(documents, self.cache, fit=fit)

    def document(self, name: str, value: Any, *, fit: bool = False) -> Reading:
        """Read one document as it is stored: `.zarray` `.zgroup` `.zattrs` `.zmetadata`.

        Attributes are read as those of a group. Raises ValueError for another name.
        """
        if name == ARRAY:
            return read_array(value, self.cache, fit=fit, stored=True)
        if name == GROUP:
            return read_group(value, self.cache, stored=True)
        if name == ATTRIBUTES:
            return read_node({GROUP: _PLAIN_GROUP, ATTRIBUTES: value}, self.cache, fit=fit)
        if name == CONSOLIDATED:
            return read_consolidated(value, self.cache, fit=fit)
        raise ValueError(f"{name!r} is no document of Zarr v2")

    def document_from_bytes(self, name: str, data: bytes) -> Reading:
        """Read one document as it is stored, from its bytes.

        What is no JSON has the one problem `invalid_json`, located at the name.
        """
        return self._documents.read(name, data, self._loaded)

    def _loaded(self, name: str, data: bytes) -> Reading:
        value, fit, problem = load(name, data)
        if problem is not None:
            return ZarrV2UnknownReading(None, self.cache.scope, (problem,))
        return self.document(name, value, fit=fit)

    def node_from_bytes(self, files: Mapping[str, bytes]) -> Reading:
        """Read the array or group that files, by their names, are; other files are left out.

        Files that are no JSON have a problem each, and nothing else is judged then.
        """
        names = [name for name in (ARRAY, GROUP, ATTRIBUTES) if name in files]
        loaded = {name: load(name, files[name]) for name in names}
        broken = tuple(each.problem for each in loaded.values() if each.problem is not None)
        if broken:
            return ZarrV2UnknownReading(None, self.cache.scope, broken)
        values: dict[str, Any] = {name: each.value for name, each in loaded.items()}
        return self.node(values, fit=all(each.fit for each in loaded.values()))
