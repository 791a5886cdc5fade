"""Ranges through any fsspec file system: object stores, servers, archives, chains of them."""

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, nullcontext
from errno import EBUSY
from threading import RLock
from typing import Any, Final

from zarrdb.errors import (
    RangeError,
    RangeNotSupportedError,
    RemoteBusyError,
    RemoteForbiddenError,
    RemoteMissingError,
    RemoteTimeoutError,
    UnreachableError,
    ZarrdbError,
)
from zarrdb.location import redact
from zarrdb.transport.link import Answer
from zarrdb.transport.reader import Span

_PIECE: Final = 8 << 20
_STAMPS: Final = ("ETag", "etag", "VersionId", "version_id", "versionId", "generation", "md5")
_BUSY: Final = frozenset({429, 500, 502, 503, 504})
_MOVING: Final = frozenset({"memory", "file", "local"})
_TIMES: Final = ("mtime", "LastModified", "last_modified", "updated", "modified", "created")


class FilesystemLink:
    """One file of an fsspec file system. A Link.

    `cat_file` gives bytes and nothing else, so size and stamp cost a request of their own,
    and that the file was replaced shows only in what is read.
    """

    max_ranges = 1

    def __init__(
        self, filesystem: Any, path: str, name: str, *, reopen: Callable[[], Any] | None = None
    ) -> None:
        self.name = name
        self._opened = filesystem
        self._reopen = reopen
        self._path = path

    @property
    def _filesystem(self) -> Any:
        if self._opened is None and self._reopen is not None:
            self._opened = self._reopen()
        return self._opened

    def renew(self) -> None:
        """Begin with a new file system: one with an event loop does not survive a fork."""
        if self._reopen is not None:
            self._opened = None

    def fetch(self, offset: int, size: int) -> Answer:
        """At most `size` bytes from `offset` on."""
        return self._cat(offset, offset + size, size)

    def fetch_tail(self, size: int) -> Answer:
        """The last `size` bytes, or the whole file if it has fewer."""
        return self._cat(-size, None, size)

    def fetch_parts(self, spans: Sequence[Span]) -> list[Answer]:
        """Several spans, by a request each: no file system takes several ranges in one."""
        return [self.fetch(*span) for span in spans]

    def stat(self) -> tuple[int, str | None]:
        """Size and stamp, as the file system's `info` tells them."""
        try:
            with turn(self._filesystem):
                info = self._filesystem.info(self._path)
        except Exception as error:
            raise fault(self.name, error) from error
        size = info.get("size")
        if not isinstance(size, int) or info.get("type", "file") != "file":
            raise RangeNotSupportedError(f"{self.name}: is no file with a known size")
        return size, _stamp(info, size)

    def download(
        self, write: Callable[[bytes], None], expect: Callable[[int | None], None]
    ) -> None:
        """The whole file in pieces."""
        size = self.stat()[0]
        expect(size)
        filesystem = self._filesystem
        try:
            with turn(filesystem), filesystem.open(self._path, "rb", block_size=_PIECE) as file:
                while piece := file.read(_PIECE):
                    write(piece)
        except ZarrdbError:
            raise
        except Exception as error:
            raise fault(self.name, error) from error

    def close(self) -> None:
        """File systems are fsspec's own to keep."""

    def _cat(self, start: int, end: int | None, most: int) -> Answer:
        try:
            with turn(self._filesystem):
                data: bytes = self._filesystem.cat_file(self._path, start=start, end=end)
        except Exception as error:
            failure = fault(self.name, error)
            # Some have no range of an empty object to give, not even an empty one.
            if type(failure) is RangeError and start <= 0 and self.stat()[0] == 0:
                return Answer(b"", 0, 0)
            raise failure from error
        if len(data) > most:
            raise RangeNotSupportedError(
                f"{self.name}: {len(data)} bytes came back for a range of {most}",
                hint="--download fetches the whole file once",
            )
        return Answer(data, max(0, start))


def moves_cheaply(filesystem: Any) -> bool:
    """Whether it renames instead of copying from far and to far."""
    return not _MOVING.isdisjoint(protocols(filesystem))


def turn(filesystem: Any) -> AbstractContextManager[object]:
    """Held while a file system is used that is for one thread at a time.

    Archives read all of their files through one open file, and FTP through one connection, so
    that a thread would get bytes from where another one has just moved it.
    """
    from fsspec.archive import AbstractArchiveFileSystem

    inner = filesystem
    while inner is not None:
        if isinstance(inner, AbstractArchiveFileSystem) or "ftp" in protocols(inner):
            # With the file system itself, which fsspec gives to all who ask for the same one.
            lock: AbstractContextManager[object] = vars(inner).setdefault("_zarrdb_turn", RLock())
            return lock
        # Those that wrap another have it there: dir, simplecache.
        inner = getattr(inner, "__dict__", {}).get("fs")
    return nullcontext()


def fault(name: str, error: Exception, doing: str = "read") -> RangeError:
    """The error of whatever a file system raises: its kind by the built-in class."""
    status = _status(error)
    told = error.strerror if isinstance(error, OSError) and error.strerror else str(error)
    why = redact(told) or type(error).__name__
    # What drivers make of an object store that asks for fewer requests.
    told_busy = isinstance(error, OSError) and error.errno == EBUSY
    kinds: list[tuple[bool, type[RangeError]]] = [
        (isinstance(error, FileNotFoundError) or status == 404, RemoteMissingError),
        (isinstance(error, PermissionError) or status in (401, 403), RemoteForbiddenError),
        (isinstance(error, IsADirectoryError), RangeNotSupportedError),
        (status in _BUSY or told_busy, RemoteBusyError),
        (isinstance(error, TimeoutError), RemoteTimeoutError),
        (isinstance(error, ConnectionError), UnreachableError),
    ]
    kind = next((kind for applies, kind in kinds if applies), RangeError)
    return kind(f"{name}: cannot be {doing}: {why}")


def protocols(filesystem: Any) -> tuple[str, ...]:
    """The names under which fsspec knows it."""
    protocol = getattr(filesystem, "protocol", ())
    return (protocol,) if isinstance(protocol, str) else tuple(protocol)


def _status(error: Exception) -> int | None:
    """The HTTP status that some of the drivers attach to what they raise."""
    status = getattr(error, "status", None) or getattr(error, "status_code", None)
    return status if isinstance(status, int) else None


def _stamp(info: dict[str, Any], size: int) -> str | None:
    for name in _STAMPS:
        if isinstance(info.get(name), str) and info[name]:
            return str(info[name])
    for name in _TIMES:
        if info.get(name) is not None:
            return f"{info[name]}-{size:x}"
    return None
