"""Rules on the container as a file: its header, pages, journal and sidecars.

Declarations: the facts are collected by `zarrdb.db.inspect`, whose problems carry the name
of the rule as their reason.
"""

from zarrdb.lint.rule import declaration

_READABLE = ("container/unreadable",)


@declaration("container/unreadable", level="error", subject="container")
def unreadable() -> None:
    """The file is no store of any kind.

    Why: it is not a SQLite database, zip file or directory store, so there is nothing to
    check. The exit code is 3, so that it is not taken for a checked file.

    Fix: look at what it is; often it is an error page, an incomplete download, or a file of
    another format under the wrong name.
    """


@declaration("container/truncated", level="error", subject="container", requires=_READABLE)
def truncated() -> None:
    """The file is shorter than its own header, or the directory of a zip, says.

    Why: the end of the file is missing; every read of a value that lay there fails, or the
    whole file does.

    Fix: copy or download the file again and compare sizes.
    """


@declaration(
    "container/corrupt", level="error", subject="container", requires=("container/truncated",)
)
def corrupt() -> None:
    """The database or the zip is damaged.

    Why: pages, the schema or the free list contradict one another, or members of a zip have
    another checksum; values may be lost or wrong. Keys that can still be read are judged all
    the same.

    Fix: restore a copy. `zarrdb export` saves what can be read.
    """


@declaration(
    "container/trailing-bytes",
    level="warning",
    subject="container",
    requires=("container/truncated",),
)
def trailing_bytes() -> None:
    """There are bytes after the last page.

    Why: they belong to no page and are read by nobody: an appended file, or the rest of an
    older and larger one.

    Fix: `zarrdb vacuum` writes the file without them.
    """


@declaration(
    "container/wrong-application-id",
    level="error",
    subject="container",
    requires=_READABLE,
    fixable=True,
)
def wrong_application_id() -> None:
    """Bytes 68 to 71 do not hold the application id of the format, 0x10b50760.

    Why: this number is what tells a .zarrdb from other SQLite files. Readers may refuse the
    file, and writing commands do.

    Fix: if the file is a store, `PRAGMA application_id = 0x10b50760` sets it.
    """


@declaration("container/legacy-store", level="info", subject="container", requires=_READABLE)
def legacy_store() -> None:
    """The file is a SQLite store of zarr-python 2.

    Why: it holds keys and values but nothing that says so; only this library and
    zarr-python 2 read it.

    Fix: `zarrdb import` turns it into a .zarrdb.
    """


@declaration(
    "container/wal-mode", level="warning", subject="container", requires=_READABLE, fixable=True
)
def wal_mode() -> None:
    """The header says that the file is in WAL mode.

    Why: rows may have been left in a `-wal` file that was not shipped, and readers of the
    file leave `-wal` and `-shm` files beside it or fail where they cannot.

    Fix: `zarrdb vacuum` folds the log in and returns the file to DELETE mode.
    """


@declaration("container/empty-wal-store", level="error", subject="container", requires=_READABLE)
def empty_wal_store() -> None:
    """The file is in WAL mode and holds no key.

    Why: everything was written to a `-wal` file that was not shipped with it.

    Fix: get the `-wal` file from where the store was written, put it beside the file, and
    run `zarrdb vacuum`.
    """


@declaration(
    "container/unmerged-log",
    level="error",
    subject="container",
    requires=_READABLE,
    fixable=True,
)
def unmerged_log() -> None:
    """A `-wal` file with committed rows lies beside the file.

    Why: the file alone is not the data. Whoever copies only the file loses rows without any
    message.

    Fix: `zarrdb vacuum` folds the log in.
    """


@declaration("container/hot-journal", level="error", subject="container", requires=_READABLE)
def hot_journal() -> None:
    """An interrupted transaction has to be rolled back first.

    Why: the file is half written; the `-journal` beside it holds what it was before.

    Fix: opening the file for writing once rolls back, as `zarrdb vacuum` does.
    """


@declaration("container/foreign-log", level="error", subject="container", requires=_READABLE)
def foreign_log() -> None:
    """A `-wal` file that does not belong to this file lies beside it.

    Why: SQLite goes by the name and would replay it: the pages of another file, written into
    this one for good.

    Fix: move the `-wal` file away before anything opens the file.
    """


@declaration(
    "container/stale-sidecar",
    level="warning",
    subject="container",
    requires=_READABLE,
    fixable=True,
)
def stale_sidecar() -> None:
    """A `-wal`, `-shm` or `-journal` file with nothing valid in it lies beside the file.

    Why: it holds no data, but travels along, confuses, and may hide a real one.

    Fix: delete it while nobody has the file open.
    """


@declaration(
    "container/free-pages", level="info", subject="container", requires=("container/corrupt",)
)
def free_pages() -> None:
    """The file has pages that hold nothing.

    Why: deleted and replaced values leave them; they are stored and shipped.

    Fix: `zarrdb vacuum` gives them back.
    """


@declaration("container/wrong-extension", level="info", subject="container", requires=_READABLE)
def wrong_extension() -> None:
    """The name does not end in `.zarrdb`.

    Why: the extension is a recommendation; readers go by the content.

    Fix: rename the file.
    """


@declaration("container/superseded-entry", level="warning", subject="container")
def superseded_entry() -> None:
    """The zip file holds a member more than once.

    Why: the last one counts, but some tools take the first and see older metadata. The older
    ones take space.

    Fix: `zarrdb import` keeps the last of each.
    """


@declaration("container/newer-sqlite", level="info", subject="container")
def newer_sqlite() -> None:
    """The schema needs a newer SQLite than the format asks for.

    Why: WITHOUT ROWID, STRICT and generated columns are unknown to SQLite 3.7.17, which the
    format names as enough to read a file; old programs cannot open this one.

    Fix: `zarrdb vacuum` writes the tables in their plain form.
    """
