"""A store written as a zip.

`zipfile` keeps an object of half a kilobyte for every member until the end; this keeps the
bytes of the directory, and its output does not depend on the version of Python.
"""

import os
import struct
from collections.abc import Iterable, Iterator
from time import gmtime
from typing import Final
from zlib import crc32

from zarrdb.sources.target import ArchiveFile

# A reader of version 2.0 takes plain members, of 4.5 those with sizes past 32 bits.
_PLAIN: Final = 20
_ZIP64: Final = 45
_MAX32: Final = 0xFFFFFFFF
_MAX16: Final = 0xFFFF
_UTF8_NAME: Final = 0x800
_MADE_ON_UNIX: Final = 3 << 8
_REGULAR_0644: Final = 0o100644 << 16

_LOCAL: Final = struct.Struct("<4sHHHHHIIIHH")
_CENTRAL: Final = struct.Struct("<4sHHHHHHIIIHHHHHII")
_END: Final = struct.Struct("<4sHHHHIIH")
_END64: Final = struct.Struct("<4sQHHIIQQQQ")
_LOCATOR: Final = struct.Struct("<4sIQI")
_CRC_OFFSET: Final = 14


class ZipTarget:
    """A zip of stored members: the same keys, values and time give the same bytes.

    Members have mode 0644 and the time `modified` (seconds since 1970, UTC).
    Raises TargetError, ReadOnlyError, NoSpaceError.
    """

    def __init__(self, path: str | os.PathLike[str], *, modified: int) -> None:
        self._file = ArchiveFile(path)
        self._stamp = _dos_time(modified)
        self._times = _unix_times(modified)
        self._directory = bytearray()
        self._count = 0

    def write(self, key: str, size: int, pieces: Iterable[bytes]) -> None:
        """Append a member."""
        start = self._file.position
        name, large = key.encode(), size >= _MAX32
        version, flags = _ZIP64 if large else _PLAIN, 0 if key.isascii() else _UTF8_NAME
        shown = _MAX32 if large else size
        extra = (struct.pack("<HHQQ", 1, 16, size, size) if large else b"") + self._times
        self._file.write(
            _LOCAL.pack(
                b"PK\x03\x04",
                version,
                flags,
                0,
                *self._stamp,
                0,
                shown,
                shown,
                len(name),
                len(extra),
            )
            + name
            + extra
        )
        checksum = _Checksum()
        self._file.write_value(key, size, checksum.through(pieces))
        self._file.overwrite(start + _CRC_OFFSET, struct.pack("<I", checksum.value))
        self._enter(name, flags, checksum.value, size, start)

    def commit(self) -> None:
        """Write the directory, and give the file its name."""
        start, size, count = self._file.position, len(self._directory), self._count
        self._file.write(bytes(self._directory))
        if start >= _MAX32 or size >= _MAX32 or count >= _MAX16:
            end = self._file.position
            body = (_ZIP64, _ZIP64, 0, 0, count, count, size, start)
            self._file.write(_END64.pack(b"PK\x06\x06", _END64.size - 12, *body))
            self._file.write(_LOCATOR.pack(b"PK\x06\x07", 0, end, 1))
        shown = min(count, _MAX16)
        self._file.write(
            _END.pack(b"PK\x05\x06", 0, 0, shown, shown, min(size, _MAX32), min(start, _MAX32), 0)
        )
        self._file.commit()

    def __enter__(self) -> "ZipTarget":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.discard()

    def _enter(self, name: bytes, flags: int, checksum: int, size: int, start: int) -> None:
        """Add a member to the directory."""
        wide = [value for value in (size, size, start) if value >= _MAX32]
        extra = struct.pack(f"<HH{len(wide)}Q", 1, 8 * len(wide), *wide) if wide else b""
        extra += self._times
        version = _ZIP64 if wide else _PLAIN
        shown = min(size, _MAX32)
        self._directory += _CENTRAL.pack(
            b"PK\x01\x02",
            *(_MADE_ON_UNIX | version, version, flags, 0, *self._stamp),
            *(checksum, shown, shown, len(name), len(extra)),
            *(0, 0, 0, _REGULAR_0644, min(start, _MAX32)),
        )
        self._directory += name + extra
        self._count += 1


class _Checksum:
    """The CRC-32 of pieces on their way."""

    def __init__(self) -> None:
        self.value = 0

    def through(self, pieces: Iterable[bytes]) -> Iterator[bytes]:
        for piece in pieces:
            self.value = crc32(piece, self.value)
            yield piece


def _dos_time(modified: int) -> tuple[int, int]:
    """Time and date of a zip, which knows the years 1980 to 2107 in steps of two seconds."""
    earliest, latest = 315532800, 4354819198
    now = gmtime(max(earliest, min(modified, latest)))
    time = now.tm_hour << 11 | now.tm_min << 5 | now.tm_sec // 2
    return time, (now.tm_year - 1980) << 9 | now.tm_mon << 5 | now.tm_mday


def _unix_times(modified: int) -> bytes:
    """The extra field with the exact time in UTC, as far as its 32 bits go."""
    if not 0 <= modified < 1 << 31:
        return b""
    return struct.pack("<2sHBi", b"UT", 5, 1, modified)
