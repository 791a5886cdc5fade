"""A whole new `.zarrdb`, written front to back.

The layout is the one that reads best by ranges: schema and roots in the first pages, then
the rows in the order given, each value's pages consecutive, and the key index in one piece:
after the documents where its size is known beforehand, at the end otherwise.
SQLite writes it; only that the key index is built at the end instead of row by row is done
behind its back, on a file that nobody else knows yet.
"""

import os
from collections.abc import Iterable, Mapping
from itertools import count
from types import TracebackType
from typing import Final
from urllib.parse import quote

import apsw

from zarrdb._version import __version__
from zarrdb.db import sql_bulk as sql
from zarrdb.db.failures import translate
from zarrdb.db.key_index import reserved_size
from zarrdb.db.private import space_error
from zarrdb.errors import (
    NoSpaceError,
    SourceChangedError,
    UsageError,
    ValueTooLargeError,
    ZarrdbError,
)
from zarrdb.keys import is_document, printable
from zarrdb.spec import APPLICATION_ID, VERSION

Buffer = bytes | bytearray | memoryview

STREAMED: Final = 8 << 20
"""Values from this size on go in piece by piece. SQLite copies a bound value twice, so up to
here that is 24 MiB; piece by piece its pages are written twice, which is slower (1 MiB: 1.4x).
"""

PAGE_SIZES: Final = (512, 1024, 2048, 4096, 8192, 16384, 32768, 65536)

# Nobody else knows the file yet, and what is half written is thrown away.
_PRIVATE_PRAGMAS: Final[dict[str, int | str]] = {
    "auto_vacuum": "none",
    "locking_mode": "exclusive",
    "journal_mode": "off",
    "synchronous": "off",
    "cache_size": -8192,
    "application_id": APPLICATION_ID,
}
# Of the database in memory: its pages are the units of the sorter, its cache the sorter's memory.
_SORTER_PRAGMAS: Final[dict[str, int | str]] = {"page_size": 65536, "cache_size": -16384}

LOCKLESS_VFS: Final = "win32-none" if os.name == "nt" else "unix-none"

_names: Final = count()


class BulkWriter:
    """Writes rows into an empty private file; used by one thread; a context manager.

    `name` is what messages call it. `temp_dir` is where SQLite's sorter puts what does not fit
    in memory. `key_index_pages` is how many pages to leave for the key index between the
    documents, which come first, and the other rows (`db.key_index`). Raises NoSpaceError,
    TargetError, ValueTooLargeError.
    """

    def __init__(
        self,
        path: str,
        *,
        page_size: int,
        name: str | None = None,
        temp_dir: str | None = None,
        key_index_pages: int = 0,
    ) -> None:
        if page_size not in PAGE_SIZES:
            raise UsageError(
                f"page size {page_size}: not possible",
                hint="a power of two from 512 to 65536",
            )
        self.path = path
        self.name = name or path
        self._page_size = page_size
        self._reserve = key_index_pages
        self._sorter_files = SorterFiles(temp_dir or os.path.dirname(path))
        self._connection = apsw.Connection(
            ":memory:",
            flags=apsw.SQLITE_OPEN_READWRITE | apsw.SQLITE_OPEN_CREATE | apsw.SQLITE_OPEN_URI,
            vfs=self._sorter_files.name,
        )
        try:
            self._set_up(page_size)
        except BaseException as error:
            self.close()
            if isinstance(error, apsw.Error):
                raise self.failure(error) from error
            raise

    def _set_up(self, page_size: int) -> None:
        for name, value in _SORTER_PRAGMAS.items():
            self._connection.pragma(name, value)
        self._run(sql.ATTACH_NEW, (file_uri(self.path, vfs=LOCKLESS_VFS),))
        self._connection.pragma("page_size", page_size, schema="new")
        for name, value in _PRIVATE_PRAGMAS.items():
            self._connection.pragma(name, value, schema="new")
        for statement in sql.CREATE:
            self._run(statement)
        self._connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
        self._index_root = self._connection.execute(sql.KEY_INDEX_ROOT).get
        self._change_schema((sql.HIDE_KEY_INDEX, ()), (sql.HIDE_KEY, ()))
        self._run("BEGIN")

    @property
    def connection(self) -> apsw.Connection:
        """The connection in which the file is attached as `new`."""
        return self._connection

    def put_many(self, items: Iterable[tuple[str, Buffer]]) -> None:
        """Append rows; each value is in memory as a whole."""
        rows = iter(items)
        try:
            if self._reserve:
                for item in rows:
                    self._keep_room(item[0])
                    self._run(sql.INSERT, item)
                    if not self._reserve:
                        break
            self._connection.executemany(sql.INSERT, rows)
        except apsw.Error as error:
            raise self.failure(error) from error

    def _keep_room(self, key: str) -> None:
        """Before the first row that is no document: leave the pages of the key index free."""
        if self._reserve and not is_document(key):
            self._run(sql.CREATE_RESERVED)
            # One page is the root of the table that holds the room.
            if self._reserve > 1:
                size = reserved_size(self._reserve - 1, self._page_size)
                self._run(sql.FILL_RESERVED, (size,))
            self._reserve = 0

    def put_pieces(self, key: str, size: int, pieces: Iterable[Buffer]) -> None:
        """Append one row whose value of `size` bytes comes in pieces, in flat memory."""
        self.require_room(key, size)
        try:
            self._keep_room(key)
            self._run(sql.INSERT_ZEROS, (key, size))
            rowid = self._connection.last_insert_rowid()
            with self._connection.blob_open("new", "zarr", "v", rowid, True) as blob:
                offset = 0
                for piece in pieces:
                    if offset + len(piece) > size:
                        raise _changed(key, size)
                    blob.write(piece)
                    offset += len(piece)
            if offset != size:
                raise _changed(key, size)
        except apsw.Error as error:
            raise self.failure(error) from error

    def require_room(self, key: str, size: int) -> None:
        """Raise ValueTooLargeError unless a row can hold the key and its value."""
        limit = self._connection.limit(apsw.SQLITE_LIMIT_LENGTH)
        if record_size(key, size) > limit:
            raise ValueTooLargeError(
                f"{printable(key)}: {size:,} bytes and the key are more than this SQLite holds"
                f" in a row ({limit:,} bytes)",
                hint="smaller chunks or shards",
            )

    def finish(self, records: Mapping[str, str]) -> None:
        """Write the records, build the key index, and close; all of it is handed to the system.

        The required records and `created_by` are added where they are missing.
        """
        complete = {
            "sqlitestore_version": VERSION,
            "compatible_flags": "",
            "incompatible_flags": "",
            "created_by": f"zarrdb {__version__}",
            **records,
        }
        try:
            self._connection.executemany(sql.PUT_RECORD, complete.items())
            self._run(sql.DROP_RESERVED)
            self._run("COMMIT")
            self._change_schema((sql.SHOW_KEY, ()), (sql.SHOW_KEY_INDEX, (self._index_root,)))
            self._run(sql.BUILD_KEY_INDEX)
        except apsw.ConstraintError as error:
            raise ZarrdbError(f"{printable(self.name)}: a key was written twice") from error
        except apsw.Error as error:
            raise self.failure(error) from error
        self.close()

    def close(self) -> None:
        """Let go of the file; before `finish` it is of no use. A second call does nothing."""
        self._connection.close(True)
        self._sorter_files.unregister()

    def failure(self, error: apsw.Error) -> ZarrdbError:
        """The exception to raise for an error of SQLite."""
        number = self._connection.system_errno
        found = translate(error, printable(self.name), number=number)
        if isinstance(found, NoSpaceError):
            return space_error(number, self.name) or found
        return found

    def _run(self, statement: str, bindings: tuple[object, ...] = ()) -> None:
        self._connection.execute(statement, bindings).fetchall()

    def _change_schema(self, *statements: tuple[str, tuple[object, ...]]) -> None:
        self._connection.pragma("writable_schema", "on")
        for statement, bindings in statements:
            self._run(statement, bindings)
        self._connection.pragma("writable_schema", "reset")

    def __enter__(self) -> "BulkWriter":
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()


class SorterFiles(apsw.VFS):
    """Keeps SQLite's temporary files in one directory; only those are opened through it."""

    def __init__(self, directory: str) -> None:
        self.name = f"zarrdb-sorter-{next(_names)}"
        self._directory = directory
        self._numbers = count()
        super().__init__(self.name, LOCKLESS_VFS)

    def xOpen(self, _name: object, flags: list[int]) -> apsw.VFSFile:  # noqa: N802
        """Open a temporary file, which is deleted when closed."""
        own = f".zarrdb-sort.{os.getpid()}-{self.name[14:]}-{next(self._numbers)}.tmp"
        return apsw.VFSFile(LOCKLESS_VFS, os.path.join(self._directory, own), flags)


def file_uri(path: str, **parameters: str) -> str:
    """The URI by which SQLite opens a file."""
    query = "&".join(f"{name}={value}" for name, value in parameters.items())
    return f"file:{quote(os.path.abspath(path))}?{query}"


def record_size(key: str, size: int) -> int:
    """Bytes of the row's record: a header of types and lengths, the key, the value."""
    length = len(key.encode("utf-8", "surrogatepass"))
    types = _varint_size(2 * length + 13) + _varint_size(2 * size + 12)
    return 1 + types + length + size


def _varint_size(number: int) -> int:
    return min(9, max(1, -(-number.bit_length() // 7)))


def _changed(key: str, size: int) -> SourceChangedError:
    return SourceChangedError(
        f"{printable(key)}: changed while it was read (it had {size:,} bytes)",
        hint="try again when nobody writes to it",
    )
