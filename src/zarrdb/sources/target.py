"""What an export writes to."""

from collections.abc import Iterable
from typing import Protocol


class Target(Protocol):
    """Receives keys and values in code-point order; nothing shows before `commit`.

    A context manager: left without `commit`, it leaves nothing behind.
    """

    def write(self, key: str, size: int, pieces: Iterable[bytes]) -> None:
        """Store a value of `size` bytes that comes in pieces. Raises TargetError, NoSpaceError."""
        ...

    def commit(self) -> None:
        """Make all of it appear under the final name."""
        ...

    def __enter__(self) -> "Target": ...

    def __exit__(self, *_: object) -> None: ...
