"""Remarks that come up in a pass over a source, kept as long as they are few."""

from collections.abc import Iterator
from typing import Final

from zarrdb.keys import Remark

# A store that crossed a Mac has a `._` file for every chunk: those are walked for again.
_KEPT: Final = 10_000


class RemarkLog:
    """The remarks of one pass; `complete` once that pass has come to its end."""

    __slots__ = ("_remarks", "complete", "count")

    def __init__(self) -> None:
        self._remarks: list[Remark] = []
        self.complete = False
        self.count = 0

    def add(self, remark: Remark) -> None:
        """Keep a remark, if there are not too many yet."""
        self.count += 1
        if self.count <= _KEPT:
            self._remarks.append(remark)

    @property
    def is_whole(self) -> bool:
        """Whether these are all remarks that there are."""
        return self.complete and self.count == len(self._remarks)

    def __iter__(self) -> Iterator[Remark]:
        return iter(self._remarks)
