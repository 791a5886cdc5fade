"""A range reader as a file object, for those who want one (zipfile)."""

import io
from collections.abc import Iterable
from typing import Final

from zarrdb.transport.cache import BlockCache
from zarrdb.transport.reader import RangeReader
from zarrdb.transport.spans import align

BLOCK: Final = 4096
TAIL: Final = 64 << 10
"""Bytes at the end that come with the size: the directory of a zip of 656 members is 50 KB."""
LAST_AHEAD: Final = 8 << 20
"""Bytes, at most, that come along for whoever reads in order."""


class RangeFile(io.RawIOBase):
    """The bytes behind a reader, to be read and sought in.

    `prefetch` brings several spans in one round. Closing it closes the reader.
    """

    def __init__(self, reader: RangeReader, *, tail: int = TAIL) -> None:
        self._reader = reader
        self.traffic = reader.traffic
        self._position = self._next = 0
        self._ahead = BLOCK
        _, last = reader.head_tail(0, tail)
        self._size = reader.size
        self._cache = BlockCache(reader, BLOCK, self._size)
        self._cache.put(self._size - len(last), last)

    @property
    def stamp(self) -> str | None:
        """The reader's."""
        return self._reader.stamp

    def prefetch(self, spans: Iterable[tuple[int, int]]) -> None:
        """Fetch what will be read next, in one round."""
        self._cache.load(align(span, BLOCK) for span in spans)

    def readable(self) -> bool:
        """It is."""
        return True

    def seekable(self) -> bool:
        """It is."""
        return True

    def tell(self) -> int:
        """Where the next read begins."""
        return self._position

    def seek(self, offset: int, whence: int = io.SEEK_SET) -> int:
        """Go to a place, which may lie past the end."""
        base = (0, self._position, self._size)[whence]
        self._position = max(0, base + offset)
        return self._position

    def readinto(self, buffer: "memoryview | bytearray") -> int:  # type: ignore[override]
        """Fill the buffer, or as much of it as the file has bytes left.

        Who reads on and on has more and more fetched ahead.
        """
        self._ahead = min(self._ahead * 4, LAST_AHEAD) if self._position == self._next else BLOCK
        left = self._size - self._position
        following = -(-self._position // BLOCK)
        if self._ahead > BLOCK and left > BLOCK and self._cache.get(following) is None:
            self.prefetch([(self._position, min(self._ahead, left))])
        data = self.read_at(self._position, len(buffer))
        buffer[: len(data)] = data
        self._position = self._next = self._position + len(data)
        return len(data)

    def read_at(self, offset: int, size: int) -> bytes:
        """Bytes from a place, fewer at the end; safe from several threads."""
        size = min(size, max(0, self._size - offset))
        blocks = align((offset, size), BLOCK)
        self._cache.load([blocks])
        found = [block for number in blocks if (block := self._cache.get(number)) is not None]
        if len(found) < len(blocks):
            # More than the cache holds, or dropped again for the sake of another thread.
            return self._reader.read_ranges([(offset, size)])[0]
        start = offset - blocks.start * BLOCK
        return b"".join(found)[start : start + size]

    def close(self) -> None:
        """Close the reader as well."""
        if not self.closed:
            self._reader.close()
        super().close()
