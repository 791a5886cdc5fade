"""Values on the disk while it is not known yet how many and how large they are."""

from contextlib import suppress
from threading import Lock

from zarrdb.db.private import PrivateFile, raise_target_error


class Spool:
    """Values by key in a private file beside a target, or in another directory.

    Added by one thread, then read by several. Raises NoSpaceError and TargetError.
    """

    def __init__(self, target: str, *, directory: str | None = None) -> None:
        self._name = target
        self._places: dict[str, tuple[int, int]] = {}
        self._end = 0
        self._lock = Lock()
        self._private = PrivateFile(target, directory=directory)
        self._file = open(self._private.path, "r+b")  # noqa: SIM115

    def add(self, key: str, value: bytes) -> None:
        """Append a value."""
        self._places[key] = self._end, len(value)
        self._end += len(value)
        try:
            self._file.write(value)
        except OSError as error:
            raise_target_error(error, self._name)

    def size(self, key: str) -> int | None:
        """Size of a value, or None."""
        place = self._places.get(key)
        return None if place is None else place[1]

    def read(self, key: str, start: int, length: int) -> bytes | None:
        """Bytes of a value, or None if there is no such key."""
        place = self._places.get(key)
        if place is None:
            return None
        try:
            with self._lock:
                self._file.seek(place[0] + start)
                return self._file.read(length)
        except OSError as error:
            raise_target_error(error, self._name)

    def close(self) -> None:
        """Delete the file; a second call does nothing."""
        # What was not written yet is of no use any more, nor is what the disk says to it.
        with suppress(OSError):
            self._file.close()
        self._private.remove()
