"""The stream of a tar, as `tarfile` reads it."""

import tarfile
from typing import IO, Final

from zarrdb.errors import CorruptError, NotAStoreError, TruncatedError
from zarrdb.sources.regular import cannot_read

PIECE: Final = 1 << 20
"""Bytes that are read at once."""

_BLOCK: Final = tarfile.BLOCKSIZE
_FARTHEST: Final = 1 << 62

# Of an extended header: names and times, which take a few hundred bytes.
_LONGEST_HEADER: Final = 16 << 20

_COMPRESSED: Final = (
    (b"\x1f\x8b", "gzip"),
    (b"BZh", "bzip2"),
    (b"\xfd7zXZ\0", "xz"),
    (b"\x28\xb5\x2f\xfd", "zstd"),
)


class ForwardStream:
    """A stream that only goes forward, as `tarfile` needs it, and how it came to its end."""

    def __init__(self, stream: IO[bytes], name: str) -> None:
        self._stream = stream
        self._name = name
        self._seekable = stream.seekable()
        self._position = stream.tell() if self._seekable else 0
        self._head = b""
        self._last_block = b""

    def require_tar(self) -> None:
        """Raise NotAStoreError for a stream that is empty or compressed."""
        self._head = self._take(_BLOCK)
        if not self._head:
            raise NotAStoreError(f"{self._name} is empty", hint="tar c SOURCE | zarrdb import -")
        for magic, program in _COMPRESSED:
            if self._head.startswith(magic):
                raise NotAStoreError(
                    f"{self._name} is {program}-compressed",
                    hint=f"decompress it on the way: {program} -dc FILE | zarrdb import -",
                )

    def require_end(self) -> None:
        """Raise unless the last thing read was the block of zeros that ends a tar."""
        if len(self._last_block) < _BLOCK:
            raise TruncatedError(
                f"{self._name}: the tar ends without its last block", hint="it is cut short"
            )
        if self._last_block.strip(b"\0"):
            raise CorruptError(f"{self._name}: the tar is damaged at byte {self._position:,}")

    def tell(self) -> int:
        """How many bytes lie behind."""
        return self._position

    def seek(self, position: int) -> int:
        """Go forward to a place, or to the end. Raises TruncatedError where no file reaches."""
        if position > _FARTHEST:
            raise TruncatedError(f"{self._name}: the tar is cut short in the middle of a value")
        if self._seekable:
            self._stream.seek(position)
            self._head, self._position = b"", position
        while self._position < position and self._advance(min(PIECE, position - self._position)):
            pass
        return self._position

    def read(self, size: int) -> bytes:
        """Up to `size` bytes of headers. Raises CorruptError for more than headers have."""
        if size > _LONGEST_HEADER:
            raise CorruptError(f"{self._name}: the tar is damaged at byte {self._position:,}")
        self._last_block = self._advance(size)
        return self._last_block

    def read_value(self, size: int) -> bytes:
        """Exactly so many bytes of a value. Raises TruncatedError."""
        data = self._advance(size)
        if len(data) != size:
            raise TruncatedError(f"{self._name}: the tar is cut short in the middle of a value")
        return data

    def _advance(self, size: int) -> bytes:
        head, self._head = self._head[:size], self._head[size:]
        data = head + self._take(size - len(head))
        self._position += len(data)
        return data

    def _take(self, size: int) -> bytes:
        try:
            return self._stream.read(size) if size else b""
        except OSError as error:
            raise cannot_read(self._name, error) from error
