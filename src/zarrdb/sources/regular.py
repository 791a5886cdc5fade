"""One regular file being read, with an eye on whether it changes meanwhile."""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Iterator
from typing import Final

from zarrdb.errors import SourceChangedError, SourceError
from zarrdb.keys import printable

# Never waits for the other end of a FIFO, never takes over a terminal.
_FLAGS: Final = (
    os.O_RDONLY
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NONBLOCK", 0)
    | getattr(os, "O_NOCTTY", 0)
    | getattr(os, "O_BINARY", 0)
)
_NOTHING_THERE: Final = frozenset(
    {errno.ENOENT, errno.ENOTDIR, errno.EISDIR, errno.ENAMETOOLONG, errno.ELOOP}
)
_SPECIAL: Final = {
    stat.S_IFIFO: "is a FIFO",
    stat.S_IFSOCK: "is a socket",
    stat.S_IFCHR: "is a character device",
    stat.S_IFBLK: "is a block device",
}
# One system call reads no more than this on Linux and macOS.
_MOST_AT_ONCE: Final = 1 << 30


class RegularFile:
    """A file of a source, open for reading. A context manager; one thread at a time."""

    __slots__ = ("_descriptor", "_label", "_status", "size")

    def __init__(self, descriptor: int, status: os.stat_result, label: str) -> None:
        self._descriptor = descriptor
        self._status = status
        self._label = label
        self.size = status.st_size

    @classmethod
    def open(cls, path: str, label: str) -> "RegularFile | None":
        """Open a path; None where no regular file stands. Raises SourceError, named `label`."""
        try:
            descriptor = _open(path)
        except OSError as error:
            raise cannot_read(label, error) from error
        if descriptor is None:
            return None
        status = os.fstat(descriptor)
        if stat.S_ISREG(status.st_mode):
            return cls(descriptor, status, label)
        os.close(descriptor)
        return None

    def read(self, offset: int, length: int) -> bytes:
        """Exactly `length` bytes from an offset. Raises SourceError, SourceChangedError."""
        try:
            os.lseek(self._descriptor, offset, os.SEEK_SET)
        except OSError as error:
            raise cannot_read(self._label, error) from error
        data = self._read(length)
        if len(data) != length:
            raise changed(self._label)
        return data

    def check_unchanged(self) -> None:
        """Raise SourceChangedError if size or time differ from those at the beginning."""
        now = os.fstat(self._descriptor)
        if (now.st_size, now.st_mtime_ns) != (self.size, self._status.st_mtime_ns):
            raise changed(self._label)

    def close(self) -> None:
        """Give back the descriptor."""
        os.close(self._descriptor)

    def __enter__(self) -> "RegularFile":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self, length: int) -> bytes:
        """Up to `length` bytes from where the file stands, fewer only at its end."""
        try:
            return b"".join(_rest(self._descriptor, length))
        except OSError as error:
            raise cannot_read(self._label, error) from error


def read_whole(path: str, label: Callable[[], str]) -> bytes | None:
    """All of a file; None where no regular file stands.

    Raises SourceError and SourceChangedError, which call the file what `label` returns. With
    as few system calls as possible: a store may have a million small files.
    """
    try:
        descriptor = _open(path)
    except OSError as error:
        raise cannot_read(label(), error) from error
    if descriptor is None:
        return None
    try:
        status = os.fstat(descriptor)
        if not stat.S_ISREG(status.st_mode):
            return None
        # One byte more than there should be shows that it has grown.
        data = os.read(descriptor, min(status.st_size + 1, _MOST_AT_ONCE))
        if len(data) < status.st_size:
            data = b"".join([data, *_rest(descriptor, status.st_size - len(data))])
        now = os.fstat(descriptor)
    except OSError as error:
        raise cannot_read(label(), error) from error
    finally:
        os.close(descriptor)
    if len(data) != status.st_size or now.st_mtime_ns != status.st_mtime_ns:
        raise changed(label())
    return data


def _open(path: str) -> int | None:
    """A descriptor of what stands at a path; None where nothing can stand."""
    try:
        return os.open(path, _FLAGS)
    except ValueError:
        # A NUL or half of a surrogate pair, which no path has.
        return None
    except OSError as error:
        if error.errno in _NOTHING_THERE:
            return None
        raise


def read_sized(base: str, entries: Iterable[tuple[str, int]]) -> Iterator[tuple[str, bytes | None]]:
    """All of the files at paths below a base that have these sizes; None where one has not.

    Three system calls a file: whether it is a regular one was seen when it was listed.
    """
    open_file, read, close = os.open, os.read, os.close
    for key, size in entries:
        data = None
        try:
            descriptor = open_file(base + key, _FLAGS)
            try:
                data = read(descriptor, size + 1 if size < _MOST_AT_ONCE else _MOST_AT_ONCE)
            finally:
                close(descriptor)
        except (OSError, ValueError):
            pass
        yield key, data if data is not None and len(data) == size else None


def _rest(descriptor: int, missing: int) -> Iterator[bytes]:
    while missing and (data := os.read(descriptor, min(missing, _MOST_AT_ONCE))):
        missing -= len(data)
        yield data


def changed(label: str) -> SourceChangedError:
    """The error for a file that is not what it was when it was opened."""
    return SourceChangedError(
        f"{label} changed while it was read", hint="try again when nothing writes to it"
    )


def cannot_read(label: str, error: OSError) -> SourceError:
    """The error for a file that the system does not give."""
    return SourceError(f"{label} cannot be read: {reason(error)}")


def reason(error: OSError) -> str:
    """What the system says about a failure, as the end of a sentence."""
    text = error.strerror or str(error)
    return printable(text[:1].lower() + text[1:])


def what_is(mode: int) -> str:
    """What a file that is not regular is, by its mode, as the end of a sentence."""
    return _SPECIAL.get(stat.S_IFMT(mode), "is no regular file")
