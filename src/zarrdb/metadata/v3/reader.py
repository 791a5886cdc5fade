"""Reading v3 documents in one run: parsed or as bytes, with what the run remembers."""

from typing import Any

from zarrdb.metadata.cache import LIMIT, DocumentCache, FieldCache
from zarrdb.metadata.document import load
from zarrdb.metadata.reading import Reading
from zarrdb.metadata.v3.array import ZARR_V3_METADATA_STORE_KEY as DOCUMENT
from zarrdb.metadata.v3.context import ZarrV3Context
from zarrdb.metadata.v3.definition import CORE_V3
from zarrdb.metadata.v3.read_array import ZarrV3ArrayReading, read_array
from zarrdb.metadata.v3.read_consolidated import ZarrV3ConsolidatedReading, read_consolidated
from zarrdb.metadata.v3.read_node import (
    ZarrV3GroupReading,
    ZarrV3UnknownReading,
    read_group,
    read_node,
)


class ZarrV3Reader:
    """Reads v3 documents in a scope.

    It remembers fields and whole documents, at most `limit` of each, for as long as it lives:
    one reader serves one run. Values are parsed JSON; `fit` vouches that every number in one
    is finite and that nothing is nested too deep.
    """

    __slots__ = ("_documents", "cache")

    def __init__(self, scope: ZarrV3Context = CORE_V3, *, limit: int = LIMIT) -> None:
        self.cache = FieldCache(scope, limit)
        self._documents = DocumentCache(limit)

    def array(self, value: Any, *, fit: bool = False) -> ZarrV3ArrayReading:
        """Read an array."""
        return read_array(value, self.cache, fit=fit)

    def group(self, value: Any, *, fit: bool = False) -> ZarrV3GroupReading:
        """Read a group, and of its `consolidated_metadata` what the specification says."""
        return read_group(value, self.cache, fit=fit)

    def node(self, value: Any, *, fit: bool = False) -> Reading:
        """Read the array or group that a document says it is."""
        return read_node(value, self.cache, fit=fit)

    def consolidated(
        self, group: ZarrV3GroupReading, *, fit: bool = False
    ) -> ZarrV3ConsolidatedReading:
        """Read every document that a group lists."""
        return read_consolidated(group, self.cache, fit=fit)

    def document(self, name: str, value: Any, *, fit: bool = False) -> Reading:
        """Read one document as it is stored. Raises ValueError for a name but `zarr.json`."""
        if name != DOCUMENT:
            raise ValueError(f"{name!r} is no document of Zarr v3")
        return read_node(value, self.cache, fit=fit)

    def document_from_bytes(self, name: str, data: bytes) -> Reading:
        """Read one document as it is stored, from its bytes.

        What is no JSON has the one problem `invalid_json`, located at the name.
        """
        return self._documents.read(name, data, self._loaded)

    def _loaded(self, name: str, data: bytes) -> Reading:
        value, fit, problem = load(name, data)
        if problem is not None:
            return ZarrV3UnknownReading(None, self.cache.scope, (problem,))
        return self.document(name, value, fit=fit)
