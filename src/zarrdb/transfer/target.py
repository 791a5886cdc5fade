"""The ends that a copy can write to."""

import errno
import os
import stat
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack
from typing import Protocol

from zarrdb.db.bulk import BulkWriter
from zarrdb.db.database import Database
from zarrdb.db.exclusive import FileState, replace, require_replaceable
from zarrdb.db.paths import sqlite_path
from zarrdb.db.private import PrivateFile, raise_target_error
from zarrdb.db.standing import Standing
from zarrdb.errors import NoSpaceError, TargetExistsError
from zarrdb.keys import Entry, KeySource, printable
from zarrdb.layout import Plan
from zarrdb.sources.target import Target
from zarrdb.units import size_text


class Sink(Protocol):
    """What a copy writes to; a context manager that leaves nothing unless it was published."""

    name: str
    """What to call it in messages."""
    readable_before: bool
    """Whether it can be read back before it is published, or only then."""

    def put_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        """Store values that are in memory."""
        ...

    def put_pieces(self, key: str, size: int, pieces: Iterable[bytes]) -> None:
        """Store a value of `size` bytes that comes in pieces."""
        ...

    def finish(self) -> None:
        """Nothing more comes; everything is on the disk."""
        ...

    def read_back(self) -> KeySource:
        """What was written, to compare it."""
        ...

    def publish(self) -> None:
        """Give it its name."""
        ...

    def __enter__(self) -> "Sink": ...

    def __exit__(self, *_: object) -> None: ...


class FileSink:
    """A new `.zarrdb`: a private file that takes the target's name once it is complete.

    `file` and `standing` are one that another sink has begun, and how far.
    """

    readable_before = True

    def __init__(
        self,
        path: str,
        *,
        page_size: int,
        records: Mapping[str, str],
        temp_dir: str | None,
        timeout: float,
        rows: Iterable[tuple[str, int]],
        largest: Entry | None = None,
        unchanged_since: FileState | None = None,
        file: PrivateFile | None = None,
        standing: Standing | None = None,
    ) -> None:
        self.name = path
        self._timeout = timeout
        self._unchanged_since = unchanged_since
        self._records = records
        self._file = file or PrivateFile(path, directory=temp_dir)
        with ExitStack() as failed:
            if file is None:
                failed.callback(self._file.remove)
            self._writer = BulkWriter(
                self._file.path,
                name=path,
                page_size=page_size,
                temp_dir=temp_dir,
                rows=rows,
                standing=standing,
            )
            failed.callback(self._writer.close)
            if largest is not None:
                self._writer.require_room(*largest)
            failed.pop_all()
        self.put_many = self._writer.put_many
        self.put_pieces = self._writer.put_pieces

    def finish(self) -> None:
        """Build the key index, and have the file on the disk."""
        self._writer.finish(self._records)
        self._file.sync()

    def read_back(self) -> KeySource:
        """The private file, read from the disk where the system allows it."""
        self._file.forget_cache()
        return Database.open(self._file.path)

    @property
    def private_path(self) -> str:
        """Where the file is until it is published."""
        return self._file.path

    def publish(self) -> None:
        """Rename it to the target, whose users are kept out meanwhile."""
        replace(self._file, timeout=self._timeout, unchanged_since=self._unchanged_since)

    def __enter__(self) -> "FileSink":
        return self

    def __exit__(self, *_: object) -> None:
        self._writer.close()
        self._file.remove()


class ExportSink:
    """A directory, zip or tar; `reopen` opens what was published."""

    readable_before = False

    def __init__(self, target: Target, name: str, reopen: Callable[[], KeySource]) -> None:
        self.name = name
        self._target = target
        self._reopen = reopen

    def put_many(self, items: Sequence[tuple[str, bytes]]) -> None:
        """Store values that are in memory."""
        write = self._target.write
        for key, value in items:
            write(key, len(value), (value,))

    def put_pieces(self, key: str, size: int, pieces: Iterable[bytes]) -> None:
        """Store a value of `size` bytes that comes in pieces."""
        self._target.write(key, size, pieces)

    def finish(self) -> None:
        """Nothing: a target completes itself when it is committed."""

    def read_back(self) -> KeySource:
        """What was published."""
        return self._reopen()

    def publish(self) -> None:
        """Give it its name."""
        self._target.commit()

    def __enter__(self) -> "ExportSink":
        self._target.__enter__()
        return self

    def __exit__(self, *details: object) -> None:
        self._target.__exit__(*details)


def require_free_path(path: str, *, overwrite: bool, timeout: float) -> None:
    """Refuse a path where something stands, unless it is a store to be replaced.

    An empty file counts as nothing. Raises TargetExistsError, NotAStoreError, JournalError,
    LockedError.
    """
    real = os.path.realpath(path)
    sqlite_path(real, printable(path))
    if not os.path.lexists(real):
        return
    if os.path.isdir(real):
        raise TargetExistsError(
            f"{printable(path)}: is a directory",
            hint="name a file in it",
        )
    if overwrite:
        require_replaceable(path, timeout=timeout)
    elif not os.path.isfile(real) or os.path.getsize(real):
        raise TargetExistsError(
            f"{printable(path)}: exists already",
            hint="--overwrite replaces it, --skip-existing goes on without it",
        )


def require_folder(path: str, *, to_be_made: bool = False) -> str:
    """The directory that a target goes to. Raises TargetError, ReadOnlyError.

    `to_be_made` says that it will be made where it is missing: then the nearest one above it
    that is there.
    """
    folder = os.path.dirname(os.path.realpath(path))
    while to_be_made and not os.path.lexists(folder):
        folder = os.path.dirname(folder)
    try:
        if not stat.S_ISDIR(os.stat(folder).st_mode):
            raise NotADirectoryError(errno.ENOTDIR, os.strerror(errno.ENOTDIR))
        if not os.access(folder, os.W_OK | os.X_OK):
            raise PermissionError(errno.EACCES, os.strerror(errno.EACCES))
    except OSError as error:
        raise_target_error(error, path)
    return folder


def require_space(folder: str, needed: int, name: str) -> None:
    """Refuse to begin on a target that cannot fit into a directory. Raises NoSpaceError."""
    free = free_space(folder)
    if free is not None and needed > free:
        raise NoSpaceError(
            f"{printable(name)}: {size_text(needed)} are needed and {size_text(free)} are free"
            f" in {printable(folder)}; nothing was written",
            hint="-o elsewhere, or --temp-dir on another file system",
        )


def free_space(path: str) -> int | None:
    """Bytes that this user can still write to the file system of a directory, if known."""
    try:
        if hasattr(os, "statvfs"):
            found = os.statvfs(path or ".")
            return found.f_bavail * found.f_frsize
        from shutil import disk_usage

        return disk_usage(path or ".").free
    except OSError:
        return None


def space_for_file(plan: Plan, page_size: int) -> int:
    """Bytes that a `.zarrdb` of a plan takes, with some room: a hundredth and a megabyte."""
    size = plan.sizes.file_size(page_size)
    return size + size // 100 + (1 << 20)
