"""Many hits in the room of one: a count, the bytes, and the first few keys."""

from typing import Final

from zarrdb.keys import printable
from zarrdb.units import counted, size_text

_EXAMPLES: Final = 3


class Tally:
    """Keys that share a fault."""

    __slots__ = ("count", "keys", "size")

    def __init__(self) -> None:
        self.count = 0
        self.size = 0
        self.keys: list[str] = []

    def add(self, key: str, size: int) -> None:
        """One more."""
        self.count += 1
        self.size += size
        if len(self.keys) < _EXAMPLES:
            self.keys.append(key)

    def text(self, noun: str, *, sizes: bool = False) -> str:
        """`1,204 chunks`, with their bytes if wanted."""
        text = counted(self.count, noun)
        return f"{text} of {size_text(self.size)}" if sizes else text

    def examples(self, prefix: str = "") -> str:
        """`(c/9/0, c/9/1, …)`: the first keys, without a prefix that all have."""
        shown = [printable(key.removeprefix(prefix)) for key in self.keys]
        if self.count > len(shown):
            shown.append("…")
        return f"({', '.join(shown)})"


NOTHING: Final = Tally()
"""The tally of what did not occur."""
