"""A directory store read as keys and values."""

import os
import stat
from collections.abc import Iterable, Iterator
from functools import partial

from zarrdb.errors import MissingError, NotAStoreError, NotFoundError
from zarrdb.keys import Child, Entry, Remark, clamp, printable
from zarrdb.sources.folders import Folders
from zarrdb.sources.links import Links
from zarrdb.sources.regular import RegularFile, read_sized, read_whole
from zarrdb.sources.remarks import RemarkLog


class DirectorySource:
    """The files below a directory as keys and values, for any number of threads.

    `links` decides about symbolic links: `follow` all, those that stay `inside`, or `refuse`
    any. What is left out is told by `remarks`. `exclude` are paths that are no part of the
    store although they lie in it, like the file that it is being imported to.
    Raises MissingError and NotAStoreError.
    """

    kind: str = "directory"

    def __init__(
        self,
        path: str | os.PathLike[str],
        *,
        links: Links = "follow",
        keep_junk: bool = False,
        exclude: Iterable[str | os.PathLike[str]] = (),
    ) -> None:
        self.path = os.fspath(path)
        self.name = printable(self.path)
        if not os.path.isdir(self.path):
            if os.path.lexists(self.path):
                raise NotAStoreError(f"{self.name} is no directory")
            raise MissingError(f"{self.name}: no such directory")
        self._folders = Folders(self.path, links=links, keep_junk=keep_junk, exclude=exclude)
        self._log = RemarkLog()
        self._follows_links = links == "follow"

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix` once, in code-point order of the whole key, past `after`.

        Holds the names of the directories on the way to the present key. Raises SourceError
        for a root that cannot be read, SourceChangedError for what vanishes meanwhile.
        """
        log = RemarkLog()
        for item in self._folders.walk(prefix, after):
            if isinstance(item, Entry):
                yield item
            else:
                log.add(item)
        if not prefix and after is None:
            log.complete = True
            self._log = log

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`, in code-point order, each once."""
        if not self._folders.is_folder(prefix):
            return
        names = [name for name in self._folders.names(prefix) if isinstance(name, str)]
        for name in sorted(names, key=lambda name: name.removesuffix("/")):
            if not name.endswith("/"):
                yield Child(name, is_key=True, is_prefix=False)
            elif self._folders.holds_keys(prefix + name):
                yield Child(name[:-1], is_key=False, is_prefix=True)

    def get(self, key: str) -> bytes | None:
        """The whole value, or None if there is no such key.

        Raises SourceError for a file that cannot be read, SourceChangedError for one that
        changes meanwhile.
        """
        if not self._folders.may_hold(key):
            return None
        return read_whole(self._folders.base + key, partial(self._label, key))

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given."""
        return ((key, self.get(key)) for key in keys)

    def get_listed(self, entries: Iterable[tuple[str, int]]) -> Iterator[tuple[str, bytes | None]]:
        """Values of keys that `entries` gave, with their sizes: in fewer system calls."""
        if not self._follows_links:
            yield from self.get_many([key for key, _ in entries])
            return
        for key, value in read_sized(self._folders.base, entries):
            # Whatever is not as it was listed is looked at more closely.
            yield key, self.get(key) if value is None else value

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a value, clamped to it; a negative offset counts from its end."""
        file = self._open(key)
        if file is None:
            return None
        with file:
            start, end = clamp(file.size, offset, length)
            return file.read(start, end - start)

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        """The value piece by piece, in flat memory.

        Raises NotFoundError, SourceError, and SourceChangedError before the end.
        """
        file = self._open(key)
        if file is None:
            raise NotFoundError(f"{self.name}: no key `{printable(key)}`")
        with file:
            for start in range(0, file.size, chunk_size):
                yield file.read(start, min(chunk_size, file.size - start))
            file.check_unchanged()

    def size(self, key: str) -> int | None:
        """Size of the value in bytes, or None if there is no such key; nothing is read."""
        if not self._folders.may_hold(key):
            return None
        try:
            status = os.stat(self._folders.base + key)
        except (OSError, ValueError):
            return None
        return status.st_size if stat.S_ISREG(status.st_mode) else None

    def remarks(self) -> Iterator[Remark]:
        """What does not fit and what was left out; walks again where there is much of it."""
        if self._log.is_whole:
            yield from self._log
        else:
            yield from (item for item in self._folders.walk("", None) if isinstance(item, Remark))

    def newest(self) -> int | None:
        """The newest modification time that `entries` has met, in seconds since 1970, UTC."""
        newest = self._folders.newest_ns
        return None if newest is None else newest // 10**9

    def close(self) -> None:
        """Nothing is held open."""

    def _open(self, key: str) -> RegularFile | None:
        if not self._folders.may_hold(key):
            return None
        return RegularFile.open(self._folders.base + key, self._label(key))

    def _label(self, key: str) -> str:
        return f"{self.name}: {printable(key)}"
