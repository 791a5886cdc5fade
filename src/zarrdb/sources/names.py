"""Which keys a target can hold, found out before anything is written."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple


class Misfit(NamedTuple):
    """A key that a target cannot hold, and why (`is also a prefix of other keys` …)."""

    key: str
    reason: str


def misfits(
    keys: Iterable[str], kind: str, path: str = "", *, portable: bool = False
) -> Iterator[Misfit]:
    """The keys, in code-point order, that a target of a kind cannot hold.

    `kind` is `directory`, `zip` or `tar`; for a directory `path` is where it will be: limits
    and case sensitivity are those of that file system. `portable` adds what Windows and macOS
    cannot hold.
    """
    raise NotImplementedError
