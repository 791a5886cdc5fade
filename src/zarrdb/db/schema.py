"""The schema of a database as values: tables, columns, indexes, other objects."""

import re
from typing import Final, NamedTuple

import apsw

from zarrdb.db import sql
from zarrdb.db.query import rows

_NO_WORDS: Final = (
    r"--[^\n]*|/\*.*?(?:\*/|\Z)"
    r"|'(?:[^']|'')*'|\"(?:[^\"]|\"\")*\"|`(?:[^`]|``)*`|\[[^\]]*\]"
)
"""Comments, texts and quoted names, which may hold a bracket or the word STRICT."""
_MARKS: Final = frozenset("-/'\"`[")

BUILT_IN_COLLATIONS: Final = frozenset({"BINARY", "NOCASE", "RTRIM"})


class SchemaObject(NamedTuple):
    """A row of the schema table; `type` is what its SQL creates, not what it says it is.

    `table`, `virtual table`, `view`, `trigger`, `index`; `own index` for those that SQLite
    makes for a constraint.
    """

    type: str
    name: str
    table: str
    sql: str


class Column(NamedTuple):
    """A column as `PRAGMA table_xinfo` shows it."""

    name: str
    declared: str
    """The declared type as spelled in the file, `""` where there is none."""
    not_null: bool
    default: str | None
    primary_key: int
    """Position in the primary key, from 1; 0 outside it."""
    generated: bool
    collation: str

    @property
    def affinity(self) -> str:
        """`TEXT`, `BLOB` (none) or `NUMERIC`, by SQLite's rules for the declared type."""
        declared = self.declared.upper()
        if "INT" in declared:
            return "NUMERIC"
        if any(word in declared for word in ("CHAR", "CLOB", "TEXT")):
            return "TEXT"
        return "NUMERIC" if declared and "BLOB" not in declared else "BLOB"


class Index(NamedTuple):
    """An index of a table; an expression has None for its column."""

    name: str
    unique: bool
    origin: str
    """`pk` primary key, `u` UNIQUE constraint, `c` CREATE INDEX."""
    partial: bool
    columns: tuple[tuple[str | None, str], ...]
    """Column and collation of each term."""


class Table(NamedTuple):
    """One table, its name spelled as in the file."""

    name: str
    columns: tuple[Column, ...]
    indexes: tuple[Index, ...]
    without_rowid: bool
    strict: bool

    def column(self, name: str) -> Column | None:
        """The column of that name, compared as SQL does (without case)."""
        return next((c for c in self.columns if c.name.lower() == name), None)

    def unique_indexes(self, name: str) -> list[Index]:
        """The indexes that keep that column alone unique, in all rows."""
        return [i for i in self.indexes_on(name) if i.unique and len(i.columns) == 1]

    def indexes_on(self, name: str) -> list[Index]:
        """The indexes over all rows whose first column is that one."""
        return [
            index
            for index in self.indexes
            if not index.partial and (index.columns[0][0] or "").lower() == name
        ]

    @property
    def has_rowid(self) -> bool:
        """Whether rows can be told by `rowid`: there is one, and no column of that name."""
        return not self.without_rowid and self.column("rowid") is None

    @property
    def generated(self) -> bool:
        """Whether a column is computed from others."""
        return any(column.generated for column in self.columns)


def read_objects(connection: apsw.Connection) -> tuple[SchemaObject, ...]:
    """Every row of the schema table. Raises apsw.Error where it cannot be read."""
    return tuple(
        SchemaObject(_created(text), str(name), str(table), text or "")
        for name, table, text in rows(connection, sql.OBJECTS)
    )


def _created(text: str | None) -> str:
    # SQLite stores these statements with their first words normalised.
    if text is None:
        return "own index"
    words = text[:40].upper().split()[1:3]
    if words[:1] == ["VIRTUAL"]:
        return "virtual table"
    if words[:1] == ["UNIQUE"]:
        return "index"
    return words[0].lower() if words else "unknown"


def read_table(connection: apsw.Connection, entry: SchemaObject) -> Table:
    """The columns and indexes of an ordinary table."""
    columns = []
    for name, declared, not_null, default, primary_key, hidden in rows(
        connection, sql.COLUMNS, (entry.name,)
    ):
        _, collation, *_ = connection.column_metadata("main", entry.name, name)
        columns.append(
            Column(
                name,
                declared or "",
                bool(not_null),
                default,
                primary_key,
                bool(hidden),
                collation.upper(),
            )
        )
    indexes = []
    for name, unique, origin, partial in rows(connection, sql.INDEXES, (entry.name,)):
        terms = rows(connection, sql.INDEX_TERMS, (name,))
        named = tuple((term, collation.upper()) for term, collation in terms)
        indexes.append(Index(name, bool(unique), origin, bool(partial), named))
    options = _options(entry.sql)
    return Table(
        entry.name, tuple(columns), tuple(indexes), "WITHOUT" in options, "STRICT" in options
    )


def _options(text: str) -> list[str]:
    """The words after the columns of a CREATE TABLE statement, in upper case.

    `PRAGMA table_list` tells as much, but connects every virtual table of the file for it.
    """
    # Compiling an expression takes longer than opening a file of the usual schema.
    plain = re.sub(_NO_WORDS, " ", text, flags=re.DOTALL) if set(text) & _MARKS else text
    return plain.rpartition(")")[2].upper().replace(",", " ").split()
