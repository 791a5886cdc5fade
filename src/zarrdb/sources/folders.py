"""A walk over the files below a directory, in the order of their keys."""

import os
import stat
from bisect import bisect_right
from collections.abc import Generator, Iterable, Iterator
from typing import Final

from zarrdb.errors import SourceChangedError
from zarrdb.jsontext.text import has_lone_surrogate
from zarrdb.keys import Entry, Remark, printable
from zarrdb.sources.junk import is_junk_file, is_junk_folder
from zarrdb.sources.links import LinkRules, Links
from zarrdb.sources.regular import cannot_read, reason, what_is

# What SQLite puts beside a database that is being written.
_SIDECARS: Final = ("", "-journal", "-wal", "-shm")

_NO_NAMES: Final = frozenset({"", ".", ".."})

# Readable by everyone: no need to ask the system about each of a million files.
_READABLE: Final = stat.S_IRUSR | stat.S_IRGRP | stat.S_IROTH


class Folders:
    """The folders below a root. Names of folders end with a slash, as the keys in them do."""

    def __init__(
        self, root: str, *, links: Links, keep_junk: bool, exclude: Iterable[str | os.PathLike[str]]
    ) -> None:
        self.base = os.path.join(root, "")
        self.newest_ns: int | None = None
        self._label = printable(root)
        self._links = LinkRules(root, links)
        self._keep_junk = keep_junk
        self._excluded = frozenset(_keys_of(exclude, root))
        self._known_folder: str | None = None

    def may_hold(self, key: str) -> bool:
        """Whether a file at this key would be a part of the store."""
        folder, slash, name = key.rpartition("/")
        # Most keys lie where the one before lay.
        if slash and folder != self._known_folder:
            if not self._may_hold_below(folder):
                return False
            self._known_folder = folder
        if name in _NO_NAMES or (os.sep != "/" and any(c in name for c in "\\:")):
            return False
        if not self._keep_junk and is_junk_file(name):
            return False
        return key not in self._excluded and self._links.allows(key)

    def _may_hold_below(self, folder: str) -> bool:
        parts = folder.split("/")
        if not _NO_NAMES.isdisjoint(parts) or (os.sep != "/" and any(c in folder for c in "\\:")):
            return False
        return self._keep_junk or not any(map(is_junk_folder, parts))

    def is_folder(self, prefix: str) -> bool:
        """Whether there is a folder of this prefix that belongs to the store."""
        if not prefix:
            return True
        return self.may_hold(prefix[:-1]) and os.path.isdir(self.base + prefix)

    def walk(self, prefix: str, after: str | None) -> Iterator[Entry | Remark]:
        """Entries past `after` in order, and remarks where they come up.

        Raises SourceError for a root that cannot be read, SourceChangedError for what
        vanishes meanwhile.
        """
        if not self.is_folder(prefix):
            return
        levels = [(prefix, iter((yield from self._sorted(prefix, after))))]
        while levels:
            folder, names = levels[-1]
            name = next(names, None)
            if name is None:
                levels.pop()
            elif name.endswith("/"):
                inner = folder + name
                levels.append((inner, iter((yield from self._sorted(inner, after)))))
            else:
                yield self._file(folder + name)

    def names(self, prefix: str) -> Iterator[str | Remark]:
        """The names in a folder that belong to the store, in no order; remarks for others."""
        is_empty = bool(prefix)
        try:
            with os.scandir(self.base + prefix) as items:
                for item in items:
                    is_empty = False
                    if self._is_plain(item):
                        yield item.name
                    else:
                        yield from self._name(prefix, item)
        except (FileNotFoundError, NotADirectoryError) as error:
            raise SourceChangedError(
                f"{self._label}: {printable(prefix)} vanished while it was read"
            ) from error
        except OSError as error:
            if not prefix:
                raise cannot_read(self._label, error) from error
            is_empty = False
            yield Remark("unreadable-file", printable(prefix), reason(error))
        if is_empty:
            yield Remark("empty-directory", printable(prefix), "holds nothing")

    def holds_keys(self, prefix: str) -> bool:
        """Whether any key lies in a folder; looks no further than the first."""
        pending = [prefix]
        while pending:
            folder = pending.pop()
            for name in self.names(folder):
                if isinstance(name, Remark):
                    continue
                if not name.endswith("/"):
                    return True
                pending.append(folder + name)
        return False

    def _sorted(self, prefix: str, after: str | None) -> Generator[Remark, None, list[str]]:
        """The names in a folder whose keys come after one, in order; remarks are yielded."""
        names: list[str] = []
        for name in self.names(prefix):
            if isinstance(name, str):
                names.append(name)
            else:
                yield name
        names.sort()
        if after is None or after < prefix:
            return names
        if not after.startswith(prefix):
            return []
        rest = after[len(prefix) :]
        first = bisect_right(names, rest)
        # The folder that `after` lies in sorts before it and is not done yet.
        if first and names[first - 1].endswith("/") and rest.startswith(names[first - 1]):
            first -= 1
        return names[first:]

    def _is_plain(self, item: "os.DirEntry[str]") -> bool:
        """Whether it is a regular file of which nothing is to be said, as nearly all are."""
        name = item.name
        return (
            item.is_file(follow_symlinks=False)
            and name.isascii()
            and not is_junk_file(name)
            and not self._excluded
        )

    def _name(self, prefix: str, item: "os.DirEntry[str]") -> Iterator[str | Remark]:
        name, key = item.name, prefix + item.name
        if not name.isascii() and has_lone_surrogate(name):
            yield Remark("name-not-unicode", printable(key), "has a name that is no Unicode")
        elif key in self._excluded:
            return
        elif item.is_symlink():
            yield from self._link(key, name)
        elif item.is_dir(follow_symlinks=False):
            yield from self._member(key, name, is_folder=True)
        elif item.is_file(follow_symlinks=False):
            yield from self._member(key, name, is_folder=False)
        else:
            yield _special(key, item.stat(follow_symlinks=False).st_mode)

    def _member(self, key: str, name: str, *, is_folder: bool) -> Iterator[str | Remark]:
        if not self._keep_junk and (is_junk_folder if is_folder else is_junk_file)(name):
            yield Remark("junk", printable(key) + "/" * is_folder, "is left out")
        else:
            yield name + "/" * is_folder

    def _link(self, key: str, name: str) -> Iterator[str | Remark]:
        followed = self._links.follow(key)
        if isinstance(followed, Remark):
            yield followed
            return
        if followed.remark is not None:
            yield followed.remark
        yield from self._member(key, name, is_folder=followed.is_folder)

    def _file(self, key: str) -> Entry | Remark:
        path = self.base + key
        try:
            status = os.stat(path)
        except FileNotFoundError as error:
            raise SourceChangedError(
                f"{self._label}: {printable(key)} vanished while it was read"
            ) from error
        except OSError as error:
            return Remark("unreadable-file", printable(key), reason(error))
        mode = status.st_mode
        if not stat.S_ISREG(mode):
            return _special(key, mode)
        if mode & _READABLE != _READABLE and not os.access(path, os.R_OK):
            return Remark("unreadable-file", printable(key), "permission denied")
        if self.newest_ns is None or status.st_mtime_ns > self.newest_ns:
            self.newest_ns = status.st_mtime_ns
        return Entry(key, status.st_size)


def _special(key: str, mode: int) -> Remark:
    return Remark("special-file", printable(key), what_is(mode))


def _keys_of(paths: Iterable[str | os.PathLike[str]], root: str) -> Iterator[str]:
    """The keys that paths have below a root, with those of SQLite's files beside them."""
    base = os.path.join(os.path.realpath(root), "")
    for path in paths:
        folder, name = os.path.split(os.path.abspath(path))
        real = os.path.join(os.path.realpath(folder), name)
        if real.startswith(base):
            key = real[len(base) :].replace(os.sep, "/")
            yield from (key + suffix for suffix in _SIDECARS)
