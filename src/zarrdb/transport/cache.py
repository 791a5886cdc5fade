"""A bounded cache of the blocks of a remote file; each block is fetched by one thread only."""

from collections import OrderedDict
from collections.abc import Iterable
from threading import Condition
from typing import Final

from zarrdb.transport.forks import renew_in_children
from zarrdb.transport.reader import RangeReader
from zarrdb.transport.spans import runs_of

CACHE_BYTES: Final = 64 << 20
"""Holds what is fetched at once (24 MiB), what several threads fetch at once, and all inner
pages of a tree of a million values (4 MiB)."""


class BlockCache:
    """The blocks of `unit` bytes of a file of `size` bytes, numbered from 0.

    Holds at most `limit` bytes and drops what was used least recently. Safe from several
    threads: a block that one of them is fetching is waited for by the others.
    """

    def __init__(
        self, reader: RangeReader, unit: int, size: int, *, limit: int = CACHE_BYTES
    ) -> None:
        self.unit = unit
        self.size = size
        self._reader = reader
        self._limit = limit
        self._held = 0
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
        self.renew()
        renew_in_children(self)

    def renew(self) -> None:
        """Begin with a new lock, as in the child of a fork: nobody is fetching there."""
        self._coming: set[int] = set()
        self._changed = Condition()

    def get(self, number: int) -> bytes | None:
        """A block, if it is here."""
        with self._changed:
            block = self._blocks.get(number)
            if block is not None:
                self._blocks.move_to_end(number)
            return block

    def __contains__(self, number: int) -> bool:
        return number in self._blocks

    def put(self, offset: int, data: bytes) -> None:
        """Keep the whole blocks in bytes of the file, of which the last one may be shorter."""
        end = offset + len(data)
        with self._changed:
            for number in range(-(-offset // self.unit), -(-end // self.unit)):
                start = number * self.unit
                stop = min(start + self.unit, self.size)
                if stop <= end:
                    self._keep(number, data[start - offset : stop - offset])

    def load(self, runs: Iterable[range]) -> None:
        """Fetch the blocks of the runs that are not here, in one round.

        Blocks past the end of the file are left out.
        """
        last = -(-self.size // self.unit)
        wanted = {
            number for run in runs for number in range(max(0, run.start), min(run.stop, last))
        }
        with self._changed:
            mine = wanted.difference(self._blocks, self._coming)
            self._coming |= mine
        try:
            self._fetch(runs_of(mine))
        finally:
            with self._changed:
                self._coming -= mine
                self._changed.notify_all()
        with self._changed:
            others = wanted - mine
            self._changed.wait_for(lambda: self._coming.isdisjoint(others))

    def _fetch(self, runs: list[range]) -> None:
        unit, size = self.unit, self.size
        spans = [(run.start * unit, min(run.stop * unit, size) - run.start * unit) for run in runs]
        if spans:
            for (offset, _), body in zip(spans, self._reader.read_ranges(spans), strict=True):
                self.put(offset, body)

    def _keep(self, number: int, block: bytes) -> None:
        old = self._blocks.pop(number, b"")
        self._blocks[number] = block
        self._held += len(block) - len(old)
        while self._held > self._limit:
            _, dropped = self._blocks.popitem(last=False)
            self._held -= len(dropped)
