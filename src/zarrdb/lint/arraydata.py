"""What decoding the chunks of one array has shown."""

from typing import TYPE_CHECKING

from zarrdb.lint.tally import Tally

if TYPE_CHECKING:
    from zarrdb.arrays.verify import Fault, Verifier


class ArrayData:
    """What decoding the chunks of one array has shown; complete when nothing is pending.

    Without a `verifier` nothing is decoded, and `obstacle` says why if that is worth telling.
    """

    def __init__(self, prefix: str, verifier: "Verifier | None", obstacle: str | None) -> None:
        self.prefix = prefix
        self.verifier = verifier
        self.obstacle = obstacle
        """Why its chunks are not decoded."""
        self.pending = 0
        self.undecodable = Tally()
        self.too_far = Tally()
        self.fault = ""
        """The first that was found."""

    def take(self, rest: str, size: int, fault: "Fault | None") -> None:
        """Take the outcome of one chunk."""
        self.pending -= 1
        if fault is not None:
            (self.too_far if fault.too_far else self.undecodable).add(rest, size)
            self.fault = self.fault or fault.message
