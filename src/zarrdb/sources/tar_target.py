"""A store written as a tar: into a file, or to a stream as it comes."""

import os
import tarfile
from collections.abc import Iterable
from typing import IO, Final

from zarrdb.sources.target import ArchiveFile

_BLOCK: Final = tarfile.BLOCKSIZE


class TarTarget:
    """A tar in the POSIX format (pax): the same keys, values and time give the same bytes.

    Members have mode 0644, no owner, and the time `modified` (seconds since 1970, UTC).
    Raises TargetError, ReadOnlyError, NoSpaceError.
    """

    def __init__(self, place: str | os.PathLike[str] | IO[bytes], *, modified: int) -> None:
        self._file = ArchiveFile(place)
        self._modified = modified

    def write(self, key: str, size: int, pieces: Iterable[bytes]) -> None:
        """Append a member."""
        info = tarfile.TarInfo(key)
        info.size, info.mtime, info.mode = size, self._modified, 0o644
        self._file.write(info.tobuf(tarfile.PAX_FORMAT, "utf-8", "strict"))
        self._file.write_value(key, size, pieces)
        self._file.write(bytes(-size % _BLOCK))

    def commit(self) -> None:
        """End it, and give it its name."""
        end = 2 * _BLOCK
        padding = -(self._file.position + end) % tarfile.RECORDSIZE
        self._file.write(bytes(end + padding))
        self._file.commit()

    def __enter__(self) -> "TarTarget":
        return self

    def __exit__(self, *_: object) -> None:
        self._file.discard()
