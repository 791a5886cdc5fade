"""A store written as a directory."""

import os
import re
import stat
from collections.abc import Iterable
from contextlib import suppress
from secrets import token_hex
from shutil import rmtree
from typing import Final

from zarrdb import unfinished
from zarrdb.db.private import raise_target_error, sync_directory
from zarrdb.errors import TargetError, TargetExistsError
from zarrdb.keys import printable
from zarrdb.sources.names import name_fault
from zarrdb.sources.target import wrong_size

_FLAGS: Final = (
    os.O_WRONLY
    | os.O_CREAT
    | os.O_EXCL
    | getattr(os, "O_CLOEXEC", 0)
    | getattr(os, "O_NOFOLLOW", 0)
    | getattr(os, "O_BINARY", 0)
)
_NAME_ROOM: Final = 200


class DirectoryTarget:
    """A directory store being written: in a private sibling that takes its place at the end.

    An empty directory is nothing; `replace` takes the place of any other. No key is written
    outside, none over another. Raises TargetExistsError, TargetError, ReadOnlyError,
    NoSpaceError.
    """

    def __init__(self, path: str | os.PathLike[str], *, replace: bool = False) -> None:
        self.name = printable(os.fspath(path))
        self._path = os.path.realpath(path)
        self._replace = replace
        require_free(path, replace=replace)
        self._remove_leftovers()
        self._private = self._sibling("tmp")
        unfinished.note(self._private)
        try:
            os.mkdir(self._private)
        except OSError as error:
            unfinished.settled(self._private)
            raise_target_error(error, self.name)
        self._lock = lock_folder(self._private)
        self._base = os.path.join(self._private, "")
        self._folder = ""
        self._committed = False

    def write(self, key: str, size: int, pieces: Iterable[bytes]) -> None:
        """Write a file. Raises TargetError for a key that no file can have."""
        fault = name_fault(key)
        if fault is not None:
            raise TargetError(f"{self.name}: the key {printable(key)} {fault}")
        folder = key.rpartition("/")[0]
        written = 0
        try:
            if folder != self._folder:
                os.makedirs(self._base + folder, exist_ok=True)
                self._folder = folder
            descriptor = os.open(self._base + key, _FLAGS, 0o666)
            try:
                for piece in pieces:
                    written += _write_all(descriptor, piece)
            finally:
                os.close(descriptor)
        except (FileExistsError, NotADirectoryError, IsADirectoryError) as error:
            raise TargetError(
                f"{self.name}: {printable(key)} and another key are one file name here"
            ) from error
        except OSError as error:
            raise_target_error(error, self.name)
        if written != size:
            raise wrong_size(self.name, key)

    def commit(self) -> None:
        """Rename it into place, over what `replace` allows."""
        aside: str | None = None
        try:
            require_free(self._path, replace=self._replace, name=self.name)
            if os.path.lexists(self._path):
                self._take_after(self._path)
                aside = self._sibling("old")
                os.rename(self._path, aside)
                unfinished.note(aside)
            os.rename(self._private, self._path)
        except BaseException as error:
            if aside is not None and not os.path.lexists(self._path):
                unfinished.settled(aside)
                with suppress(OSError):
                    os.rename(aside, self._path)
            if isinstance(error, OSError):
                raise_target_error(error, self.name)
            raise
        self._committed = True
        unfinished.settled(self._private)
        sync_directory(os.path.dirname(self._path))
        if aside is not None:
            rmtree(aside, ignore_errors=True)
            unfinished.settled(aside)

    def __enter__(self) -> "DirectoryTarget":
        return self

    def __exit__(self, *_: object) -> None:
        if not self._committed:
            rmtree(self._private, ignore_errors=True)
            unfinished.settled(self._private)
        if self._lock is not None:
            os.close(self._lock)

    def _remove_leftovers(self) -> None:
        """Delete the private directories of earlier runs for this target that were killed."""
        parent, prefix = os.path.split(self._prefix())
        ours = re.compile(re.escape(prefix) + r"[0-9]+-[0-9a-f]{8}\.tmp").fullmatch
        with suppress(OSError), os.scandir(parent) as found:
            for item in found:
                if not ours(item.name) or not item.is_dir(follow_symlinks=False):
                    continue
                lock = lock_folder(item.path)
                if lock is not None:
                    rmtree(item.path, ignore_errors=True)
                    os.close(lock)

    def _sibling(self, suffix: str) -> str:
        return f"{self._prefix()}{os.getpid()}-{token_hex(4)}.{suffix}"

    def _prefix(self) -> str:
        parent, name = os.path.split(self._path)
        return os.path.join(parent, f".{os.fsdecode(os.fsencode(name)[:_NAME_ROOM])}.")

    def _take_after(self, path: str) -> None:
        """Keep mode and owner of the directory that is replaced, where the system allows it."""
        found = os.stat(path)
        with suppress(OSError, AttributeError):
            os.chown(self._private, found.st_uid, found.st_gid)
        with suppress(OSError):
            os.chmod(self._private, stat.S_IMODE(found.st_mode))


def require_free(path: str | os.PathLike[str], *, replace: bool, name: str = "") -> None:
    """Refuse a path where something stands that is not to be replaced: an empty directory is
    nothing. Raises TargetExistsError, TargetError."""
    real = os.path.realpath(path)
    name = name or printable(os.fspath(path))
    try:
        if not stat.S_ISDIR(os.lstat(real).st_mode):
            raise TargetExistsError(f"{name}: exists, and is no directory")
        if not replace and os.listdir(real):
            raise TargetExistsError(
                f"{name}: exists, and is not empty", hint="--overwrite replaces a store"
            )
    except FileNotFoundError:
        return
    except OSError as error:
        raise_target_error(error, name)


def lock_folder(path: str) -> int | None:
    """Hold a directory, as far as the system has locks; None if another process does."""
    try:
        import fcntl
    except ImportError:
        return None
    with suppress(OSError):
        descriptor = os.open(path, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(descriptor)
            return None
        return descriptor
    return None


def _write_all(descriptor: int, data: bytes) -> int:
    written = os.write(descriptor, data)
    while written < len(data):
        written += os.write(descriptor, memoryview(data)[written:])
    return written
