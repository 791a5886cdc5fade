"""A whole remote file, fetched once to a temporary one."""

import os
import shutil
import tempfile
import time
from collections.abc import Callable, Mapping
from typing import Any, BinaryIO

from zarrdb.errors import NoSpaceError, TrafficLimitError
from zarrdb.location import Location, parse
from zarrdb.transport.local import LocalReader
from zarrdb.transport.opening import open_link
from zarrdb.transport.options import TIMEOUT
from zarrdb.transport.retry import persist
from zarrdb.units import size_text


def download(
    location: str | Location,
    *,
    storage_options: Mapping[str, Any] | None = None,
    timeout: float = TIMEOUT,
    max_bytes: int | None = None,
    temp_dir: str | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> LocalReader:
    """Fetch a whole file; the temporary one goes when the reader is closed.

    `temp_dir` is the system's folder for temporary files unless given. Raises what reading
    does, TrafficLimitError, and NoSpaceError before or during the download.
    """
    place = location if isinstance(location, Location) else parse(location)
    link = open_link(place, storage_options or {}, timeout)
    if isinstance(link, LocalReader):
        return link
    descriptor, path = tempfile.mkstemp(prefix=".zarrdb-", suffix=".part", dir=temp_dir)
    try:
        with open(descriptor, "wb") as file:
            sink = _Sink(file, os.path.dirname(path), place.display, max_bytes)

            def attempt(_retry: bool) -> None:
                sink.rewind()
                link.download(sink.write, sink.expect)

            persist(attempt, sleep)
        return LocalReader(path, name=place.display, delete=True)
    except BaseException:
        os.unlink(path)
        raise
    finally:
        link.close()


class _Sink:
    """A file that takes no more than may be fetched, and than there is room for."""

    def __init__(self, file: BinaryIO, folder: str, name: str, most: int | None) -> None:
        self._file = file
        self._folder = folder
        self._name = name
        self._most = most

    def rewind(self) -> None:
        """Begin again."""
        self._file.seek(0)
        self._file.truncate()

    def expect(self, size: int | None) -> None:
        """The size of the file, where it is told before the first piece."""
        if size is None:
            return
        self._allow(size)
        free = shutil.disk_usage(self._folder).free
        if size > free:
            raise NoSpaceError(
                f"{self._name}: {size_text(size)} to download, {size_text(free)} free",
                hint="--temp-dir on another file system",
            )

    def write(self, piece: bytes) -> None:
        """The next piece."""
        self._allow(self._file.tell() + len(piece))
        try:
            self._file.write(piece)
        except OSError as error:
            raise NoSpaceError(
                f"{self._name}: cannot be kept: {(error.strerror or str(error)).lower()}",
                hint="--temp-dir on another file system",
            ) from error

    def _allow(self, size: int) -> None:
        if self._most is not None and size > self._most:
            raise TrafficLimitError(
                f"{self._name}: the whole file is more than {self._most} bytes",
                hint="raise --max-bytes, or leave it out",
            )
