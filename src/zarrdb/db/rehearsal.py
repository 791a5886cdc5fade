"""What a local file would cost to read from afar, found out by reading it that way."""

import os
from collections.abc import Callable, Sequence

from zarrdb.db.filebytes import FileBytes
from zarrdb.db.remote import open_remote
from zarrdb.transport.link import Answer
from zarrdb.transport.reader import Span
from zarrdb.transport.remote import RemoteReader


class FileLink:
    """A local file as a server would give it: one range a request. A Link."""

    max_ranges = 1

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._file = FileBytes(path)
        self._size = self._file.size()
        self.name = self._file.path

    def fetch(self, offset: int, size: int) -> Answer:
        """At most `size` bytes from `offset` on."""
        return Answer(self._file.read(offset, size), offset, self._size)

    def fetch_tail(self, size: int) -> Answer:
        """The last `size` bytes, or the whole file if it has fewer."""
        return self.fetch(max(0, self._size - size), size)

    def fetch_parts(self, spans: Sequence[Span]) -> list[Answer]:
        """Several ranges; nobody asks for them."""
        return [self.fetch(*span) for span in spans]

    def stat(self) -> None:
        """A range is as good."""

    def download(
        self, write: Callable[[bytes], None], expect: Callable[[int | None], None]
    ) -> None:
        """The whole file."""
        expect(self._size)
        write(self._file.read(0, self._size))

    def renew(self) -> None:
        """Nothing is remembered."""

    def close(self) -> None:
        """Give back the file."""
        self._file.close()


def rehearse(path: str, keys: Sequence[str]) -> tuple[int, list[int]]:
    """Requests to open a file and read its root document; to read each key after that."""
    reader = RemoteReader(FileLink(path))
    with open_remote(reader) as database:
        database.get("zarr.json")
        opened = asked = reader.traffic.requests
        costs = []
        for key in keys:
            database.get(key)
            costs.append(reader.traffic.requests - asked)
            asked = reader.traffic.requests
        return opened, costs
