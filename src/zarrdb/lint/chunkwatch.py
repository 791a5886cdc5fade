"""The watch over the keys below one array."""

from zarrdb.lint.arrayfacts import ArrayFacts
from zarrdb.lint.grid import is_chunk_like
from zarrdb.lint.tally import Tally


class BlindWatch:
    """Stands in where the document does not tell what the keys below should be."""

    __slots__ = ("path",)

    def __init__(self, path: str) -> None:
        self.path = path

    def see(self, rest: str, size: int) -> None:
        """Take one key, and make nothing of it."""


class ChunkWatch:
    """Sorts the keys below an array by what they are; keys come without the array's path."""

    __slots__ = (
        "_extent",
        "_match",
        "_others",
        "empty",
        "facts",
        "found",
        "other_layout",
        "outside",
        "path",
        "present",
        "stray",
    )

    def __init__(self, path: str, facts: ArrayFacts, found: frozenset[str]) -> None:
        self.path = path
        self.facts = facts
        self.found = found
        self._match = facts.layout.matcher
        self._others = tuple(layout.matcher for layout in facts.layout.others())
        self._extent = facts.extent
        self.present = Tally()
        self.outside = Tally()
        self.other_layout = Tally()
        self.stray = Tally()
        self.empty = Tally()

    def see(self, rest: str, size: int) -> None:
        """Take one key."""
        match = self._match(rest)
        if match is None:
            self._see_other(rest, size)
            return
        for index, length in zip(match.groups(), self._extent, strict=True):
            if int(index) >= length:
                self.outside.add(rest, size)
                return
        self.present.add(rest, size)
        if not size:
            self.empty.add(rest, size)

    def _see_other(self, rest: str, size: int) -> None:
        if not is_chunk_like(rest):
            self.stray.add(rest, size)
            return
        for match in (matcher(rest) for matcher in self._others):
            if match is not None and all(
                int(index) < length
                for index, length in zip(match.groups(), self._extent, strict=True)
            ):
                self.other_layout.add(rest, size)
                return
        self.outside.add(rest, size)


def array_watch(
    path: str, facts: ArrayFacts | None, found: frozenset[str]
) -> ChunkWatch | BlindWatch:
    """The watch over an array with these facts, whose documents these rules found fault with."""
    return BlindWatch(path) if facts is None else ChunkWatch(path, facts, found)
