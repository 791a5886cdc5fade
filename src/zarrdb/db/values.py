"""Reading values: whole, in part, piece by piece.

Each function takes a connection that nobody else uses meanwhile, and the file's layout.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from itertools import groupby
from operator import itemgetter
from typing import Final, NamedTuple, NoReturn

import apsw

from zarrdb.db import direct, sql
from zarrdb.db.layout import Layout
from zarrdb.db.query import first
from zarrdb.errors import SchemaError
from zarrdb.keys import clamp, printable

Values = list[bytes | None]
Range = tuple[str, int, int | None]
"""Key, offset (negative: from the end) and length (None: to the end)."""


_ENOUGH: Final = 1 << 20
"""Bytes that are read together at most, and one value more."""


class _Row(NamedTuple):
    kind: str
    size: int
    rowid: int


def get(connection: apsw.Connection, layout: Layout, key: str) -> bytes | None:
    """The whole value, or None."""
    if layout.plain and layout.unique:
        value = connection.execute(sql.GET, (key,)).get
        if type(value) is bytes:
            return value
        if value is None:
            return None
    return get_range(connection, layout, key, 0, None)


def get_some(connection: apsw.Connection, layout: Layout, keys: Sequence[str]) -> Values:
    """The values of the first keys, of one state, until they are enough bytes; at least one."""
    found: Values = []
    size = 0
    with _one_state(connection):
        for key in keys:
            value = get(connection, layout, key)
            found.append(value)
            size += 0 if value is None else len(value)
            if size >= _ENOUGH:
                break
    return found


def size(connection: apsw.Connection, layout: Layout, key: str) -> int | None:
    """The size of a value in bytes, or None; a number or NULL has none that counts: 0."""
    row = first(connection, layout.locate, (layout.bind(key),))
    if row is None:
        return None
    if row[0] == "text" and layout.codec != "utf-8":
        return len(_text(connection, layout, key))
    return int(row[1] or 0)


def get_range(
    connection: apsw.Connection, layout: Layout, key: str, offset: int, length: int | None
) -> bytes | None:
    """Part of a value, clamped to it; a negative offset counts from its end."""
    return _parts(connection, layout, key, [(key, offset, length)])[0]


def get_ranges(connection: apsw.Connection, layout: Layout, ranges: Sequence[Range]) -> Values:
    """Several parts of one state of the file."""
    found: Values = []
    with _one_state(connection):
        for key, parts in groupby(ranges, itemgetter(0)):
            found += _parts(connection, layout, key, parts)
    return found


@contextmanager
def _one_state(connection: apsw.Connection) -> Iterator[None]:
    """All reads inside see one state of the file, and share the cost of locking it."""
    # A running statement keeps the state that it saw.
    held = connection.execute(sql.FIRST_READ)
    try:
        yield
    finally:
        held.close()


def _parts(connection: apsw.Connection, layout: Layout, key: str, parts: Iterable[Range]) -> Values:
    """Parts of one value."""
    cursor = connection.execute(layout.locate, (layout.bind(key),))
    try:
        row = _only_row(cursor, layout, key)
        if row is None:
            return [None for _ in parts]
        if row.kind != "blob" or not layout.incremental:
            value = _whole(connection, layout, key, row)
            return [value[slice(*clamp(len(value), offset, length))] for _, offset, length in parts]
        blob = connection.blob_open("main", "zarr", "v", row.rowid, False)
        try:
            spans = [clamp(row.size, offset, length) for _, offset, length in parts]
            return [_part(connection, blob, row, *span) for span in spans]
        finally:
            blob.close()
    finally:
        cursor.close()


def _part(connection: apsw.Connection, blob: apsw.Blob, row: _Row, start: int, end: int) -> bytes:
    found = direct.read_part(connection, row.rowid, start, end) if start >= direct.FAR else None
    if found is not None:
        return found
    blob.seek(start)
    return blob.read(end - start)


def read_into(
    connection: apsw.Connection, layout: Layout, key: str, buffer: memoryview, offset: int
) -> int | None:
    """Fill a buffer of bytes from a place in a value; how many bytes that were, or None."""
    cursor = connection.execute(layout.locate, (layout.bind(key),))
    try:
        row = _only_row(cursor, layout, key)
        if row is None:
            return None
        if row.kind != "blob" or not layout.incremental:
            value = _whole(connection, layout, key, row)
            start, end = clamp(len(value), offset, len(buffer))
            buffer[: end - start] = value[start:end]
        else:
            start, end = clamp(row.size, offset, len(buffer))
            with connection.blob_open("main", "zarr", "v", row.rowid, False) as blob:
                blob.seek(start)
                blob.read_into(buffer, 0, end - start)
        return end - start
    finally:
        cursor.close()


class Pieces:
    """A value being read from its start to its end; it keeps the file from being changed."""

    def __init__(self, connection: apsw.Connection, source: apsw.Blob | bytes) -> None:
        self._connection = connection
        self._source = source
        self._offset = 0

    def next(self, connection: apsw.Connection, size: int) -> bytes:
        """The next bytes, none at the end. Raises apsw.AbortError after a change."""
        if connection is not self._connection:
            raise apsw.AbortError("another connection")
        if isinstance(self._source, apsw.Blob):
            return self._source.read(size)
        piece = self._source[self._offset : self._offset + size]
        self._offset += len(piece)
        return piece

    def close(self) -> None:
        """Let go of the value."""
        if isinstance(self._source, apsw.Blob):
            self._source.close()


def open_pieces(connection: apsw.Connection, layout: Layout, key: str) -> Pieces | None:
    """A value to be read piece by piece, or None."""
    cursor = connection.execute(layout.locate, (layout.bind(key),))
    try:
        row = _only_row(cursor, layout, key)
        if row is None:
            return None
        if row.kind != "blob" or not layout.incremental:
            return Pieces(connection, _whole(connection, layout, key, row))
        blob = connection.blob_open("main", "zarr", "v", row.rowid, False)
        return Pieces(connection, blob)
    finally:
        cursor.close()


def decoded(raw: bytes, codec: str) -> str | None:
    """The text of a key as it is stored, or None where it is no Unicode."""
    try:
        return raw.decode(codec)
    except UnicodeDecodeError:
        return None


def _only_row(cursor: apsw.Cursor, layout: Layout, key: str) -> _Row | None:
    """The row of a key. Nobody can change it while the cursor is open."""
    row = next(cursor, None)
    if row is not None and not layout.unique and next(cursor, None) is not None:
        raise SchemaError(
            f"{printable(key)}: stored more than once, so that no value is the right one",
            hint="`zarrdb check` lists such keys",
        )
    return row and _Row._make(row)


def _whole(connection: apsw.Connection, layout: Layout, key: str, row: _Row) -> bytes:
    """A value that the blob interface cannot read."""
    if row.kind == "text":
        return _text(connection, layout, key)
    if row.kind != "blob":
        _refuse(key, row.kind)
    value: bytes = first(connection, layout.value, (layout.bind(key),))[0]
    return value


def _text(connection: apsw.Connection, layout: Layout, key: str) -> bytes:
    """A text as UTF-8; one that is no Unicode as the bytes that are there."""
    raw: bytes = first(connection, sql.TEXT_AS_BYTES, (key.encode(layout.codec),))[0]
    if layout.codec == "utf-8":
        return raw
    return raw.decode(layout.codec, "surrogatepass").encode("utf-8", "surrogatepass")


def _refuse(key: str, kind: str) -> NoReturn:
    raise SchemaError(
        f"{printable(key)}: its value is {kind.upper()}, not a BLOB",
        hint="`zarrdb check` lists such values",
    )
