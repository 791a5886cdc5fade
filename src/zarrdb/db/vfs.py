"""SQLite over a range reader: a file system with one read-only file in it."""

from itertools import count
from typing import Final

import apsw

from zarrdb.transport.cache import BlockCache

FIRST_AHEAD: Final = 16 << 10
LAST_AHEAD: Final = 16 << 20
"""Bytes fetched for a page that no plan foresaw, and at most while reading goes on in order.

Anything from 4 to 64 KiB costs the same at first; a value of 900 MB wants few requests.
"""

_names: Final = count()


class RemoteFiles(apsw.VFS):
    """A VFS for one connection to one remote file; `close` takes it out of SQLite's list."""

    def __init__(self, cache: BlockCache) -> None:
        self.name = f"zarrdb-remote-{next(_names)}"
        self.file = RemoteFile(cache)
        super().__init__(self.name, "")

    def connect(self) -> apsw.Connection:
        """A read-only connection to the file."""
        flags = apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
        return apsw.Connection("file:/remote?immutable=1", flags=flags, vfs=self.name)

    def close(self) -> None:
        """No more connections; those that are open stay."""
        self.unregister()

    def xOpen(  # type: ignore[override]  # noqa: N802
        self,
        name: object,  # noqa: ARG002
        flags: list[int],
    ) -> "RemoteFile":
        """The file; SQLite opens no other one, for nothing is written."""
        flags[1] = flags[0]
        return self.file

    def xAccess(self, pathname: str, flags: int) -> bool:  # noqa: ARG002, N802
        """No sidecar is looked for."""
        return False

    def xFullPathname(self, name: str) -> str:  # noqa: N802
        """The name is as full as it gets."""
        return name


class RemoteFile:
    """The file as SQLite reads it, out of the cache. What is not there is fetched.

    apsw hands the RangeError of a fetch that fails on to whoever asked SQLite.
    """

    def __init__(self, cache: BlockCache) -> None:
        self._cache = cache
        self._ahead = FIRST_AHEAD
        self._fetched = range(0)

    def xRead(self, amount: int, offset: int) -> bytes:  # noqa: N802
        """Bytes of the file; fewer at its end."""
        unit = self._cache.unit
        first, last = offset // unit, (offset + amount - 1) // unit
        parts: list[bytes] = []
        for number in range(first, last + 1):
            block = self._cache.get(number)
            parts.append(self._fetch(number) if block is None else block)
        start = offset - first * unit
        whole = parts[0] if len(parts) == 1 else b"".join(parts)
        return whole if len(whole) == amount and not start else whole[start : start + amount]

    def _fetch(self, number: int) -> bytes:
        """A block that no plan foresaw, and more where blocks are read in order, up or down."""
        if number * self._cache.unit >= self._cache.size:
            return b""
        forward, backward = number == self._fetched.stop, number == self._fetched.start - 1
        in_order = len(self._fetched) > 0 and (forward or backward)
        self._ahead = min(self._ahead * 4, LAST_AHEAD) if in_order else FIRST_AHEAD
        length = max(1, self._ahead // self._cache.unit)
        start = number - length + 1 if in_order and backward else number
        self._fetched = range(start, start + length)
        self._cache.load([self._fetched])
        return self._cache.get(number) or b""

    def xFileSize(self) -> int:  # noqa: N802
        """Size of the file in bytes."""
        return self._cache.size

    def xSectorSize(self) -> int:  # noqa: N802
        """What SQLite takes for granted where it matters nothing."""
        return 4096

    def xDeviceCharacteristics(self) -> int:  # noqa: N802
        """Nobody changes the file."""
        return apsw.SQLITE_IOCAP_IMMUTABLE

    def xFileControl(self, op: int, pointer: int) -> bool:  # noqa: ARG002, N802
        """No operation is known."""
        return False

    def xLock(self, level: int) -> None:  # noqa: N802
        """Nobody to lock out."""

    def xUnlock(self, level: int) -> None:  # noqa: N802
        """Nobody was locked out."""

    def xCheckReservedLock(self) -> bool:  # noqa: N802
        """Nobody writes."""
        return False

    def xClose(self) -> None:  # noqa: N802
        """The cache and the reader stay."""
