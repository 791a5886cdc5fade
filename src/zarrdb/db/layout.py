"""How the rows of one file are to be asked for: its tables are not always the usual ones."""

from typing import NamedTuple

from zarrdb.db import sql
from zarrdb.db.schema import Table


class Layout(NamedTuple):
    """What is particular about the table of keys and values, and the statements that fit.

    In a plain file texts are UTF-8 and compare by BINARY, so that keys are bound as they
    are. Elsewhere they are bound as bytes of the file's own encoding, and compared once more
    by BINARY: SQLite folds U+FFFE and U+FFFF into U+FFFD when it converts to UTF-16.
    """

    plain: bool
    codec: str
    unique: bool
    incremental: bool
    """Whether values can be read by the incremental blob interface; else they come whole."""
    incremental_writes: bool
    ordered: bool
    """Whether an index gives the keys in code-point order."""
    locate: str
    value: str
    delete: str

    def bind(self, key: str) -> str | bytes:
        """The key as the statements take it."""
        return key if self.plain else key.encode(self.codec)


def layout_of(table: Table | None, codec: str) -> Layout | None:
    """The layout of a table whose texts are in `codec`, or None if it holds no keys and values."""
    key = table.column("k") if table is not None else None
    if table is None or key is None or table.column("v") is None:
        return None
    plain = codec == "utf-8" and key.collation == "BINARY"
    incremental = table.has_rowid and not table.generated
    indexes = table.indexes_on("k")
    locates = sql.LOCATE if plain else sql.LOCATE_EXACTLY
    if not table.has_rowid:
        locates = sql.LOCATE_WITHOUT_ROWID if plain else sql.LOCATE_EXACTLY_WITHOUT_ROWID
    return Layout(
        plain=plain,
        codec=codec,
        unique=bool(table.unique_indexes("k")),
        incremental=incremental,
        incremental_writes=incremental and not _is_indexed(table),
        ordered=plain and any(index.columns[0][1] == "BINARY" for index in indexes),
        locate=locates,
        value=sql.VALUE if plain else sql.VALUE_EXACTLY,
        delete=sql.DELETE if plain else sql.DELETE_EXACTLY,
    )


def _is_indexed(table: Table) -> bool:
    """Whether an index may hold values, or what was computed from them."""
    terms = (name for index in table.indexes for name, _ in index.columns)
    return any(name is None or name.lower() == "v" for name in terms)
