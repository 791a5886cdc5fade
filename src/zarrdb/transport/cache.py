"""A bounded cache of the blocks of a remote file; each block is fetched by one thread only."""

from collections import OrderedDict
from collections.abc import Iterable
from threading import Condition
from typing import Final

from zarrdb.transport.reader import RangeReader
from zarrdb.transport.spans import runs_of

CACHE_BYTES: Final = 64 << 20
"""Holds what is fetched at once (24 MiB), what several threads fetch at once, and all inner
pages of a tree of a million values (4 MiB)."""


class BlockCache:
    """The blocks of `unit` bytes of a file, numbered from 0; the last may be shorter.

    Holds at most `limit` bytes and drops what was used least recently. Safe from several
    threads: a block that one of them is fetching is waited for by the others.
    """

    def __init__(self, reader: RangeReader, unit: int, *, limit: int = CACHE_BYTES) -> None:
        self.unit = unit
        self._reader = reader
        self._limit = limit
        self._held = 0
        self._blocks: OrderedDict[int, bytes] = OrderedDict()
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

    def put(self, offset: int, data: bytes, *, at_end: bool = False) -> None:
        """Keep the whole blocks in bytes of the file, and a part of one if it is its last."""
        first = -(-offset // self.unit)
        start = first * self.unit - offset
        with self._changed:
            for at in range(start, len(data), self.unit):
                block = data[at : at + self.unit]
                if len(block) == self.unit or at_end:
                    self._keep((offset + at) // self.unit, block)

    def load(self, runs: Iterable[range]) -> None:
        """Fetch the blocks of the runs that are not here, in one round.

        Blocks past the end of the file are left out.
        """
        last = -(-self._reader.size // self.unit)
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
        unit, size = self.unit, self._reader.size
        spans = [(run.start * unit, min(run.stop * unit, size) - run.start * unit) for run in runs]
        if not spans:
            return
        bodies = self._reader.read_ranges(spans)
        for (offset, length), body in zip(spans, bodies, strict=True):
            self.put(offset, body, at_end=offset + length == size)

    def _keep(self, number: int, block: bytes) -> None:
        old = self._blocks.pop(number, b"")
        self._blocks[number] = block
        self._held += len(block) - len(old)
        while self._held > self._limit:
            _, dropped = self._blocks.popitem(last=False)
            self._held -= len(dropped)
