"""A tar that holds a store, read from a stream as keys and values."""

import os
import sys
import tarfile
from array import array
from collections.abc import Iterable, Iterator
from tempfile import TemporaryFile
from threading import Lock
from typing import IO, Final

from zarrdb.db.private import raise_target_error
from zarrdb.errors import (
    CorruptError,
    NotAStoreError,
    NotFoundError,
    TruncatedError,
    UsageError,
    ZarrdbError,
)
from zarrdb.keys import Child, Entry, Remark, clamp, printable
from zarrdb.sources.members import Gatherer, without_outer_folder
from zarrdb.sources.regular import cannot_read
from zarrdb.sources.tarstream import PIECE, ForwardStream

_LATEST: Final = 253402300800  # the year 10000, which no date can be in
_SPOOL: Final = "the temporary file of a tar"


class TarSource:
    """The files of a tar as keys and values, for any number of threads.

    The stream is read once, to its end: values of a file stay where they are, those of a pipe
    wait in a nameless temporary file in `temp_dir`. Where one outer folder holds the store,
    keys are relative to it; of several members with one name the last counts.
    Raises NotAStoreError for what is no tar or holds several stores, TruncatedError,
    CorruptError, SourceError, and NoSpaceError for the temporary file.
    """

    kind: str = "tar"

    def __init__(
        self,
        stream: IO[bytes],
        *,
        name: str = "stdin",
        keep_junk: bool = False,
        temp_dir: str | None = None,
    ) -> None:
        self.name = printable(name)
        self._lock = Lock()
        self._offsets = array("Q")
        self._times: list[int] = []
        self._gatherer = Gatherer(keep_junk=keep_junk)
        self._spool: IO[bytes] | None = None
        self._owned: IO[bytes] | None = None
        if not stream.seekable():
            self._spool = _spool_in(temp_dir or os.curdir)
        self._file = self._spool or stream
        try:
            self._read(ForwardStream(stream, self.name))
            self._members = self._gatherer.finish()
            self._members = without_outer_folder(
                self._members, self.name, self._gatherer.remark, self.get
            )
        except BaseException:
            self.close()
            raise

    @classmethod
    def from_stdin(cls, *, keep_junk: bool = False, temp_dir: str | None = None) -> "TarSource":
        """The tar on standard input. Raises UsageError if that is a terminal."""
        if sys.stdin is None or sys.stdin.isatty():
            raise UsageError(
                "stdin is a terminal, not a tar", hint="tar c SOURCE | zarrdb import - -o FILE"
            )
        return cls(sys.stdin.buffer, keep_junk=keep_junk, temp_dir=temp_dir)

    @classmethod
    def open(cls, path: str | os.PathLike[str], *, keep_junk: bool = False) -> "TarSource":
        """A tar file. Raises SourceError where it cannot be opened."""
        name = os.fspath(path)
        try:
            file = open(name, "rb")  # noqa: SIM115
        except OSError as error:
            raise cannot_read(printable(name), error) from error
        try:
            source = cls(file, name=name, keep_junk=keep_junk)
        except BaseException:
            file.close()
            raise
        source._owned = file
        return source

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix` once, in code-point order of the whole key, past `after`."""
        return self._members.entries(prefix, after)

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`, in code-point order, each once."""
        return self._members.children(prefix)

    def get(self, key: str) -> bytes | None:
        """The whole value, or None if there is no such key."""
        return self.get_range(key, 0, None)

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given."""
        return ((key, self.get(key)) for key in keys)

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a value, clamped to it; a negative offset counts from its end."""
        number, size = self._members.find(key), self._members.size(key)
        if number is None or size is None:
            return None
        start, end = clamp(size, offset, length)
        with self._lock:
            try:
                self._file.seek(self._offsets[number] + start)
                data = self._file.read(end - start)
            except OSError as error:
                raise cannot_read(f"{self.name}: {printable(key)}", error) from error
        if len(data) != end - start:
            raise TruncatedError(f"{self.name}: {printable(key)} is shorter than it was")
        return data

    def stream(self, key: str, chunk_size: int = PIECE) -> Iterator[bytes]:
        """The value piece by piece, in flat memory. Raises NotFoundError."""
        size = self._members.size(key)
        if size is None:
            raise NotFoundError(f"{self.name}: no key `{printable(key)}`")
        for start in range(0, size, chunk_size):
            yield self.get_range(key, start, chunk_size) or b""

    def size(self, key: str) -> int | None:
        """Size of the value in bytes, or None if there is no such key; nothing is read."""
        return self._members.size(key)

    def remarks(self) -> Iterator[Remark]:
        """Members that are no keys, superseded ones, and what was left out."""
        return iter(self._gatherer.remarks)

    def newest(self) -> int | None:
        """The newest modification time of a member, in seconds since 1970, UTC."""
        return max((self._times[number] for number in self._members.numbers), default=None)

    def close(self) -> None:
        """Give back the file; a second call does nothing."""
        for file in (self._spool, self._owned):
            if file is not None:
                file.close()

    def _read(self, stream: ForwardStream) -> None:
        """Go through the tar, noting what is in it."""
        stream.require_tar()
        tar = None
        try:
            tar = tarfile.TarFile(fileobj=stream, encoding="utf-8", errors="surrogateescape")  # type: ignore[arg-type]
            while (info := tar.next()) is not None:
                # It keeps all that it has seen, which for a million members is a gigabyte.
                tar.members = []  # type: ignore[attr-defined]
                self._member(info, stream)
        except ZarrdbError:
            raise
        except Exception as error:
            # Beside its own errors `tarfile` raises whatever converting a bad number raises.
            if tar is None:
                raise NotAStoreError(f"{self.name} is no tar") from error
            stream.require_end()
            raise CorruptError(
                f"{self.name}: the tar is damaged: {printable(str(error))}"
            ) from error
        stream.require_end()
        self._flush()

    def _member(self, info: tarfile.TarInfo, stream: ForwardStream) -> None:
        gatherer, name = self._gatherer, info.name.removeprefix("./")
        self._offsets.append(0)
        self._times.append(int(info.mtime) if 0 <= info.mtime < _LATEST else 0)
        if info.isdir() or name in ("", "."):
            gatherer.skip()
        elif info.issym() or info.islnk():
            gatherer.skip()
            gatherer.remark("link-refused", name, f"is a link to {printable(info.linkname)}")
        elif not info.isreg() or info.issparse():
            gatherer.skip()
            what = "is stored sparse" if info.issparse() else "is no regular file"
            gatherer.remark("special-file", name, what)
        elif info.size < 0:
            raise CorruptError(f"{self.name}: {printable(name)} has a size below zero")
        else:
            self._offsets[-1] = info.offset_data
            if self._spool is not None:
                self._offsets[-1] = self._spool.tell()
                self._keep(self._spool, stream, info.size)
            gatherer.add(name, info.size)

    def _keep(self, spool: IO[bytes], stream: ForwardStream, size: int) -> None:
        for start in range(0, size, PIECE):
            piece = stream.read_value(min(PIECE, size - start))
            try:
                spool.write(piece)
            except OSError as error:
                raise_target_error(error, _SPOOL)

    def _flush(self) -> None:
        if self._spool is not None:
            try:
                self._spool.flush()
            except OSError as error:
                raise_target_error(error, _SPOOL)


def _spool_in(folder: str) -> IO[bytes]:
    try:
        return TemporaryFile(dir=folder)
    except OSError as error:
        raise_target_error(error, _SPOOL)
