"""Ranges of a plain local file.

Never of a database file that may be open: closing it would drop SQLite's locks, so its bytes
come through `db.connect`.
"""

import os
from collections.abc import Sequence
from threading import Lock

from zarrdb.errors import ClosedError, MissingError, ReadOnlyError, ShortAnswerError, SourceError
from zarrdb.transport.reader import Traffic


class LocalReader:
    """Ranges of a file of this machine. A RangeReader.

    `delete` removes the file when the reader is closed: a download that is of no other use.
    Raises MissingError, ReadOnlyError (no permission) and SourceError.
    """

    max_concurrency = 1

    def __init__(self, path: str, *, name: str | None = None, delete: bool = False) -> None:
        self.name = name or path
        self.path = path
        self.traffic = Traffic()
        self._delete = delete
        self._lock = Lock()
        try:
            self._file = open(path, "rb", buffering=0)  # noqa: SIM115
        except FileNotFoundError as error:
            raise MissingError(f"{self.name}: no such file") from error
        except PermissionError as error:
            raise ReadOnlyError(f"{self.name}: no permission to read it") from error
        except OSError as error:
            raise self._failed(error) from error

    @property
    def size(self) -> int:
        """Size in bytes, now."""
        return self._status().st_size

    @property
    def known_size(self) -> int:
        """Size in bytes, now."""
        return self.size

    @property
    def stamp(self) -> str | None:
        """Time of the last change and size, now."""
        status = self._status()
        return f"{status.st_mtime_ns:x}-{status.st_size:x}"

    def read_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
        """The bytes of each span in the order asked."""
        with self.traffic:
            return [self._read(offset, size) for offset, size in spans]

    def head_tail(self, head: int, tail: int) -> tuple[bytes, bytes]:
        """The first and the last bytes, whatever the size."""
        size = self.size
        tail = min(tail, size)
        first, last = self.read_ranges([(0, min(head, size)), (size - tail, tail)])
        return first, last

    def refresh(self) -> None:
        """Nothing is remembered."""

    def close(self) -> None:
        """Give back the file; a second call does nothing."""
        if not self._file.closed:
            self._file.close()
            if self._delete:
                os.unlink(self.path)

    def _read(self, offset: int, size: int) -> bytes:
        parts: list[bytes] = []
        missing = size
        try:
            with self._lock:
                self._file.seek(offset)
                while missing:
                    # One read gives 2 GiB at most, and less where a signal comes in between.
                    part = self._file.read(missing)
                    if not part:
                        break
                    parts.append(part)
                    missing -= len(part)
        except ValueError as error:
            raise ClosedError(f"{self.name}: read after it was closed") from error
        except OSError as error:
            raise self._failed(error) from error
        if missing:
            short = ShortAnswerError(
                f"{self.name}: asked for {size} bytes at {offset}, but the file ends at {self.size}"
            )
            short.transient = False
            raise short
        self.traffic.request()
        self.traffic.received(size)
        return parts[0] if len(parts) == 1 else b"".join(parts)

    def _status(self) -> os.stat_result:
        try:
            return os.fstat(self._file.fileno())
        except ValueError as error:
            raise ClosedError(f"{self.name}: read after it was closed") from error

    def _failed(self, error: OSError) -> SourceError:
        return SourceError(f"{self.name}: cannot be read: {(error.strerror or str(error)).lower()}")
