"""What is wrong with a container before its keys are looked at: file, schema, sidecars."""

from collections.abc import Iterator, Sequence
from typing import Final

from zarrdb.db.failures import SETTLE_HINT
from zarrdb.db.header import CODECS, MAGIC, SIZE, Header
from zarrdb.db.problem import Blocks, Problem
from zarrdb.db.schema import BUILT_IN_COLLATIONS, Column, SchemaObject, Table
from zarrdb.db.ways import FileState
from zarrdb.keys import printable
from zarrdb.spec import APPLICATION_ID, DATA_TABLE, EXTENSION, METADATA_TABLE

_KNOWN_STARTS: Final = (
    (b"PK\x03\x04", "looks like a zip archive", "`zarrdb import` reads zip stores"),
    (b"PK\x05\x06", "looks like an empty zip archive", None),
    (b"\x89HDF\r\n\x1a\n", "looks like an HDF5 file", None),
    (b"CDF", "looks like a netCDF file", None),
    (b"\x1f\x8b", "looks like a gzip file", "decompress it first"),
    (b"\x28\xb5\x2f\xfd", "looks like a zstd file", "decompress it first"),
    (b"<", "looks like a web page", "a download may have failed"),
    (b"{", "looks like JSON", None),
)
_VACUUM_HINT: Final = "`zarrdb vacuum` folds it in"


def judge_file(state: FileState) -> Iterator[Problem]:
    """What is wrong with the bytes of the file and with what lies beside it."""
    header = state.header
    if header is None:
        yield _not_sqlite(state)
        return
    yield from _judge_size(header, state)
    yield from judge_application_id(header)
    yield from _judge_sidecars(header, state)
    if header.free_pages:
        free = header.free_pages * header.page_size
        yield Problem("free-pages", f"{header.free_pages:,} free pages ({free:,} bytes)")
    if not state.name.endswith(EXTENSION):
        yield Problem("wrong-extension", f"its name does not end in {EXTENSION}")


def _not_sqlite(state: FileState) -> Problem:
    if len(MAGIC) < state.size < SIZE and state.start.startswith(MAGIC):
        message = f"truncated: {state.size} bytes, less than the header of a SQLite database"
        return Problem("truncated", message, "fetch it again", "", "reading")
    if state.size == 0:
        return Problem("unreadable", "is empty: not a SQLite database", None, "", "reading")
    found = (known[1:] for known in _KNOWN_STARTS if state.start.startswith(known[0]))
    what, hint = next(found, ("", None))
    message = "is not a SQLite database" + (f": it {what}" if what else "")
    return Problem("unreadable", message, hint, "", "reading")


def _judge_size(header: Header, state: FileState) -> Iterator[Problem]:
    page_size = header.page_size
    if not 512 <= page_size <= 65536 or page_size & (page_size - 1):
        yield Problem("corrupt", f"page size {page_size} is impossible", None, "", "reading")
        return
    if header.read_version > 2:
        message = f"read format version {header.read_version} is unknown"
        yield Problem("corrupt", message, "a newer SQLite may read it", "", "reading")
    elif header.write_version > 2:
        message = f"write format version {header.write_version} is unknown"
        yield Problem("corrupt", message, "a newer SQLite may write it", "", "writing")
    if header.encoding not in (0, *CODECS):
        message = f"text encoding {header.encoding} is unknown"
        yield Problem("corrupt", message, None, "", "reading")
    if _is_in_flux(state):
        return
    expected = header.page_count * page_size if header.counts_pages else page_size
    if state.size < expected:
        message = f"truncated: {state.size:,} bytes, of {expected:,} that its header tells of"
        yield Problem("truncated", message, "fetch it again", "", "reading")
    elif header.counts_pages and state.size > expected:
        yield Problem("trailing-bytes", f"{state.size - expected:,} bytes after the last page")


def _is_in_flux(state: FileState) -> bool:
    """Whether the header may rightly disagree with the size: pages are still in a log."""
    return any(s.state in ("committed", "active", "hot") for s in state.sidecars)


def judge_application_id(header: Header) -> Iterator[Problem]:
    """Whether the file is marked as a store of this format."""
    found = header.application_id
    if found == APPLICATION_ID:
        return
    blocks: Blocks = "reading"
    hint = None
    if found == 0:
        message, blocks = "application id is 0, not 0x10b50760", "writing"
        hint = "`zarrdb check --fix` sets it"
    elif found == int.from_bytes(APPLICATION_ID.to_bytes(4, "big"), "little"):
        message = f"application id is 0x{found:08x}: 0x10b50760 with its bytes swapped"
    else:
        name = found.to_bytes(4, "big")
        shown = f' ("{name.decode("ascii")}")' if name.isalnum() else ""
        message = f"application id is 0x{found:08x}{shown}: the file of another program"
    yield Problem("wrong-application-id", message, hint, "", blocks)


def _judge_sidecars(header: Header, state: FileState) -> Iterator[Problem]:
    if header.wal:
        message = "the header says WAL: rows may be in a -wal file that was not shipped"
        yield Problem("wal-mode", message, _VACUUM_HINT)
    for sidecar in state.sidecars:
        suffix, what = sidecar.suffix, sidecar.state
        if what == "committed":
            message = f"rows are in the {suffix} beside it: the file alone is not the data"
            yield Problem("unmerged-log", message, _VACUUM_HINT, suffix)
        elif what == "hot":
            message = f"a transaction was interrupted: its {suffix} has to be rolled back first"
            yield Problem("hot-journal", message, SETTLE_HINT, suffix, "reading")
        elif what == "foreign":
            message = f"the {suffix} beside it belongs to another file: SQLite would replay it"
            hint = "move it away, or bring the file that it belongs to"
            yield Problem("foreign-log", message, hint, suffix, "reading")
        elif what != "active" and (what != "index" or state.sidecar("-wal") is None):
            # The index of a log goes with the log.
            message = f"a {suffix} with nothing in it that counts ({sidecar.size:,} bytes)"
            yield Problem("stale-sidecar", message, None, suffix)


def judge_schema(
    header: Header, objects: Sequence[SchemaObject], data: Table | None, metadata: Table | None
) -> Iterator[Problem]:
    """What is wrong with tables, columns and other objects."""
    yield from _judge_tables(header, objects, data, metadata)
    if data is not None:
        yield from _judge_columns(data, {"k": "TEXT", "v": "BLOB"})
        yield from _judge_key(data)
    if metadata is not None:
        yield from _judge_columns(metadata, {"k": "TEXT", "v": "TEXT"})
    yield from _judge_others(objects, data, metadata)


def _judge_tables(
    header: Header, objects: Sequence[SchemaObject], data: Table | None, metadata: Table | None
) -> Iterator[Problem]:
    missing = [
        name for name, table in ((DATA_TABLE, data), (METADATA_TABLE, metadata)) if table is None
    ]
    if data is not None and metadata is None and is_legacy(data, header):
        message = "is a SQLite store of zarr-python 2"
        import_it = "`zarrdb import` turns it into a .zarrdb"
        yield Problem("legacy-store", message, import_it, "", "reading")
    hint = "its rows may be in a -wal file that was not shipped" if header.wal else None
    for name in missing:
        other = next((o for o in objects if o.name.lower() == name), None)
        what = f"is a {other.type}, not a table" if other else "is missing"
        yield Problem("missing-table", f"table {name} {what}", hint, name, "reading")


def is_legacy(data: Table, header: Header) -> bool:
    """Whether a file without the metadata table is zarr-python 2's."""
    return header.application_id == 0 and {c.name for c in data.columns} == {"k", "v"}


def _judge_columns(table: Table, wanted: dict[str, str]) -> Iterator[Problem]:
    for name, declared in wanted.items():
        column = table.column(name)
        if column is None:
            message = f"column {name} of table {table.name} is missing"
            yield Problem("wrong-column", message, None, name, "reading")
        elif column.generated:
            message = f"column {name} of table {table.name} is generated, not stored"
            yield Problem("wrong-column", message, None, name, "reading")
        else:
            yield from _judge_column(table, column, declared)
    for column in table.columns:
        if column.name.lower() not in wanted:
            shown = printable(column.name)
            message = f"table {table.name} has a column {shown}, which the format does not have"
            yield Problem("extra-column", message, None, shown, "writing")
    loose = [c.name for c in table.columns if not c.not_null and c.name.lower() in wanted]
    if loose:
        message = f"columns of table {table.name} without NOT NULL: {', '.join(loose)}"
        yield Problem("loose-schema", message, None, table.name)
    if table.name not in (DATA_TABLE, METADATA_TABLE) or any(
        c.name.lower() in wanted and c.name not in wanted for c in table.columns
    ):
        message = f"names of table {table.name} or its columns differ in case"
        yield Problem("loose-schema", message, None, table.name)


def _judge_column(table: Table, column: Column, wanted: str) -> Iterator[Problem]:
    if column.declared.upper() == wanted:
        return
    declared = (
        f"declared {printable(column.declared)}" if column.declared else "declared without a type"
    )
    message = f"column {column.name} of table {table.name} is {declared}, not {wanted}"
    if column.affinity == wanted:
        yield Problem("loose-schema", message, None, column.name)
        return
    # Text that looks like a number would have become one.
    blocks: Blocks = "reading" if column.affinity == "NUMERIC" and wanted == "TEXT" else "writing"
    yield Problem("wrong-column", message, None, column.name, blocks)


def _judge_key(table: Table) -> Iterator[Problem]:
    key = table.column("k")
    if key is None:
        return
    collations = {key.collation, *(index.columns[0][1] for index in table.unique_indexes("k"))}
    unknown = sorted(collations - BUILT_IN_COLLATIONS)
    if unknown:
        shown = printable(", ".join(unknown))
        message = f"keys compare by {shown}, which this SQLite does not have"
        yield Problem("wrong-collation", message, None, "k", "reading")
    elif collations != {"BINARY"}:
        message = f"keys compare by {', '.join(sorted(collations - {'BINARY'}))}, not by BINARY"
        yield Problem("wrong-collation", message, None, "k", "writing")
    unique = table.unique_indexes("k")
    primary = [c.name for c in table.columns if c.primary_key]
    if not unique:
        message = f"nothing keeps the keys of table {table.name} unique"
        yield Problem("no-unique-key", message, None, "k", "writing")
    elif primary and primary != [key.name]:
        message = f"the primary key of table {table.name} is {printable(', '.join(primary))}, not k"
        yield Problem("no-unique-key", message, None, "k", "writing")
    elif not primary:
        message = f"column k of table {table.name} is unique, but not the primary key"
        yield Problem("loose-schema", message, None, "k")


def _judge_others(
    objects: Sequence[SchemaObject], data: Table | None, metadata: Table | None
) -> Iterator[Problem]:
    ours = {table.name for table in (data, metadata) if table is not None}
    for entry in objects:
        shown = printable(entry.name)
        if entry.type == "trigger":
            blocks: Blocks = (
                "writing" if entry.table.lower() in (DATA_TABLE, METADATA_TABLE) else ""
            )
            message = f"trigger {shown} on table {printable(entry.table)}"
            yield Problem("trigger", message, "writing would run it", shown, blocks)
        elif entry.type in ("table", "virtual table"):
            if entry.name not in ours and not entry.name.lower().startswith("sqlite_"):
                message = f"{entry.type} {shown} is not part of the format"
                yield Problem("extra-table", message, None, shown)
        elif entry.type in ("view", "index"):
            message = f"{entry.type} {shown} is not part of the format"
            yield Problem("extra-object", message, None, shown)
        else:
            continue
    for table in (data, metadata):
        if table is not None and (table.without_rowid or table.strict or table.generated):
            needs = [
                ("WITHOUT ROWID", table.without_rowid),
                ("STRICT", table.strict),
                ("generated columns", table.generated),
            ]
            features = ", ".join(name for name, used in needs if used)
            message = f"table {table.name} uses {features}: needs a newer SQLite than 3.7.17"
            yield Problem("newer-sqlite", message, None, table.name)
