"""What an export writes to."""

import os
from collections.abc import Iterable
from contextlib import suppress
from typing import IO, Protocol

from zarrdb.db.private import PrivateFile, raise_target_error, remove_leftovers
from zarrdb.errors import TargetError
from zarrdb.keys import printable


class Target(Protocol):
    """Receives keys and values in code-point order; nothing shows before `commit`.

    A context manager: left without `commit`, it leaves nothing behind. For one thread.
    """

    def write(self, key: str, size: int, pieces: Iterable[bytes]) -> None:
        """Store a value of `size` bytes that comes in pieces. Raises TargetError, NoSpaceError."""
        ...

    def commit(self) -> None:
        """Make all of it appear under the final name."""
        ...

    def __enter__(self) -> "Target": ...

    def __exit__(self, *_: object) -> None: ...


class ArchiveFile:
    """Where the bytes of an archive go: a private file, renamed at the end, or a stream."""

    def __init__(self, place: str | os.PathLike[str] | IO[bytes]) -> None:
        self._private: PrivateFile | None = None
        if isinstance(place, (str, os.PathLike)):
            remove_leftovers(os.fspath(place))
            self._private = PrivateFile(os.fspath(place))
            self._file: IO[bytes] = open(self._private.path, "wb")  # noqa: SIM115
            self.name = printable(os.fspath(place))
        else:
            self._file = place
            self.name = "stdout"
        self.position = 0

    def write(self, data: bytes) -> None:
        """Append bytes. Raises TargetError, NoSpaceError; BrokenPipeError for a stream."""
        try:
            self._file.write(data)
        except BrokenPipeError:
            raise
        except OSError as error:
            raise_target_error(error, self.name)
        self.position += len(data)

    def overwrite(self, position: int, data: bytes) -> None:
        """Put bytes in the place of others that were written before; not for a stream."""
        try:
            self._file.seek(position)
            self._file.write(data)
            self._file.seek(self.position)
        except OSError as error:
            raise_target_error(error, self.name)

    def write_value(self, key: str, size: int, pieces: Iterable[bytes]) -> None:
        """Append a value that is `size` bytes in all. Raises TargetError if it is not."""
        end = self.position + size
        for piece in pieces:
            self.write(piece)
        if self.position != end:
            raise wrong_size(self.name, key)

    def commit(self) -> None:
        """Have it on the disk under its final name; a stream is flushed."""
        try:
            self._file.flush()
        except BrokenPipeError:
            raise
        except OSError as error:
            raise_target_error(error, self.name)
        if self._private is not None:
            self._file.close()
            if os.path.exists(self._private.target):
                self._private.take_after(self._private.target)
            self._private.sync()
            self._private.rename()

    def discard(self) -> None:
        """Leave nothing behind, unless it was committed."""
        if self._private is not None:
            with suppress(OSError):
                self._file.close()
            self._private.remove()


def wrong_size(name: str, key: str) -> TargetError:
    """The error for a value that is not as long as was said."""
    return TargetError(f"{name}: {printable(key)} has another size than was announced")
