"""The watch over the keys below one array."""

import re
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Final

from zarrdb.hierarchy.arrays import Layout
from zarrdb.hierarchy.chunks import Grid
from zarrdb.keys import KeySource
from zarrdb.lint.arraydata import ArrayData
from zarrdb.lint.arraydocument import ArrayDocument
from zarrdb.lint.stored import Stored
from zarrdb.lint.tally import NOTHING, Tally
from zarrdb.lint.valuewatch import ValueWatch
from zarrdb.lint.verdict import Verdict

if TYPE_CHECKING:
    from zarrdb.lint.datawatch import DataWatch

_CHUNK_LIKE: Final = re.compile(r"c|(?:c[/.])?-?[0-9]+(?:[/.]-?[0-9]+)*").fullmatch
_WRITINGS: Final = tuple((encoding, mark) for encoding in ("default", "v2") for mark in "/.")


class BlindWatch:
    """Stands in where the document does not tell what the keys below should be."""

    __slots__ = ("prefix",)

    def __init__(self, prefix: str) -> None:
        self.prefix = prefix

    def see(self, _rest: str, _size: int) -> bool:
        """Take one key, and make nothing of it."""
        return False


class ChunkWatch:
    """Sorts the keys below an array by what they are; keys come without the array's prefix.

    `present` counts the chunks that are where they should be, `tallies` has all others by
    what is wrong: `outside`, `other-layout`, `stray`, `empty`.
    """

    def __init__(
        self,
        prefix: str,
        array: ArrayDocument,
        layout: Layout,
        source: KeySource,
        decoding: "DataWatch | None",
        *,
        heads: bool,
    ) -> None:
        self.prefix = prefix
        self._heads = heads
        self.array = array
        self.layout = layout
        self.present = 0
        self.tallies: dict[str, Tally] = {}
        self.data: ArrayData | None = None
        self._source = source
        self._decoding = decoding
        if decoding is not None:
            self.data = ArrayData(prefix, *array.verifier())

    @property
    def path(self) -> str:
        """The path of the array."""
        return self.prefix[:-1]

    @property
    def total(self) -> int:
        """How many chunks the grid has."""
        return self.array.chunks_total

    def see(self, rest: str, size: int) -> bool:
        """Take one key; whether it is a chunk that is where it should be.

        A size below zero is one that is not known.
        """
        if not self.grid.holds(rest):
            self.tally(self._fault(rest)).add(rest, max(size, 0))
            return False
        self.present += 1
        if not size:
            self.tally("empty").add(rest, size)
            return True
        if self.values is not None and size > 0:
            self.values.see(rest, size)
        if self._decoding is not None and self.data is not None:
            self._decoding.see(self.data, rest, size)
        return True

    def tally(self, fault: str) -> Tally:
        """The tally of a fault, to add to."""
        found = self.tallies.get(fault)
        if found is None:
            found = self.tallies[fault] = Tally()
        return found

    def counted(self, fault: str) -> Tally:
        """The tally of a fault, to read."""
        return self.tallies.get(fault, NOTHING)

    @cached_property
    def values(self) -> ValueWatch | None:
        """The watch over what the chunks hold, if anything is known of it."""
        stored = self.array.stored
        if stored is not None and not self._heads:
            stored = Stored(stored.length)
        return None if stored is None else ValueWatch(self.prefix, self._source, stored)

    @cached_property
    def grid(self) -> Grid:
        """The grid, which many arrays share."""
        return _grid(self.layout)

    @property
    def example(self) -> str:
        """The key of the first chunk."""
        return self.grid.key((0,) * len(self.layout.lengths))

    def _fault(self, rest: str) -> str:
        if not _CHUNK_LIKE(rest):
            return "stray"
        return "other-layout" if any(g.holds(rest) for g in self._other_grids) else "outside"

    @cached_property
    def _other_grids(self) -> tuple[Grid, ...]:
        """The same grid in all other layouts."""
        layouts = (Layout(self.layout.lengths, *writing) for writing in _WRITINGS)
        return tuple(_grid(layout) for layout in layouts if layout != self.layout)


@lru_cache(maxsize=256)
def _grid(layout: Layout) -> Grid:
    return Grid(layout.lengths, encoding=layout.encoding, separator=layout.separator)


def array_watch(
    prefix: str,
    verdict: Verdict,
    source: KeySource,
    decoding: "DataWatch | None",
    *,
    heads: bool = True,
) -> ChunkWatch | BlindWatch:
    """The watch over the array with a prefix, whose document was judged.

    `heads` says whether the beginnings of values may be read.
    """
    array = verdict.array
    if array is None or array.layout is None:
        return BlindWatch(prefix)
    return ChunkWatch(prefix, array, array.layout, source, decoding, heads=heads)
