"""A directory store: files below a directory, and back."""

import os
from collections.abc import Iterable, Iterator
from typing import Literal

from zarrdb.keys import Child, Entry, Remark

Links = Literal["follow", "inside", "refuse"]


class DirectorySource:
    """The files below a directory as keys and values, for any number of threads.

    `links` decides about symbolic links: `follow` all, those that stay `inside`, or `refuse`
    any. What is left out is told by `remarks`. `exclude` are paths that are not part of it.
    """

    kind: str = "directory"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        links: Links = "follow",
        keep_junk: bool = False,
        exclude: Iterable[str] = (),
    ) -> None:
        self.path = os.fspath(path)
        self.name = self.path

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix` once, in code-point order of the whole key, past `after`."""
        raise NotImplementedError

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`, in code-point order, each once."""
        raise NotImplementedError

    def get(self, key: str) -> bytes | None:
        """The whole value, or None. Raises SourceError, SourceChangedError."""
        raise NotImplementedError

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given."""
        return ((key, self.get(key)) for key in keys)

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a value, clamped to it; a negative offset counts from its end."""
        raise NotImplementedError

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        """A value piece by piece, in flat memory. Raises NotFoundError, SourceChangedError."""
        raise NotImplementedError

    def size(self, key: str) -> int | None:
        """Size of the value in bytes, or None if there is no such key."""
        raise NotImplementedError

    def remarks(self) -> Iterator[Remark]:
        """What does not fit, and what was left out."""
        raise NotImplementedError

    def newest(self) -> int | None:
        """The newest modification time of its files, in seconds since 1970 UTC."""
        raise NotImplementedError

    def close(self) -> None:
        """Nothing is held open."""


class DirectoryTarget:
    """A directory store being written: into a private sibling that is renamed at the end.

    `replace` lets it take the place of an existing directory. Raises TargetExistsError.
    """

    def __init__(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        self.path = os.fspath(path)

    def write(self, key: str, size: int, pieces: Iterable[bytes]) -> None:
        """Store a value of `size` bytes that comes in pieces; from any thread."""
        raise NotImplementedError

    def commit(self) -> None:
        """Rename into place."""
        raise NotImplementedError

    def __enter__(self) -> "DirectoryTarget":
        return self

    def __exit__(self, *_: object) -> None:
        raise NotImplementedError
