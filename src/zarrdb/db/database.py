"""One `.zarrdb` file as a mapping of keys to values."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from typing import Literal

import apsw

from zarrdb._version import __version__
from zarrdb.db import sql
from zarrdb.db.connect import open_connection
from zarrdb.db.container import ContainerFacts, inspect
from zarrdb.errors import (
    ClosedError,
    MissingError,
    NotFoundError,
    ReadOnlyError,
    TargetExistsError,
)
from zarrdb.keys import Child, Entry, Remark, require_valid

Mode = Literal["r", "rw", "create"]
Buffer = bytes | bytearray | memoryview
Values = list[bytes | None]


class Database:
    """Keys and values of one file. Made by `open`; a context manager; usable from any thread.

    Prefixes are `""` or end with `/`. Listings are in code-point order, whatever the file's
    encoding or collation. A TEXT value is given as its UTF-8 bytes; a number or NULL where
    a value should be raises SchemaError naming the key. Any call may raise LockedError
    (another process holds the file), CorruptError and ClosedError.
    """

    kind: str = "zarrdb"

    def __init__(self, path: str, connection: apsw.Connection, *, read_only: bool) -> None:
        self.path = path
        self.name = path
        self.read_only = read_only
        self._connection: apsw.Connection | None = connection
        self._facts: ContainerFacts | None = None

    # Opening and closing

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        mode: Mode = "r",
        strict: bool = True,
        timeout: float = 5.0,
        page_size: int | None = None,
        allow_foreign: bool = False,
    ) -> "Database":
        """Open a file to read (`r`), to change (`rw`), or a new one (`create`).

        Reading leaves nothing behind beside the file. `rw` also refuses what reading may
        pass over: an application id of 0, triggers, keys that are not unique or compare
        other than BINARY. `create` wants a path where nothing is, or an empty file;
        `page_size` is 512 to 65536 bytes. `strict=False` opens whatever SQLite can open,
        for reading. `allow_foreign` reads a file with another program's id.

        Raises MissingError, NotAStoreError, TruncatedError, CorruptError, SchemaError,
        UnsupportedError, ForeignError, JournalError, ReadOnlyError, TargetExistsError.
        """
        full = os.path.abspath(os.fspath(path))
        if mode == "create":
            _create(full, page_size or 4096)
        elif not os.path.exists(full):
            raise MissingError(f"{os.fspath(path)}: no such file")
        connection = open_connection(full, writable=mode != "r", timeout=timeout)
        return cls(full, connection, read_only=mode == "r")

    @classmethod
    def open_legacy(cls, path: str | os.PathLike[str], *, timeout: float = 5.0) -> "Database":
        """Open a SQLite store of zarr-python 2 for reading; its `kind` is `legacy`."""
        self = cls.open(path, mode="r", strict=False, timeout=timeout)
        self.kind = "legacy"
        return self

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._connection is None

    @property
    def facts(self) -> ContainerFacts:
        """The container as it was when opened."""
        if self._facts is None:
            self._facts = inspect(self.path)
        return self._facts

    def close(self) -> None:
        """Give back the file; a second call does nothing."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None

    def __enter__(self) -> "Database":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def connection(self) -> apsw.Connection:
        """The connection itself, for journal modes and page sizes (`zarrdb.db.journal`)."""
        return self._open_connection()

    def _open_connection(self) -> apsw.Connection:
        if self._connection is None:
            raise ClosedError(f"{self.path}: the store is closed")
        return self._connection

    def _writer(self) -> apsw.Connection:
        connection = self._open_connection()
        if self.read_only:
            raise ReadOnlyError(f"{self.path}: opened for reading only")
        return connection

    # Reading values

    def get(self, key: str) -> bytes | None:
        """The whole value, or None if there is no such key."""
        row = self._open_connection().execute("SELECT v FROM zarr WHERE k = ?", (key,)).get
        return row if row is None or isinstance(row, bytes) else str(row).encode()

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given."""
        for key in keys:
            yield key, self.get(key)

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a value, clamped to it; a negative offset counts from its end."""
        value = self.get(key)
        if value is None:
            return None
        start = max(0, len(value) + offset) if offset < 0 else offset
        return value[start:] if length is None else value[start : start + length]

    def get_ranges(self, ranges: Sequence[tuple[str, int, int | None]]) -> Values:
        """Several (key, offset, length) of one consistent state, in the order given."""
        return [self.get_range(key, offset, length) for key, offset, length in ranges]

    def read_into(self, key: str, buffer: bytearray | memoryview, offset: int = 0) -> int | None:
        """Fill the buffer from a place in a value; the number of bytes, or None if no key."""
        value = self.get_range(key, offset, len(buffer))
        if value is None:
            return None
        buffer[: len(value)] = value
        return len(value)

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        """A value piece by piece, in flat memory. Raises NotFoundError."""
        value = self.get(key)
        if value is None:
            raise NotFoundError(f"{self.path}: no key {key}")
        for start in range(0, len(value), chunk_size):
            yield value[start : start + chunk_size]

    def size(self, key: str) -> int | None:
        """Size of the value in bytes, or None if there is no such key; nothing is read."""
        row = self._open_connection().execute(sql.FACTS_OF, (key,)).get
        return None if row is None else int(row[1])

    def exists(self, key: str) -> bool:
        """Whether there is such a key, whatever its value."""
        return self.size(key) is not None

    # Listing

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix` once, in code-point order of the whole key, past `after`.

        Read in pages: nothing is held between them, so others may write meanwhile, unless
        inside `snapshot`.
        """
        statement = "SELECT k, octet_length(v) FROM zarr WHERE typeof(k) = 'text' ORDER BY k"
        for key, size in self._open_connection().execute(statement).fetchall():
            if key.startswith(prefix) and (after is None or key > after):
                yield Entry(key, size)

    def list(self) -> Iterator[str]:
        """Every key, in code-point order."""
        return (entry.key for entry in self.entries())

    def list_prefix(self, text: str) -> Iterator[str]:
        """Every key that begins with `text`, any text, taken literally."""
        return (entry.key for entry in self.entries(text))

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`, in code-point order, each once."""
        found: dict[str, Child] = {}
        for entry in self.entries(prefix):
            name, slash, _ = entry.key[len(prefix) :].partition("/")
            seen = found.get(name, Child(name, is_key=False, is_prefix=False))
            found[name] = Child(name, seen.is_key or not slash, seen.is_prefix or bool(slash))
        return (found[name] for name in sorted(found))

    def list_dir(self, prefix: str = "") -> Iterator[str]:
        """The names of `children`."""
        return (child.name for child in self.children(prefix))

    def remarks(self) -> Iterator[Remark]:
        """Rows that fit no key and value; needs a pass over all keys."""
        return iter(())

    # Writing

    def set(self, key: str, value: Buffer) -> None:
        """Store a value under a key, replacing what was there.

        Raises InvalidKeyError, ReadOnlyError, ValueTooLargeError, NoSpaceError.
        """
        require_valid(key)
        self._writer().execute(sql.PUT, (key, value))

    def set_many(self, items: Iterable[tuple[str, Buffer]]) -> None:
        """Store several values, all or none."""
        with self.transaction():
            for key, value in items:
                self.set(key, value)

    def set_if_not_exists(self, key: str, value: Buffer) -> bool:
        """Store a value where there is no such key; whether it was stored."""
        require_valid(key)
        connection = self._writer()
        connection.execute(sql.PUT_NEW, (key, value))
        return connection.changes() == 1

    def set_stream(self, key: str, size: int, chunks: Iterable[Buffer]) -> None:
        """Store a value of `size` bytes that comes in pieces, in flat memory."""
        self.set(key, b"".join(bytes(chunk) for chunk in chunks))

    def set_ranges(self, key: str, ranges: Sequence[tuple[int, Buffer]]) -> None:
        """Overwrite parts of a value in place; each (offset, bytes) lies inside it.

        Raises NotFoundError, and UsageError for a range outside the value.
        """
        value = bytearray(self.get(key) or b"")
        for offset, data in ranges:
            value[offset : offset + len(data)] = data
        self.set(key, bytes(value))

    def delete(self, key: str) -> bool:
        """Delete a key; whether there was one."""
        connection = self._writer()
        connection.execute(sql.DELETE, (key,))
        return connection.changes() > 0

    def delete_many(self, keys: Iterable[str]) -> int:
        """Delete several keys, all or none; how many there were."""
        with self.transaction():
            return sum(self.delete(key) for key in keys)

    def delete_prefix(self, prefix: str) -> int:
        """Delete every key below `prefix`; how many there were. `""` is all keys."""
        return self.delete_many([entry.key for entry in self.entries(prefix)])

    def clear(self) -> int:
        """Delete every key; records, flags and other tables stay. How many there were."""
        return self.delete_prefix("")

    # Records

    def records(self) -> dict[str, str]:
        """The metadata records whose key and value are texts, as they are now."""
        return dict(self._open_connection().execute(sql.RECORDS))

    def set_record(self, key: str, value: str) -> None:
        """Write a metadata record that the specification describes."""
        self._writer().execute(sql.PUT_RECORD, (key, value))

    def touch(self) -> None:
        """Set `modified_at` to SOURCE_DATE_EPOCH or to now, in UTC with milliseconds."""

    # Transactions

    @contextmanager
    def _transaction(self, begin: str) -> Iterator[None]:
        connection = self._open_connection()
        if connection.in_transaction:
            yield
            return
        connection.execute(begin)
        try:
            yield
        except BaseException:
            connection.execute(sql.ROLLBACK)
            raise
        connection.execute(sql.COMMIT)

    def transaction(self) -> AbstractContextManager[None]:
        """All changes made inside become visible together, or none does.

        The write lock is taken at the start. Raises LockedError after the timeout.
        """
        self._writer()
        return self._transaction(sql.BEGIN_WRITE)

    def snapshot(self) -> AbstractContextManager[None]:
        """All reads inside see one state of the file; writers may have to wait meanwhile."""
        return self._transaction(sql.BEGIN_READ)


def _create(path: str, page_size: int) -> None:
    if os.path.exists(path) and os.path.getsize(path):
        raise TargetExistsError(f"{path}: exists already")
    connection = apsw.Connection(path)
    connection.pragma("page_size", page_size)
    connection.execute(sql.BEGIN_WRITE)
    connection.execute(sql.SET_APPLICATION_ID)
    connection.execute(sql.CREATE_METADATA)
    connection.execute(sql.CREATE_DATA)
    records = {
        "sqlitestore_version": "1.0",
        "compatible_flags": "",
        "incompatible_flags": "",
        "created_by": f"zarrdb {__version__}",
    }
    for key, value in records.items():
        connection.execute(sql.PUT_RECORD, (key, value))
    connection.execute(sql.COMMIT)
    connection.close()
