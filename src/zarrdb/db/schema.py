"""The schema of a database as values: tables, columns, indexes, other objects."""

from typing import NamedTuple


class Column(NamedTuple):
    """A column as `PRAGMA table_xinfo` shows it."""

    name: str
    declared: str
    """The declared type as spelled in the file, `""` where there is none."""
    not_null: bool
    primary_key: int
    """Position in the primary key, from 1; 0 outside it."""
    generated: bool
    collation: str


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


class SchemaObject(NamedTuple):
    """A row of the schema table: `type` is `table`, `index`, `view`, `trigger` or `virtual`."""

    type: str
    name: str
    table: str
