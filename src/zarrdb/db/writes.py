"""Changing keys and values. Each operation is all or nothing, inside a transaction or not."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Final

import apsw

from zarrdb.db import moment, sql, values
from zarrdb.db.layout import Layout
from zarrdb.db.limits import require_room
from zarrdb.db.query import first
from zarrdb.errors import InvalidKeyError, NotFoundError, UsageError
from zarrdb.keys import printable, require_valid

Buffer = bytes | bytearray | memoryview

STREAMED: Final = 8 << 20
"""Values from this size on are written piece by piece. SQLite copies a bound value twice, so
up to here that is 24 MiB; piece by piece its pages are written twice (1 MiB: 1.4x the time).
"""

_PIECE: Final = 1 << 20
_UNWRITABLE_IN_UTF16: Final = ("\ufffe", "\uffff")
_TAKE_BACK: Final = (sql.ROLLBACK_TO_SAVEPOINT, sql.RELEASE_SAVEPOINT)


def put(connection: apsw.Connection, layout: Layout, key: str, value: Buffer) -> None:
    """Store a value, replacing what was there."""
    _require_key(layout, key)
    data = _bytes(value)
    size = len(data)
    if size >= STREAMED and layout.incremental_writes:
        view = memoryview(data)
        pieces = (view[start : start + _PIECE] for start in range(0, size, _PIECE))
        put_stream(connection, layout, key, size, pieces)
        return
    _require_room(connection, layout, key, size)
    connection.execute(sql.PUT, (key, data))


def put_many(
    connection: apsw.Connection, layout: Layout, items: Iterable[tuple[str, Buffer]]
) -> None:
    """Store several values."""
    with _atomically(connection):
        for key, value in items:
            put(connection, layout, key, value)


def put_new(connection: apsw.Connection, layout: Layout, key: str, value: Buffer) -> bool:
    """Store a value where there is no such key; whether it was stored."""
    _require_key(layout, key)
    data = _bytes(value)
    _require_room(connection, layout, key, len(data))
    connection.execute(sql.PUT_NEW, (key, data))
    return connection.changes() == 1


def put_stream(
    connection: apsw.Connection, layout: Layout, key: str, size: int, pieces: Iterable[Buffer]
) -> None:
    """Store a value of `size` bytes that comes in pieces. Raises UsageError for another size."""
    _require_key(layout, key)
    _require_room(connection, layout, key, size)
    if not layout.incremental_writes:
        value = b"".join(map(_bytes, pieces))
        _require_size(key, size, len(value))
        connection.execute(sql.PUT, (key, value))
        return
    with _atomically(connection):
        (rowid,) = first(connection, sql.PUT_ZEROS, (key, size))
        with connection.blob_open("main", "zarr", "v", rowid, True) as blob:
            for piece in map(_bytes, pieces):
                _require_size(key, size, blob.tell() + len(piece), at_most=True)
                blob.write(piece)
            _require_size(key, size, blob.tell())


def put_ranges(
    connection: apsw.Connection, layout: Layout, key: str, ranges: Sequence[tuple[int, Buffer]]
) -> None:
    """Overwrite parts of a value in place."""
    parts = [(offset, _bytes(data)) for offset, data in ranges]
    with _atomically(connection):
        row = first(connection, layout.locate, (layout.bind(key),))
        if row is None:
            raise NotFoundError(f"no key {printable(key)}")
        kind, size, rowid = row
        for offset, data in parts:
            if offset < 0 or offset + len(data) > size:
                raise UsageError(
                    f"{printable(key)}: bytes {offset:,} to {offset + len(data):,} are not inside"
                    f" its {size:,} bytes"
                )
        if kind == "blob" and layout.incremental_writes:
            with connection.blob_open("main", "zarr", "v", rowid, True) as blob:
                for offset, data in parts:
                    blob.seek(offset)
                    blob.write(data)
            return
        value = bytearray(values.get(connection, layout, key) or b"")
        for offset, data in parts:
            value[offset : offset + len(data)] = data
        connection.execute(sql.PUT, (key, value))


def delete(connection: apsw.Connection, layout: Layout, key: str) -> bool:
    """Delete a key; whether there was one."""
    connection.execute(layout.delete, (layout.bind(key),))
    return connection.changes() > 0


def delete_many(connection: apsw.Connection, layout: Layout, keys: Iterable[str]) -> int:
    """Delete several keys; how many there were."""
    count = 0
    with _atomically(connection):
        for key in keys:
            count += delete(connection, layout, key)
    return count


def delete_range(connection: apsw.Connection, start: str, end: str | bytes) -> int:
    """Delete the keys from `start` to before `end`, in a file that has them in order."""
    connection.execute(sql.DELETE_RANGE, (start, end))
    return connection.changes()


def delete_all(connection: apsw.Connection) -> int:
    """Delete every row of the table of keys and values."""
    connection.execute(sql.DELETE_ALL)
    return connection.changes()


def put_record(connection: apsw.Connection, key: str, value: str) -> None:
    """Write a metadata record."""
    connection.execute(sql.UPDATE_RECORD, (key, value))
    if connection.changes() == 0:
        connection.execute(sql.INSERT_RECORD, (key, value))


def make_way(connection: apsw.Connection) -> None:
    """Take all locks that the commit of what is open needs, and wait for who has them."""
    # Beside a log nobody holds a commit up.
    if connection.pragma("journal_mode") != "wal":
        connection.cache_flush()


def touch(connection: apsw.Connection) -> None:
    """Set `modified_at`."""
    put_record(connection, "modified_at", moment.now())


@contextmanager
def _atomically(connection: apsw.Connection) -> Iterator[None]:
    """All of what is inside or nothing; apsw's own way hides the error that ended it all."""
    # One that begins by reading could not wait for another writer once it is to write.
    inner = connection.in_transaction
    connection.execute(sql.SAVEPOINT if inner else sql.BEGIN_WRITING)
    try:
        yield
        connection.execute(sql.RELEASE_SAVEPOINT if inner else sql.COMMIT)
    except BaseException:
        # Some failures, like a full disk, have taken everything back already.
        if connection.in_transaction:
            for statement in _TAKE_BACK if inner else (sql.ROLLBACK,):
                connection.execute(statement)
        raise


def _bytes(value: Buffer) -> Buffer:
    """The value with one item a byte. Raises TypeError for what has no bytes."""
    if isinstance(value, (bytes, bytearray)):
        return value
    view = memoryview(value)
    if not view.c_contiguous:
        return view.tobytes()
    return view if view.format == "B" and view.ndim == 1 else view.cast("B")


def _require_key(layout: Layout, key: str) -> None:
    require_valid(key)
    if not layout.plain:
        for character in _UNWRITABLE_IN_UTF16:
            if character in key:
                raise InvalidKeyError(
                    f"invalid key {printable(key)}: this file is in UTF-16, where SQLite cannot"
                    f" tell {printable(character)} from other characters",
                    hint="`zarrdb vacuum` turns the file into UTF-8",
                )


def _require_room(connection: apsw.Connection, layout: Layout, key: str, size: int) -> None:
    limit = connection.limit(apsw.SQLITE_LIMIT_LENGTH)
    # No character takes more than four bytes, and no record header more than 32.
    if size + 4 * len(key) + 32 > limit:
        require_room(key, size, limit, codec=layout.codec)


def _require_size(key: str, size: int, found: int, *, at_most: bool = False) -> None:
    if found > size or (found < size and not at_most):
        raise UsageError(f"{printable(key)}: {size:,} bytes were announced, not {found:,}")
