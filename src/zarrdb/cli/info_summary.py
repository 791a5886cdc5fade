"""The sums over a hierarchy that `info` shows of a file."""

from functools import partial
from typing import Any

from zarrdb.cli.info_node import decoded_bytes
from zarrdb.hierarchy import Node, walk
from zarrdb.keys import Entry, FarSource, KeySource, is_document

_LARGEST = 3

# Values that are read to see what one costs from afar.
_SAMPLE = 5


def _unsized(key: str) -> Entry:
    return Entry(key, 0)


class Summary:
    """What one pass over the nodes and one over the keys add up to."""

    def __init__(self, source: KeySource) -> None:
        self.formats: set[int] = set()
        self.kinds = {"group": 0, "array": 0, "implicit group": 0, "broken": 0}
        self.chunks = self.chunk_bytes = self.absent = self.decoded = 0
        self.largest: list[Node] = []
        self.attributes: dict[str, Any] | None = None
        self._described: tuple[str, str, str] | None = None
        self.document_bytes = 0
        for node in walk(source):
            self._add(node)
        self.keys = self.documents = self.other_bytes = 0
        self.sample: list[str] = []
        self._stride = 1
        self.has_keys, self.has_sizes = True, True
        entries = source.entries
        if isinstance(source, FarSource):
            keys = source.keys_at_hand()
            self.has_keys, self.has_sizes = keys is not None, False
            entries = partial(map, _unsized, keys or ())
        else:
            self.document_bytes = 0
        for key, size in entries():
            if is_document(key):
                self.documents += 1
                self.document_bytes += size
            else:
                self._take(key)
                self.other_bytes += size
            self.keys += 1
        self.other_bytes -= self.chunk_bytes

    @property
    def others(self) -> int:
        """Keys that are neither documents nor chunks."""
        return self.keys - self.documents - self.chunks

    def _take(self, key: str) -> None:
        """Keep some keys of values, spread over all of them."""
        if (self.keys - self.documents) % self._stride == 0:
            self.sample.append(key)
            if len(self.sample) > 2 * _SAMPLE:
                del self.sample[1::2]
                self._stride *= 2

    def _add(self, node: Node) -> None:
        self.kinds["implicit group" if node.is_implicit else node.kind] += 1
        if node.zarr_format is not None:
            self.formats.add(node.zarr_format)
        if not node.path and self.attributes is None:
            self.attributes = node.attributes
        self.document_bytes += node.document_bytes
        if node.kind != "array":
            return
        # Documents of both formats may describe the same chunks.
        if node.grid is not None:
            described = (node.path, node.grid.encoding, node.grid.separator)
            if described == self._described:
                return
            self._described = described
        self.decoded += decoded_bytes(node) or 0
        if node.chunks_present is not None and node.chunks_total is not None:
            self.chunks += node.chunks_present
            self.chunk_bytes += node.stored_bytes or 0
            self.absent += node.chunks_total - node.chunks_present
        if node.stored_bytes:
            self.largest.append(node._replace(attributes=None))
            self.largest.sort(key=lambda other: -(other.stored_bytes or 0))
            del self.largest[_LARGEST:]
