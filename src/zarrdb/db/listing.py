"""Listing keys: in code-point order, each once, whatever the file's encoding and collation."""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple, TypeVar, cast

import apsw

from zarrdb.db import sql, values
from zarrdb.db.layout import Layout
from zarrdb.db.query import first, rows
from zarrdb.keys import Entry, Remark, printable

PAGE: Final = 2000
"""Keys a page: 100,000 keys in pages of 2,000 take as long as in one."""

AFTER_ALL_TEXTS: Final = b""

Text = TypeVar("Text", str, bytes)

_HIGHEST: Final = 0x10FFFF
_SURROGATES: Final = range(0xD800, 0xE000)


class Page(NamedTuple):
    """Some keys in order, and where to go on."""

    entries: list[Entry]
    last: str | bytes | None
    """The last key, or its bytes where it may be no Unicode; None at the end."""


def require_progress(first: Text, last: Text, start: Text, *, after: bool) -> None:
    """Raise apsw.CorruptError unless a page of keys, from first to last, comes after `start`.

    SQLite notices an index that leads in a circle by its depth, which one page may not reach;
    the pages would go on for ever.
    """
    if last < first or first < start or (after and first == start):
        raise apsw.CorruptError("keys come out of order: an index leads in a circle")


def end_of(text: str) -> str | bytes:
    """The first text that comes after all texts beginning with `text`."""
    while text and ord(text[-1]) == _HIGHEST:
        text = text[:-1]
    if not text:
        return AFTER_ALL_TEXTS
    code = ord(text[-1]) + 1
    return text[:-1] + chr(_SURROGATES.stop if code in _SURROGATES else code)


def page(
    connection: apsw.Connection,
    layout: Layout,
    start: str | bytes,
    end: str | bytes,
    limit: int,
    *,
    after: bool,
) -> Page:
    """Up to `limit` keys from `start` (past it, with `after`) to before `end`, by an index."""
    if isinstance(start, str):
        try:
            statement = sql.PAGE_AFTER if after else sql.PAGE_FROM
            found = [
                Entry(key, size or 0)
                for key, size in rows(connection, statement, (start, end, limit))
            ]
            if found:
                require_progress(found[0].key, found[-1].key, start, after=after)
            return Page(_once(found, layout), found[-1].key if len(found) == limit else None)
        except UnicodeDecodeError:
            # One of them is no Unicode, which is no reason to lose the others.
            start = start.encode()
    statement = sql.PAGE_AS_BYTES_AFTER if after else sql.PAGE_AS_BYTES_FROM
    raw_rows = rows(connection, statement, (start, end, limit))
    if raw_rows:
        require_progress(raw_rows[0][0], raw_rows[-1][0], start, after=after)
    keys = [(values.decoded(raw, layout.codec), size) for raw, size in raw_rows]
    found = [Entry(key, size or 0) for key, size in keys if key is not None]
    return Page(_once(found, layout), raw_rows[-1][0] if len(raw_rows) == limit else None)


def keys(
    connection: apsw.Connection,
    layout: Layout,
    start: str | bytes,
    end: str | bytes,
    limit: int,
    *,
    after: bool,
) -> Page:
    """The same without sizes (0), which only the rows have: nothing but the index is read."""
    start = start.encode() if isinstance(start, str) else start
    statement = sql.KEYS_AFTER if after else sql.KEYS_FROM
    found = [raw for (raw,) in rows(connection, statement, (start, end, limit))]
    if found:
        require_progress(found[0], found[-1], start, after=after)
    texts = (values.decoded(raw, layout.codec) for raw in found)
    entries = [Entry(key, 0) for key in texts if key is not None]
    return Page(_once(entries, layout), found[-1] if len(found) == limit else None)


def texts(
    connection: apsw.Connection,
    layout: Layout,
    start: str | bytes,
    end: str | bytes,
    limit: int,
    *,
    after: bool,
) -> tuple[list[str], str | bytes | None]:
    """The keys of a page and nothing else, as quick as they come, and where to go on."""
    if isinstance(start, str) and layout.unique:
        try:
            statement = sql.TEXTS_AFTER if after else sql.TEXTS_FROM
            found = [key for (key,) in rows(connection, statement, (start, end, limit))]
            if found:
                require_progress(found[0], found[-1], start, after=after)
            return found, found[-1] if len(found) == limit else None
        except UnicodeDecodeError:
            # One of them is no Unicode, which is no reason to lose the others.
            pass
    some = keys(connection, layout, start, end, limit, after=after)
    return [entry.key for entry in some.entries], some.last


def _once(entries: list[Entry], layout: Layout) -> list[Entry]:
    if layout.unique:
        return entries
    pairs = zip([None, *entries], entries, strict=False)
    return [entry for before, entry in pairs if before is None or before.key != entry.key]


def has_any(
    connection: apsw.Connection, _layout: Layout, start: str | bytes, end: str | bytes
) -> bool:
    """Whether there is a key from `start` to before `end`."""
    return first(connection, sql.ANY_IN_RANGE, (start, end)) is not None


def everything(connection: apsw.Connection, layout: Layout) -> list[Entry]:
    """All keys of a file that does not have them in order, sorted in memory."""
    found: dict[str, int] = {}
    for raw, size, kind in rows(connection, sql.ALL_AS_BYTES):
        key = values.decoded(raw, layout.codec)
        if key is not None and key not in found:
            counted = kind == "blob" or layout.codec == "utf-8"
            found[key] = (size if counted else values.size(connection, layout, key)) or 0
    return sorted(map(Entry._make, found.items()))


def remarks(connection: apsw.Connection, layout: Layout) -> list[Remark]:
    """The rows that fit no key and value."""
    found = [
        _remark(key, key_type, value_type, layout)
        for key, key_type, value_type in rows(connection, sql.ODD_ROWS)
    ]
    for (raw,) in cast("Iterable[tuple[bytes]]", connection.execute(sql.TEXT_KEYS_AS_BYTES)):
        if values.decoded(raw, layout.codec) is None:
            found.append(
                Remark("not-unicode-key", _shown_text(raw, layout), "is not valid Unicode")
            )
    if not layout.unique:
        for raw, count in rows(connection, sql.REPEATED_KEYS):
            found.append(Remark("duplicate-key", _shown_text(raw, layout), f"{count} rows"))
    return found


def keys_of_other_types(connection: apsw.Connection, layout: Layout, most: int) -> list[Remark]:
    """The first of the rows whose key is no text, which no listing has; quickly found."""
    found = rows(connection, sql.KEYS_OF_OTHER_TYPES, (most,))
    return [_remark(key, key_type, value_type, layout) for key, key_type, value_type in found]


def _remark(key: Any, key_type: str, value_type: str, layout: Layout) -> Remark:
    number = "number" if key_type in ("integer", "real") else key_type
    if key_type != "text":
        shown = _shown(key) if isinstance(key, bytes) else "NULL" if key is None else str(key)
        return Remark(f"{number}-key", shown, f"is stored as {key_type.upper()}, not as TEXT")
    number = "number" if value_type in ("integer", "real") else value_type
    detail = f"has a value stored as {value_type.upper()}, not as BLOB"
    return Remark(f"{number}-value", _shown_text(key, layout), detail)


def _shown(raw: bytes) -> str:
    return printable(raw.decode("utf-8", "backslashreplace"))


def _shown_text(raw: bytes, layout: Layout) -> str:
    return printable(raw.decode(layout.codec, "backslashreplace"))
