"""The watch over the keys below one array."""

import re
from functools import cached_property
from typing import Final

from zarrdb.hierarchy.chunks import Grid
from zarrdb.keys import KeySource, as_prefix
from zarrdb.lint.tally import Tally
from zarrdb.lint.valuewatch import ValueWatch
from zarrdb.lint.verdict import Verdict

_CHUNK_LIKE: Final = re.compile(r"c|(?:c[/.])?-?[0-9]+(?:[/.]-?[0-9]+)*").fullmatch
_LAYOUTS: Final = tuple((encoding, mark) for encoding in ("default", "v2") for mark in "/.")


class BlindWatch:
    """Stands in where the document does not tell what the keys below should be."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    def see(self, rest: str, size: int) -> None:
        """Take one key, and make nothing of it."""


class ChunkWatch:
    """Sorts the keys below an array by what they are; keys come without the array's path."""

    def __init__(
        self,
        path: str,
        zarr_format: int,
        grid: Grid,
        found: frozenset[str],
        values: ValueWatch | None,
    ) -> None:
        self.path = path
        self.zarr_format = zarr_format
        self.grid = grid
        self.found = found
        self.values = values
        self.present = Tally()
        self.outside = Tally()
        self.other_layout = Tally()
        self.stray = Tally()
        self.empty = Tally()

    def see(self, rest: str, size: int) -> None:
        """Take one key."""
        if self.grid.holds(rest):
            self.present.add(rest, size)
            if not size:
                self.empty.add(rest, size)
            elif self.values is not None:
                self.values.see(rest, size)
        elif not rest or not _CHUNK_LIKE(rest):
            self.stray.add(rest, size)
        elif any(grid.holds(rest) for grid in self._other_grids):
            self.other_layout.add(rest, size)
        else:
            self.outside.add(rest, size)

    @property
    def example(self) -> str:
        """The key of the first chunk."""
        return self.grid.key((0,) * len(self.grid.lengths))

    @cached_property
    def _other_grids(self) -> tuple[Grid, ...]:
        """The same grid in all other layouts."""
        return tuple(
            Grid(self.grid.lengths, encoding=encoding, separator=separator)
            for encoding, separator in _LAYOUTS
            if (encoding, separator) != (self.grid.encoding, self.grid.separator)
        )


def array_watch(
    path: str, zarr_format: int, verdict: Verdict, source: KeySource
) -> ChunkWatch | BlindWatch:
    """The watch over the array at a path, whose document was judged."""
    facts = verdict.array
    if facts is None or facts.grid is None:
        return BlindWatch(path)
    values = None
    if verdict.stored is not None:
        values = ValueWatch(as_prefix(path), source, verdict.stored)
    return ChunkWatch(path, zarr_format, facts.grid, verdict.found, values)
