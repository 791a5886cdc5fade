"""Rules on what is in the database: tables, columns, metadata records, other objects.

Declarations, like those of the file: the problems of `zarrdb.db.inspect` name them.
"""

from zarrdb.lint.rule import declaration

_TABLES = ("container/missing-table",)


@declaration(
    "container/missing-table", level="error", subject="container", requires=("container/corrupt",)
)
def missing_table() -> None:
    """A table of the format is missing, or is a view.

    Why: `zarr` holds keys and values, `zarr_sqlitestore_metadata` the version; without both
    the file is no store, and a view may compute anything or never end.

    Fix: write the store again with `zarrdb import`.
    """


@declaration("container/wrong-column", level="error", subject="container", requires=_TABLES)
def wrong_column() -> None:
    """A column of the format is missing or has another type.

    Why: the tables have `k TEXT` and `v`, BLOB for values and TEXT for records. Another
    declared type makes SQLite convert what is stored.

    Fix: write the store again with `zarrdb import`.
    """


@declaration("container/extra-column", level="error", subject="container", requires=_TABLES)
def extra_column() -> None:
    """A table has a column that the format does not have.

    Why: the schema is fixed; other writers insert two columns and fail on, or leave empty, a
    third.

    Fix: drop the column, or write the store again.
    """


@declaration(
    "container/loose-schema",
    level="warning",
    subject="container",
    requires=("container/wrong-column",),
)
def loose_schema() -> None:
    """The schema holds the data but is not the format's.

    Why: without NOT NULL, with UNIQUE for PRIMARY KEY, VARCHAR for TEXT or names in other
    case the file reads right, but nothing keeps a writer from making it wrong.

    Fix: `zarrdb vacuum` writes the tables as the format has them.
    """


@declaration("container/no-unique-key", level="error", subject="container", requires=_TABLES)
def no_unique_key() -> None:
    """Nothing keeps the keys unique.

    Why: the column `k` is neither the primary key nor unique under the BINARY collation, so a
    key can be stored twice, and replacing a value fails or adds a second row.

    Fix: `zarrdb vacuum` writes the tables as the format has them.
    """


@declaration("container/wrong-collation", level="error", subject="container", requires=_TABLES)
def wrong_collation() -> None:
    """Keys are compared other than byte for byte.

    Why: under NOCASE or RTRIM keys that differ in case or trailing blanks are one: writing
    one overwrites the other.

    Fix: `zarrdb vacuum` writes the tables as the format has them.
    """


@declaration("container/bad-record", level="error", subject="container", requires=_TABLES)
def bad_record() -> None:
    """A required metadata record is missing, not text, or there with two values; or NULL in any.

    Why: `sqlitestore_version`, `compatible_flags` and `incompatible_flags` tell how the file
    is to be read; readers must refuse it without them. No record at all may hold NULL.

    Fix: write the store again, or insert the record.
    """


@declaration("container/extra-record", level="warning", subject="container", requires=_TABLES)
def extra_record() -> None:
    """A metadata record that the format does not describe, or one written twice alike.

    Why: writers must not add records of their own; readers ignore them.

    Fix: keep such facts in the attributes of the root group.
    """


@declaration(
    "container/bad-version",
    level="error",
    subject="container",
    requires=("container/bad-record",),
)
def bad_version() -> None:
    """`sqlitestore_version` is not MAJOR.MINOR, or a major version that is not 1.

    Why: readers must refuse a major version they do not know, and cannot tell what a
    malformed one means.

    Fix: version 1.0 is written exactly `1.0`.
    """


@declaration(
    "container/newer-minor-version",
    level="info",
    subject="container",
    requires=("container/bad-version",),
)
def newer_minor_version() -> None:
    """The file declares a newer minor version of the format.

    Why: it can be read all the same, unless it names an unknown incompatible flag.

    Fix: nothing needs to be done; a newer zarrdb may know more about it.
    """


@declaration(
    "container/unknown-incompatible-flag",
    level="error",
    subject="container",
    requires=("container/bad-record",),
)
def unknown_incompatible_flag() -> None:
    """The file uses an incompatible flag that is not known.

    Why: version 1.0 defines none; readers must refuse a file with a flag they do not know.

    Fix: a newer zarrdb may read it; a writer of version 1.0 stores the empty text.
    """


@declaration(
    "container/unknown-compatible-flag",
    level="warning",
    subject="container",
    requires=("container/bad-record",),
)
def unknown_compatible_flag() -> None:
    """`compatible_flags` is not empty in a file of version 1.0.

    Why: version 1.0 defines no flags and its writers must store the empty text; readers
    ignore what they do not know.

    Fix: store the empty text.
    """


@declaration(
    "container/bad-modified-at",
    level="error",
    subject="container",
    requires=_TABLES,
    fixable=True,
)
def bad_modified_at() -> None:
    """`modified_at` is not a time of RFC 3339.

    Why: it must have the form 2026-11-30T12:00:00Z, with an upper-case T and an offset, and
    name a day that exists; readers may treat it as absent.

    Fix: any write by zarrdb sets it anew.
    """


@declaration(
    "container/modified-at-not-utc",
    level="warning",
    subject="container",
    requires=("container/bad-modified-at", "container/missing-table"),
    fixable=True,
)
def modified_at_not_utc() -> None:
    """`modified_at` is not given in UTC with an upper-case Z.

    Why: the format asks for UTC, so that times of two files compare as texts.

    Fix: any write by zarrdb sets it anew.
    """


@declaration(
    "container/created-by-not-text", level="warning", subject="container", requires=_TABLES
)
def created_by_not_text() -> None:
    """`created_by` is not text, or text that is no Unicode.

    Why: reading the records fails in programs that expect text.

    Fix: replace the record.
    """


@declaration(
    "container/created-by-control-character",
    level="info",
    subject="container",
    requires=_TABLES,
)
def created_by_control_character() -> None:
    """`created_by` holds control characters.

    Why: printed as they are, they may steer a terminal. zarrdb shows them escaped.

    Fix: replace the record.
    """


@declaration("container/trigger", level="warning", subject="container", requires=_TABLES)
def trigger() -> None:
    """A trigger stands on a table of the format.

    Why: whatever a writer stores, the trigger may change or delete it. zarrdb reads such a
    file and refuses to write to it.

    Fix: drop the trigger.
    """


@declaration("container/extra-table", level="warning", subject="container", requires=_TABLES)
def extra_table() -> None:
    """A table that is not part of the format.

    Why: the format has exactly two tables; readers ignore others, and tools that copy keys
    and values lose them.

    Fix: keep other tables in another file.
    """


@declaration("container/extra-object", level="info", subject="container", requires=_TABLES)
def extra_object() -> None:
    """A view or index that is not part of the format.

    Why: readers ignore it; it takes space, and `vacuum` leaves it out.

    Fix: drop it if nobody needs it.
    """
