"""A zip store read as keys and values."""

import os
import struct
from calendar import timegm
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from stat import S_ISLNK
from typing import IO, Final
from zipfile import ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from zarrdb.errors import CorruptError, NotFoundError, SourceError, TruncatedError, ZarrdbError
from zarrdb.keys import Child, Entry, Remark, clamp, printable
from zarrdb.sources.members import Gatherer, without_outer_folder
from zarrdb.sources.regular import cannot_read
from zarrdb.transport.local import LocalReader

_ENCRYPTED: Final = 0x1
_NAME_IS_UTF8: Final = 0x800
_DOS: Final = 0
_PIECE: Final = 1 << 20
LOCAL_HEADER: Final = 30
"""Bytes of what stands before a member's name and extra fields, which stand before its data."""
_UNIX_TIMES: Final = b"UT"


class ZipSource:
    """The members of a zip as keys and values, for any number of threads.

    Where one outer folder holds the store, keys are relative to it. Of several members with
    one name the last counts. `file` is what is read under the name of `path`, if that is no
    local one. Raises TruncatedError for a zip without its directory,
    CorruptError for a damaged one, NotAStoreError for one that holds several stores.
    """

    kind: str = "zip"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        keep_junk: bool = False,
        file: IO[bytes] | None = None,
    ) -> None:
        self.path = os.fspath(path)
        self.name = printable(self.path)
        self._zip = _open_zip(file or self.path, self.name)
        self._ranges = None if file else LocalReader(self.path, name=self.name)
        self._infos = self._zip.infolist()
        gatherer = Gatherer(keep_junk=keep_junk)
        for info in self._infos:
            _gather(gatherer, info)
        self._members = gatherer.finish()
        self._remarks = gatherer.remarks
        try:
            self._members = without_outer_folder(
                self._members, self.name, gatherer.remark, self.get
            )
        except ZarrdbError:
            self.close()
            raise

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix` once, in code-point order of the whole key, past `after`."""
        return self._members.entries(prefix, after)

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`, in code-point order, each once."""
        return self._members.children(prefix)

    def get(self, key: str) -> bytes | None:
        """The whole value, or None. Raises CorruptError, SourceError naming the member."""
        if self._members.find(key) is None:
            return None
        return b"".join(self.stream(key))

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given."""
        return ((key, self.get(key)) for key in keys)

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a value, clamped to it; a negative offset counts from its end.

        Only those are read where the member is stored as it is; its checksum is not checked.
        A compressed member is decompressed up to them, in flat memory.
        """
        number = self._members.find(key)
        if number is None:
            return None
        info = self._infos[number]
        start, end = clamp(info.file_size, offset, length)
        wanted = end - start
        if info.compress_type == ZIP_STORED and not info.flag_bits & _ENCRYPTED:
            return self._stored(key, info, start, wanted)
        with self._opened(key, number) as file:
            for left in range(start, 0, -_PIECE):
                file.read(min(_PIECE, left))
            data = file.read(wanted)
            if len(data) != wanted:
                raise EOFError("shorter than it says")
        return data

    def _stored(self, key: str, info: ZipInfo, start: int, size: int) -> bytes:
        """Bytes of a member that is stored as it is.

        Not by seeking in it: some releases of Python (3.12.1 is one) would then read on from
        where another thread left the file.
        """
        head = self._read_at(info.header_offset, LOCAL_HEADER)
        if len(head) < LOCAL_HEADER or not head.startswith(b"PK\3\4"):
            raise _damaged(f"{self.name}: {printable(key)}", EOFError("it has no header"))
        name, extra = struct.unpack_from("<HH", head, 26)
        data = self._read_at(info.header_offset + LOCAL_HEADER + name + extra + start, size)
        if len(data) != size:
            raise _damaged(f"{self.name}: {printable(key)}", EOFError("shorter than it says"))
        return data

    def _read_at(self, offset: int, size: int) -> bytes:
        """Bytes of the zip from a place, fewer at its end."""
        if self._ranges is None:
            return b""
        size = min(size, max(0, self._ranges.size - offset))
        return self._ranges.read_ranges([(offset, size)])[0]

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        """The value piece by piece, in flat memory, its checksum checked at the end.

        Raises NotFoundError, CorruptError and SourceError naming the member.
        """
        number = self._members.find(key)
        if number is None:
            raise NotFoundError(f"{self.name}: no key `{printable(key)}`")
        seen = 0
        with self._opened(key, number) as file:
            while piece := file.read(chunk_size):
                seen += len(piece)
                yield piece
            if seen != self._infos[number].file_size:
                raise EOFError("shorter than it says")

    def size(self, key: str) -> int | None:
        """Size of the value in bytes, or None if there is no such key; nothing is read."""
        return self._members.size(key)

    def remarks(self) -> Iterator[Remark]:
        """Members that are no keys, superseded ones, and what was left out."""
        return iter(self._remarks)

    def newest(self) -> int | None:
        """The newest time of a member, in seconds since 1970; zips know no time zone."""
        times = (_time(self._infos[number]) for number in self._members.numbers)
        return max((time for time in times if time is not None), default=None)

    def close(self) -> None:
        """Close the file; a second call does nothing."""
        self._zip.close()
        if self._ranges is not None:
            self._ranges.close()

    @contextmanager
    def _opened(self, key: str, number: int) -> Iterator[IO[bytes]]:
        """A member open for reading; failures name it."""
        label = f"{self.name}: {printable(key)}"
        info = self._infos[number]
        if info.flag_bits & _ENCRYPTED:
            raise SourceError(f"{label} is encrypted", hint="unpack the zip with its password")
        try:
            with self._zip.open(info) as file:
                yield file
        except ZarrdbError:
            raise
        except NotImplementedError as error:
            raise SourceError(
                f"{label} is compressed in a way that cannot be read", hint="unpack the zip first"
            ) from error
        except Exception as error:
            raise _damaged(label, error) from error


def _open_zip(file: str | IO[bytes], name: str) -> ZipFile:
    try:
        return ZipFile(file)
    except ZarrdbError:
        raise
    except BadZipFile as error:
        if "not a zip file" in str(error) or "runcated" in str(error):
            raise TruncatedError(
                f"{name}: the zip ends before its directory",
                hint="it was not copied whole, or its writer did not finish",
            ) from error
        raise CorruptError(f"{name}: the zip is damaged: {error}") from error
    except OSError as error:
        raise cannot_read(name, error) from error
    except Exception as error:
        raise CorruptError(f"{name}: the zip is damaged: {error}") from error


def _damaged(label: str, error: Exception) -> ZarrdbError:
    if isinstance(error, OSError) and error.errno is not None:
        return cannot_read(label, error)
    reason = str(error) or type(error).__name__
    if "CRC" in reason:
        reason = "its checksum differs"
    return CorruptError(f"{label} is damaged: {printable(reason)}")


def _gather(gatherer: Gatherer, info: ZipInfo) -> None:
    key = _key(gatherer, info)
    if key.endswith("/"):
        gatherer.skip()
    elif info.create_system != _DOS and S_ISLNK(info.external_attr >> 16):
        gatherer.skip()
        gatherer.remark("link-refused", key, "is a symbolic link in the zip")
    else:
        gatherer.add(key, info.file_size)


def _key(gatherer: Gatherer, info: ZipInfo) -> str:
    """The name of a member as a key, or with a slash at the end for a directory."""
    name = info.orig_filename
    if not info.flag_bits & _NAME_IS_UTF8 and not name.isascii():
        # Without the flag names are CP437 by the standard, and UTF-8 by many a writer.
        try:
            name = name.encode("cp437").decode()
        except UnicodeError:
            gatherer.remark("name-not-utf8", name, "was read as CP437")
    if info.create_system == _DOS and "\\" in name and "/" not in name:
        name = name.replace("\\", "/")
    return name.removeprefix("./")


def _time(info: ZipInfo) -> int | None:
    """When a member was modified: exactly, where an extra field says so, else as if in UTC."""
    extra = info.extra
    while len(extra) >= 4:
        kind, size = struct.unpack_from("<2sH", extra)
        # The first byte of the field tells whether the modification time is in it.
        if kind == _UNIX_TIMES and size >= 5 and len(extra) >= 9 and extra[4] & 1:
            return int.from_bytes(extra[5:9], "little", signed=True)
        extra = extra[4 + size :]
    year, month, day, *clock = info.date_time
    if not (1 <= month <= 12 and 1 <= day <= 31):
        return None
    return timegm((year, month, day, *clock))
