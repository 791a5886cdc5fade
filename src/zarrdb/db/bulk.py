"""A whole new `.zarrdb`, written front to back.

The layout is the one that reads best by ranges: schema and roots in the first pages, the
documents, the key index and what stands above the rows, then the other rows, each value's
pages consecutive. SQLite makes the empty file and writes the records at the end; between that
the pages are written here, on a file that nobody else knows yet. A key index too large to be
worth its place at the front is built by SQLite and stands at the end.
"""

import os
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from types import TracebackType
from typing import Final

import apsw

from zarrdb._version import __version__
from zarrdb.db import sql_bulk as sql
from zarrdb.db.failures import translate
from zarrdb.db.front import plan_front
from zarrdb.db.limits import require_page_size, require_room
from zarrdb.db.pagefile import Buffer, PageFile
from zarrdb.db.paths import LOCKLESS_VFS, file_uri
from zarrdb.db.private import raise_target_error, space_error
from zarrdb.db.rows import RowWriter
from zarrdb.db.sequential import mark_unchanged
from zarrdb.db.sorterfiles import SorterFiles
from zarrdb.db.standing import Standing
from zarrdb.errors import (
    CorruptError,
    NoSpaceError,
    SourceChangedError,
    TargetError,
    ZarrdbError,
)
from zarrdb.keys import printable
from zarrdb.spec import APPLICATION_ID, VERSION

STREAMED: Final = 4 << 20
"""Values from this size on are best handed over in pieces, so that memory stays flat."""

# Nobody else knows the file yet, and what is half written is thrown away.
_PRIVATE_PRAGMAS: Final[dict[str, int | str]] = {
    "locking_mode": "exclusive",
    "journal_mode": "off",
    "synchronous": "off",
    "cache_size": -8192,
}
_NEW_PRAGMAS: Final[dict[str, int | str]] = {
    "auto_vacuum": "none",
    "application_id": APPLICATION_ID,
}
# Of the database in memory: its pages are the units of the sorter, its cache the sorter's memory.
_SORTER_PRAGMAS: Final[dict[str, int | str]] = {"page_size": 65536, "cache_size": -16384}

_FLAGS: Final = apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI

_OPEN_FLAGS: Final = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)

_KEY_INDEX: Final = "sqlite_autoindex_zarr_1"

_RECORD_HEADER: Final = 30  # bytes, at most: a length and two types

SQLITE_VERSION: Final = apsw.sqlite_lib_version()


class BulkWriter:
    """Writes rows into an empty private file; used by one thread; a context manager.

    `name` is what messages call it. `temp_dir` is where SQLite's sorter puts what does not
    fit in memory. `rows` are the keys and sizes that will come, in that order, documents
    first: with them, and if they are not too many, the key index stands after the documents.
    `standing` is where a writer of the same rows stopped whose file this is, else it is empty.
    Raises NoSpaceError, TargetError, ValueTooLargeError.
    """

    def __init__(
        self,
        path: str,
        *,
        page_size: int,
        name: str | None = None,
        temp_dir: str | None = None,
        rows: Iterable[tuple[str, int]] | None = None,
        standing: Standing | None = None,
    ) -> None:
        require_page_size(page_size)
        self.path = path
        self.name = name or path
        self._temp_dir = temp_dir or os.path.dirname(path)
        empty, roots, self._limit = empty_file(page_size)
        self._root = roots["zarr"]
        index = roots[_KEY_INDEX]
        self._descriptor: int | None = os.open(path, _OPEN_FLAGS, 0o666)
        try:
            self._begin(empty, page_size, index, standing)
        except OSError as error:
            os.close(self._descriptor)
            raise_target_error(error, self.name)
        pages = len(empty) // page_size if standing is None else standing.pages
        self._file = PageFile(self._descriptor, page_size=page_size, pages=pages)
        self._rows = RowWriter(self._file)
        self._front = None if rows is None else plan_front(rows, self._file, index)
        if standing is not None:
            self._rows.go_on(standing)
            if self._front is not None:
                self._front.go_on(standing)

    def _begin(self, empty: bytes, page_size: int, index: int, standing: Standing | None) -> None:
        """Write the first pages anew, and drop what was written after the standing."""
        file = self._open()
        kept = standing is not None and standing.places is not None
        # An index at the front is all that another writer may have put among those pages.
        cut = (index - 1) * page_size if kept else len(empty)
        for start, stop in ((0, cut), (cut + page_size, len(empty))):
            if start < stop:
                os.lseek(file, start, os.SEEK_SET)
                os.write(file, empty[start:stop])
        os.ftruncate(file, len(empty) if standing is None else standing.pages * page_size)

    def settle(self) -> Standing:
        """Have all rows so far on the disk; where another writer can go on from."""
        descriptor, front = self._open(), self._front
        try:
            self._file.settle()
            (os.fdatasync if hasattr(os, "fdatasync") else os.fsync)(descriptor)
        except OSError as error:
            raise_target_error(error, self.name)
        places = tuple(front.places) if front is not None and front.is_written else None
        return self._rows.standing()._replace(pages=self._file.next - 1, places=places)

    def put_many(self, items: Iterable[tuple[str, Buffer]]) -> None:
        """Append rows; each value is in memory as a whole."""
        put, front = self._rows.put, self._front
        limit = self._limit - _RECORD_HEADER
        try:
            for key, value in items:
                encoded = key.encode()
                if len(encoded) + len(value) > limit:
                    self.require_room(key, len(value))
                if front is not None:
                    front.before(encoded)
                put(encoded, value)
        except OSError as error:
            raise_target_error(error, self.name)

    def put_pieces(self, key: str, size: int, pieces: Iterable[Buffer]) -> None:
        """Append one row whose value of `size` bytes comes in pieces, in flat memory.

        Raises SourceChangedError where they are not that many bytes.
        """
        self.require_room(key, size)
        encoded = key.encode()
        try:
            if self._front is not None:
                self._front.before(encoded)
            self._rows.put_pieces(encoded, size, _counted(key, size, pieces))
        except OSError as error:
            raise_target_error(error, self.name)

    def require_room(self, key: str, size: int) -> None:
        """Raise ValueTooLargeError unless a row can hold the key and its value."""
        require_room(key, size, self._limit)

    def finish(self, records: Mapping[str, str]) -> None:
        """Write the records, build the key index, and close; all of it is handed to the system.

        The required records and `created_by` are added where they are missing.
        """
        front = self._front
        try:
            if front is not None:
                front.write()
            self._rows.finish(self._root, () if front is None else front.places)
            self._file.finish()
        except OSError as error:
            raise_target_error(error, self.name)
        self.close()
        with self._connected() as connection:
            connection.execute("BEGIN").fetchall()
            connection.executemany(sql.PUT_RECORD, all_records(records).items())
            if front is None:
                connection.execute(sql.BUILD_KEY_INDEX).fetchall()
            connection.execute("COMMIT").fetchall()
        try:
            mark_unchanged(self.path)
        except OSError as error:
            raise_target_error(error, self.name)

    def close(self) -> None:
        """Let go of the file; before `finish` it is of no use. A second call does nothing."""
        if self._descriptor is not None:
            self._file.abandon()
            os.close(self._descriptor)
            self._descriptor = None

    def _open(self) -> int:
        """The descriptor of the file."""
        if self._descriptor is None:
            raise TargetError(f"{printable(self.name)}: already finished")
        return self._descriptor

    @contextmanager
    def _connected(self) -> Iterator[apsw.Connection]:
        """A connection in which the file is attached as `new`; its errors become ours."""
        files = SorterFiles(self._temp_dir)
        connection = apsw.Connection(":memory:", flags=_FLAGS, vfs=files.name)
        try:
            for pragma, value in _SORTER_PRAGMAS.items():
                connection.pragma(pragma, value)
            connection.execute(sql.ATTACH_NEW, (file_uri(self.path, vfs=LOCKLESS_VFS),)).fetchall()
            for pragma, value in _PRIVATE_PRAGMAS.items():
                connection.pragma(pragma, value, schema="new")
            yield connection
        except apsw.ConstraintError as error:
            raise CorruptError(f"{printable(self.name)}: a key would be in it twice") from error
        except apsw.Error as error:
            raise self._failure(error, connection.system_errno) from error
        finally:
            connection.close(True)
            files.unregister()

    def _failure(self, error: apsw.Error, number: int) -> ZarrdbError:
        found = translate(error, printable(self.name), number=number)
        if isinstance(found, NoSpaceError):
            return space_error(number, self.name) or found
        return found

    def __enter__(self) -> "BulkWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


def all_records(records: Mapping[str, str]) -> dict[str, str]:
    """The records of a file: these, and the required ones that are missing."""
    return {
        "sqlitestore_version": VERSION,
        "compatible_flags": "",
        "incompatible_flags": "",
        "created_by": f"zarrdb {__version__}",
        **records,
    }


def empty_file(page_size: int) -> tuple[bytes, dict[str, int], int]:
    """A file without rows, the root page of each table and index, and the limit on a record."""
    connection = apsw.Connection(":memory:")
    try:
        connection.execute(sql.ATTACH_NEW, (":memory:",)).fetchall()
        connection.pragma("page_size", page_size, schema="new")
        for pragma, value in _NEW_PRAGMAS.items():
            connection.pragma(pragma, value, schema="new")
        for statement in sql.CREATE:
            connection.execute(statement).fetchall()
        roots = dict(connection.execute(sql.ROOTS))
        limit = connection.limit(apsw.SQLITE_LIMIT_LENGTH)
        return connection.serialize("new"), roots, limit
    finally:
        connection.close(True)


def _counted(key: str, size: int, pieces: Iterable[Buffer]) -> Iterator[Buffer]:
    seen = 0
    for piece in pieces:
        seen += len(piece)
        if seen > size:
            raise _changed(key, size)
        yield piece
    if seen != size:
        raise _changed(key, size)


def _changed(key: str, size: int) -> SourceChangedError:
    return SourceChangedError(
        f"{printable(key)}: changed while it was read (it had {size:,} bytes)",
        hint="try again when nobody writes to it",
    )
