"""A Blosc2 frame as the keys and values of a Zarr array."""

import os
from array import array
from collections.abc import Callable, Iterable, Iterator
from heapq import merge
from typing import TYPE_CHECKING, Protocol

from zarrdb.arrays.recode import Recoder, Recoding
from zarrdb.arrays.spool import Spool
from zarrdb.db.children import from_entries
from zarrdb.keys import Child, Entry, Remark, clamp

if TYPE_CHECKING:
    from zarrdb.frame import FrameFile


class Progress(Protocol):
    """What is told how far the compression is."""

    def expect(self, keys: int | None, size: int | None) -> None:
        """How many chunks there are, and their decoded bytes."""
        ...

    def update(self, keys: int, size: int) -> None:
        """How many of them are done."""
        ...


class FrameSource:
    """A KeySource of one array, compressed anew; owns its frame.

    How large the values are is known only once they are compressed. So the first look at the
    entries compresses all of them into a private file, which `make_spool` opens; without one
    the entries have the sizes of decoded chunks, and no chunk can be read.
    """

    kind = "frame"

    def __init__(
        self,
        frame: "FrameFile",
        recoding: Recoding,
        make_spool: Callable[[], Spool] | None,
        progress: Progress | None = None,
    ) -> None:
        self.name = frame.name
        self._frame = frame
        self._recoder = Recoder(frame, recoding)
        self._make_spool = make_spool
        self._spool: Spool | None = None
        self._progress = progress
        # Of each chunk that there is, where its value begins in the spool, and its end.
        self._places = array("q")

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix`, in code-point order, past `after`."""
        self._compress()
        documents = self._recoder.documents
        entries = merge(
            [Entry(key, len(documents[key])) for key in sorted(documents)], self._chunks()
        )
        for entry in entries:
            if entry.key.startswith(prefix) and (after is None or entry.key > after):
                yield entry

    def _compress(self) -> None:
        """Have all values in the spool, once."""
        if self._make_spool is None or self._spool is not None:
            return
        recoder = self._recoder
        count, size = len(recoder.numbers), recoder.chunk_size
        if self._progress is not None:
            self._progress.expect(count, count * size)
        self._spool = self._make_spool()
        for values in recoder.values():
            self._places.extend(map(self._spool.add, values))
            if self._progress is not None:
                done = len(self._places)
                self._progress.update(done, done * size)
        self._places.append(self._spool.end)

    def _chunks(self) -> Iterator[Entry]:
        for position in self._recoder.in_order_of_keys():
            key = self._recoder.key(int(self._recoder.numbers[position]))
            yield Entry(key, self._size_at(position))

    def _size_at(self, position: int) -> int:
        if self._spool is None:
            return self._recoder.chunk_size
        return self._places[position + 1] - self._places[position]

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`, in code-point order."""
        return from_entries(self.entries(prefix), prefix)

    def get(self, key: str) -> bytes | None:
        """The whole value, or None."""
        return self.get_range(key, 0, None)

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given."""
        return ((key, self.get(key)) for key in keys)

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a value, clamped to it; a negative offset counts from its end."""
        size = self.size(key)
        if size is None:
            return None
        start, stop = clamp(size, offset, length)
        document = self._recoder.documents.get(key)
        if document is not None:
            return document[start:stop]
        position = self._recoder.position(key)
        if self._spool is None or position is None:
            return None
        return self._spool.read(self._places[position] + start, stop - start)

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        """The value piece by piece."""
        for start in range(0, self.size(key) or 0, chunk_size):
            yield self.get_range(key, start, chunk_size) or b""

    def size(self, key: str) -> int | None:
        """Size of the value, or None if there is no such key."""
        document = self._recoder.documents.get(key)
        if document is not None:
            return len(document)
        position = self._recoder.position(key)
        if position is None:
            return None
        self._compress()
        return self._size_at(position)

    def remarks(self) -> Iterator[Remark]:
        """What of the frame does not come along."""
        yield from self._recoder.remarks()
        if self._make_spool is None:
            yield Remark("not-compressed", "", "sizes are those of decoded chunks")

    def newest(self) -> int | None:
        """When a local frame was last changed, in seconds since 1970."""
        path = getattr(self._frame.reader, "path", None)
        return None if path is None else int(os.stat(path).st_mtime)

    @property
    def stamp(self) -> str | None:
        """Names the exact bytes of the frame, and what is made of them."""
        frame = self._frame.reader.stamp
        return None if frame is None else f"{frame} {self._recoder.identity}"

    def close(self) -> None:
        """Give back the frame and delete the private file; a second call does nothing."""
        self._frame.close()
        if self._spool is not None:
            self._spool.close()
