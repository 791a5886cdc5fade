"""Any source of keys and values as a store that zarr-python can read arrays from."""

import threading
from collections.abc import AsyncIterator, Callable, Iterable
from typing import Any

from zarr.abc.store import ByteRequest, Store
from zarr.core.buffer import Buffer, BufferPrototype

from zarrdb.keys import KeySource, is_document
from zarrdb.zarrvalues import as_buffer, as_prefix, as_range

# Inside the class `list` is the method.
Buffers = list[Buffer | None]


class SourceStore(Store):
    """A KeySource behind zarr's interface, for reading.

    `guard` is called with each whole value that is no metadata document, before zarr decodes
    it, and raises what must not be decoded.
    """

    def __init__(
        self, source: KeySource, guard: Callable[[str, bytes], None] | None = None
    ) -> None:
        super().__init__(read_only=True)
        self._source = source
        self._guard = guard
        # Not every source may be used by several threads at once.
        self._lock = threading.Lock()

    def __eq__(self, other: object) -> bool:
        return isinstance(other, SourceStore) and self._source is other._source

    __hash__ = None  # type: ignore[assignment]

    def __str__(self) -> str:
        return self._source.name

    @property
    def supports_writes(self) -> bool:
        """False."""
        return False

    @property
    def supports_deletes(self) -> bool:
        """False."""
        return False

    @property
    def supports_listing(self) -> bool:
        """True."""
        return True

    async def get(
        self,
        key: str,
        prototype: BufferPrototype | None = None,
        byte_range: ByteRequest | None = None,
    ) -> Buffer | None:
        """A value or a part of it."""
        with self._lock:
            if byte_range is not None:
                part = self._source.get_range(key, *as_range(byte_range))
                return as_buffer(part, prototype)
            value = self._source.get(key)
        if value is not None and self._guard is not None and not is_document(key):
            self._guard(key, value)
        return as_buffer(value, prototype)

    async def get_partial_values(
        self,
        prototype: BufferPrototype,
        key_ranges: Iterable[tuple[str, ByteRequest | None]],
    ) -> Buffers:
        """Values or parts of them, in the order asked."""
        return [await self.get(key, prototype, part) for key, part in key_ranges]

    async def exists(self, key: str) -> bool:
        """Whether there is such a key."""
        with self._lock:
            return self._source.size(key) is not None

    async def set(self, key: str, value: Buffer) -> None:  # noqa: ARG002
        """Raises ValueError: this store only reads."""
        self._check_writable()

    async def delete(self, key: str) -> None:  # noqa: ARG002
        """Raises ValueError: this store only reads."""
        self._check_writable()

    async def list(self) -> AsyncIterator[str]:
        """Every key."""
        async for key in self.list_prefix(""):
            yield key

    async def list_prefix(self, prefix: str) -> AsyncIterator[str]:
        """Every key that begins with a prefix."""
        for entry in self._source.entries(as_prefix(prefix)):
            yield entry.key

    async def list_dir(self, prefix: str) -> AsyncIterator[str]:
        """The names directly below a path."""
        for child in self._source.children(as_prefix(prefix)):
            yield child.name

    def __reduce__(self) -> Any:
        raise TypeError("a SourceStore lives in one process")
