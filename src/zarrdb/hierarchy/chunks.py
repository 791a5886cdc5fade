"""Chunk grids and the grammar of chunk keys (Zarr v2 "Chunks", v3 "Chunk key encoding").

Numbers of chunks come from arithmetic on integers of any size; a grid is never enumerated.
"""

from collections.abc import Iterable
from math import prod
from typing import Final, Protocol

from zarrdb.keys import Entry, is_document

# Sets of index texts are quicker to look up than to compute, while they are small.
_TABLE_LENGTH: Final = 1024


class _Texts(Protocol):
    def __contains__(self, text: str, /) -> bool: ...


class Grid:
    """The chunks of one array: how many along each axis, and how their keys are written.

    `encoding` is `default` (v3: `c/0/1`, a scalar's is `c`) or `v2` (`0.1`, a scalar's is
    `0`). Keys are relative to the array.
    """

    __slots__ = ("_axes", "_head", "encoding", "lengths", "separator")

    def __init__(self, lengths: tuple[int, ...], *, encoding: str, separator: str) -> None:
        self.lengths = lengths
        self.encoding = encoding
        self.separator = separator
        self._head = "c" + separator if encoding == "default" else ""
        self._axes: tuple[_Texts, ...] = tuple(
            frozenset(map(str, range(n))) if n <= _TABLE_LENGTH else _Indexes(n) for n in lengths
        )

    @property
    def total(self) -> int:
        """The number of chunks; 1 for a scalar."""
        return prod(self.lengths)

    def key(self, index: tuple[int, ...]) -> str:
        """The key of a chunk."""
        if not index:
            return "c" if self.encoding == "default" else "0"
        return self._head + self.separator.join(map(str, index))

    def holds(self, key: str) -> bool:
        """Whether it is the key of a chunk inside the grid, written as it has to be."""
        if not self.lengths:
            return key == self.key(())
        if not key.startswith(self._head):
            return False
        texts = key[len(self._head) :].split(self.separator)
        if len(texts) != len(self._axes):
            return False
        return all(text in axis for text, axis in zip(texts, self._axes, strict=True))

    def index(self, key: str) -> tuple[int, ...] | None:
        """The index that a key of this grammar stands for, inside the grid or not."""
        if not self.lengths:
            return () if key == self.key(()) else None
        texts = key[len(self._head) :].split(self.separator)
        if not key.startswith(self._head) or len(texts) != len(self.lengths):
            return None
        return tuple(map(int, texts)) if all(map(_is_index, texts)) else None


class _Indexes:
    """The texts of all indexes below a length."""

    __slots__ = ("_digits", "_length")

    def __init__(self, length: int) -> None:
        self._length = length
        self._digits = len(str(length))

    def __contains__(self, text: str, /) -> bool:
        return len(text) <= self._digits and _is_index(text) and int(text) < self._length


class Tally:
    """What one ordered pass over the keys below an array has counted."""

    __slots__ = ("chunk_bytes", "chunks", "has_nodes", "stray_bytes", "strays")

    def __init__(self) -> None:
        self.chunks = 0
        self.chunk_bytes = 0
        self.strays = 0
        """Keys that are neither chunks inside the grid nor documents of the array."""
        self.stray_bytes = 0
        self.has_nodes = False
        """Whether documents of other nodes lie below the array."""


def count(entries: Iterable[Entry], prefix: str, grid: Grid | None) -> Tally:
    """Count the keys below an array, in flat memory."""
    tally = Tally()
    skip = len(prefix)
    for key, size in entries:
        rest = key[skip:]
        if grid is not None and grid.holds(rest):
            tally.chunks += 1
            tally.chunk_bytes += size
        elif not is_document(rest):
            tally.strays += 1
            tally.stray_bytes += size
        elif "/" in rest:
            tally.has_nodes = True
    return tally


def _is_index(text: str) -> bool:
    """Whether a text is a number as chunk keys write it: ASCII digits, no zeros before."""
    # More digits than that are no index of anything, and int() refuses them.
    if not text.isdecimal() or not text.isascii() or len(text) > 4000:
        return False
    return text[0] != "0" or text == "0"
