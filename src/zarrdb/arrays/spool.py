"""Values on the disk while it is not known yet how many and how large they are."""

from contextlib import suppress
from threading import Lock

from zarrdb.db.private import PrivateFile, raise_target_error


class Spool:
    """Values one behind the other in a private file beside a target, or in another directory.

    Added by one thread, then read by several. Raises NoSpaceError and TargetError.
    """

    def __init__(self, target: str, *, directory: str | None = None) -> None:
        self._name = target
        self.end = 0
        """Bytes of all values so far."""
        self._lock = Lock()
        self._private = PrivateFile(target, directory=directory)
        self._file = open(self._private.path, "r+b")  # noqa: SIM115

    def add(self, value: bytes) -> int:
        """Append a value; where it begins."""
        place = self.end
        self.end += len(value)
        try:
            self._file.write(value)
        except OSError as error:
            raise_target_error(error, self._name)
        return place

    def read(self, place: int, length: int) -> bytes:
        """Bytes from a place on."""
        try:
            with self._lock:
                self._file.seek(place)
                return self._file.read(length)
        except OSError as error:
            raise_target_error(error, self._name)

    def close(self) -> None:
        """Delete the file; a second call does nothing."""
        # What was not written yet is of no use any more, nor is what the disk says to it.
        with suppress(OSError):
            self._file.close()
        self._private.remove()
