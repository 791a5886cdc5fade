"""Which key of an array is which chunk: the grammar of chunk keys, and the grid's extent."""

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Literal, NamedTuple

Encoding = Literal["default", "v2"]

Match = Callable[[str], re.Match[str] | None]

_CHUNK_LIKE: Match = re.compile(r"(?:c(?=[/.]|$)[/.]?)?(?:-?[0-9]+(?:[/.]-?[0-9]+)*)?").fullmatch


class Layout(NamedTuple):
    """How an array's document says that its chunk keys are written."""

    encoding: Encoding
    """`default` is `c/0/0`, `v2` is `0/0`."""
    separator: str
    rank: int

    @property
    def matcher(self) -> Match:
        """The canonical keys of this layout; each index is a group."""
        return _matcher(self)

    def others(self) -> tuple["Layout", ...]:
        """The other layouts whose keys are not also keys of this one."""
        found: list[Layout] = []
        for encoding in ("default", "v2"):
            for separator in "/.":
                other = Layout(encoding, separator, self.rank)
                if other.example != self.example:
                    found.append(other)
        return tuple(found)

    @property
    def example(self) -> str:
        """The key of the first chunk."""
        indexes = ["0"] * self.rank
        if self.encoding == "default":
            return self.separator.join(["c", *indexes])
        return self.separator.join(indexes) or "0"


def is_chunk_like(rest: str) -> bool:
    """Whether a key, without its array's path, looks like that of a chunk in any layout."""
    return bool(rest) and _CHUNK_LIKE(rest) is not None


def extent(shape: Sequence[int], chunks: Sequence[int]) -> tuple[int, ...]:
    """Chunks along each axis of a regular grid."""
    return tuple(
        -(-size // chunk) if chunk else 0 for size, chunk in zip(shape, chunks, strict=True)
    )


@lru_cache(maxsize=256)
def _matcher(layout: Layout) -> Match:
    separator = re.escape(layout.separator)
    indexes = separator.join(["(0|[1-9][0-9]*)"] * layout.rank)
    if layout.encoding == "default":
        pattern = f"c{separator}{indexes}" if indexes else "c"
    else:
        pattern = indexes or "0"
    return re.compile(pattern).fullmatch
