"""The group documents above a node, where nobody has written them."""

from collections.abc import Iterable, Iterator

from zarrdb.db.children import from_entries
from zarrdb.keys import Child, Entry, Remark, clamp, join


class GroupDocuments:
    """The documents of all groups above a node path, as a source."""

    kind = "groups"
    name = "the groups above --path"

    def __init__(self, path: str, *, zarr_format: int) -> None:
        if zarr_format == 2:
            name, document = ".zgroup", b'{"zarr_format":2}'
        else:
            name = "zarr.json"
            document = b'{"zarr_format":3,"node_type":"group","attributes":{}}'
        parents = path.split("/")[:-1]
        self._documents = {
            join("/".join(parents[:depth]), name): document for depth in range(len(parents) + 1)
        }

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every document below `prefix`."""
        for key, value in sorted(self._documents.items()):
            if key.startswith(prefix) and (after is None or key > after):
                yield Entry(key, len(value))

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`."""
        return from_entries(self.entries(prefix), prefix)

    def get(self, key: str) -> bytes | None:
        """One document, or None."""
        return self._documents.get(key)

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Several documents, in the order given."""
        return ((key, self.get(key)) for key in keys)

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a document; a negative offset counts from its end."""
        value = self._documents.get(key)
        if value is None:
            return None
        start, end = clamp(len(value), offset, length)
        return value[start:end]

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        """One document, piece by piece."""
        value = self._documents[key]
        for start in range(0, len(value), chunk_size):
            yield value[start : start + chunk_size]

    def size(self, key: str) -> int | None:
        """Size of a document, or None."""
        value = self._documents.get(key)
        return None if value is None else len(value)

    def remarks(self) -> Iterator[Remark]:
        """Nothing."""
        return iter(())

    def close(self) -> None:
        """Nothing is held open."""
