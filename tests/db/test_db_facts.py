"""Facts: header, times, sidecars, tables, and what they say of a file."""

import struct
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_db import SCHEMA, in_child_as_nobody, make_database
from zarrdb.db import Database, inspect, moment
from zarrdb.db.header import parse
from zarrdb.db.limits import record_size
from zarrdb.errors import (
    ContainerError,
    CorruptError,
    MissingError,
    NotAStoreError,
    SourceError,
    UnsupportedError,
)

# The header


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_the_header_says_what_sqlite_says(page_size: int, encoding: str, tmp_path: Path) -> None:
    path = make_database(
        tmp_path / "x.zarrdb", "PRAGMA user_version = -7", page_size=page_size, encoding=encoding
    )
    connection = apsw.Connection(str(path))
    connection.execute("CREATE TABLE gone AS SELECT zeroblob(300000) AS x")
    connection.execute("DROP TABLE gone")
    header = inspect(path).header
    assert header is not None
    assert header.page_size == connection.pragma("page_size")
    assert header.encoding_name == connection.pragma("encoding")
    assert header.page_count == connection.pragma("page_count")
    assert header.free_pages == connection.pragma("freelist_count")
    assert header.free_pages > 0
    assert header.application_id == connection.pragma("application_id")
    assert header.user_version == -7 % 2**32
    assert header.counts_pages
    assert not header.wal
    assert inspect(path).free_bytes == header.free_pages * page_size
    connection.close()


@given(st.binary(max_size=120))
def test_any_bytes_have_a_header_or_none(data: bytes) -> None:
    assert parse(data) is None
    whole = parse((b"SQLite format 3\0" + data).ljust(100, b"\0"))
    assert whole is not None


# Times

YEARS = datetime(1, 1, 2), datetime(9999, 12, 30)  # noqa: DTZ001


@given(st.datetimes(*YEARS), st.integers(-1439, 1439))
def test_times_mean_what_they_say(local: datetime, minutes: int) -> None:
    sign = "-" if minutes < 0 else "+"
    offset = f"{sign}{abs(minutes) // 60:02d}:{abs(minutes) % 60:02d}"
    text = local.isoformat(timespec="milliseconds") + offset
    found = moment.parse(text)
    assert (found.problem, found.in_utc) == ("", False)
    assert found.utc is not None
    assert datetime.fromisoformat(found.utc) == datetime.fromisoformat(text)


@given(st.integers(0, 253402300799))
def test_times_we_write_are_read_back(seconds: int) -> None:
    text = moment.at(seconds + 0.25)
    assert text.endswith(".250Z")
    assert moment.parse(text) == moment.Moment(text)
    assert datetime.fromisoformat(text) == datetime.fromtimestamp(seconds + 0.25, UTC)


@given(st.text("0123456789-:TtZz+. ,", max_size=30))
def test_any_text_is_a_time_or_not(text: str) -> None:
    found = moment.parse(text)
    if found.utc is None:
        assert found.problem
    elif not found.problem and found.in_utc:
        assert found.utc == text


@pytest.mark.parametrize(
    ("text", "utc", "problem", "in_utc"),
    [
        ("1999-12-31T23:59:59.999Z", "1999-12-31T23:59:59.999Z", "", True),
        ("1998-12-31T23:59:60Z", "1998-12-31T23:59:60Z", "", True),
        ("2024-02-29T05:30:00+05:30", "2024-02-29T00:00:00Z", "", False),
        ("2024-02-29T00:00:00z", "2024-02-29T00:00:00Z", "", False),
        ("2024-02-29T00:00:00", "2024-02-29T00:00:00Z", "no offset", True),
        ("2024-02-29t00:00:00Z", "2024-02-29T00:00:00Z", "upper-case T", True),
        ("2024-02-29 00:00:00", "2024-02-29T00:00:00Z", "upper-case T", True),
        ("2023-02-29T00:00:00Z", None, "not a date and a time", True),
        ("1900-02-29T00:00:00Z", None, "not a date and a time", True),
        ("2024-01-01T24:00:00Z", None, "not a date and a time", True),
        ("2024-01-01T00:00:00.Z", None, "not a date and a time", True),
        ("2024-01-01T00:00:00,5Z", None, "offset", True),
        ("2024-01-01T00:00:00+0000", None, "offset", True),
        ("2024-01-01T00:00:00+24:00", None, "offset", True),
        ("0001-01-01T00:00:00+01:00", None, "", False),
        ("\u0662024-01-01T00:00:00Z", None, "not a date and a time", True),
        ("now", None, "not a date and a time", True),
    ],
)
def test_times(text: str, utc: str | None, problem: str, in_utc: bool) -> None:
    found = moment.parse(text)
    assert found.utc == utc
    assert problem in found.problem
    assert bool(problem) == bool(found.problem)
    assert found.in_utc == in_utc


# Files


def test_what_is_no_regular_file(tmp_path: Path) -> None:
    import os

    fifo = tmp_path / "fifo.zarrdb"
    os.mkfifo(fifo)
    dangling = tmp_path / "dangling.zarrdb"
    dangling.symlink_to(tmp_path / "nowhere")
    looping = tmp_path / "loop.zarrdb"
    looping.symlink_to(looping)
    for path, kind in (
        (fifo, NotAStoreError),
        (tmp_path, NotAStoreError),
        (Path("/dev/null"), NotAStoreError),
        (tmp_path / "missing.zarrdb", MissingError),
        (dangling, MissingError),
        (looping, SourceError),
        (tmp_path / "a\0b", MissingError),
        (tmp_path / "\udcff.zarrdb", MissingError),
        (tmp_path / ("x" * 300), SourceError),
    ):
        for use in (inspect, Database.open):
            with pytest.raises(kind):
                use(path)
    assert issubclass(MissingError, FileNotFoundError)


def test_a_file_that_cannot_be_read(tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb")
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    path.chmod(0)

    def work() -> bool:
        for use in (inspect, Database.open):
            with pytest.raises(SourceError, match="permission denied"):
                use(path)
        return True

    assert in_child_as_nobody(work)


@pytest.mark.parametrize(
    "name", ["a b.zarrdb", "50%25.zarrdb", "q?mode=rw#x.zarrdb", "ü\u202e.zarrdb", "-x.zarrdb"]
)
def test_names_of_files_are_just_names(name: str, tmp_path: Path) -> None:
    with Database.open(tmp_path / name, mode="create") as database:
        database.set("a", b"1")
    assert [path.name for path in tmp_path.iterdir()] == [name]
    with Database.open(tmp_path / name) as database:
        assert database.get("a") == b"1"


def test_a_name_that_is_not_unicode(tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb", keys=[("a", b"1")])
    odd = tmp_path / "\udcff.zarrdb"
    path.rename(odd)
    with pytest.raises(SourceError, match=r"\\udcff"):
        Database.open(odd)


def test_a_link_is_followed(tmp_path: Path) -> None:
    make_database(tmp_path / "x.zarrdb", keys=[("a", b"1")])
    (tmp_path / "link.zarrdb").symlink_to("x.zarrdb")
    with Database.open(tmp_path / "link.zarrdb", mode="rw") as database:
        database.set("b", b"2")
    with Database.open(tmp_path / "x.zarrdb") as database:
        assert list(database.list()) == ["a", "b"]


def test_relative_paths_and_the_working_directory(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    make_database(tmp_path / "x.zarrdb", keys=[("a", b"1")])
    monkeypatch.chdir(tmp_path)
    with Database.open("x.zarrdb", mode="rw") as database:
        monkeypatch.chdir(tmp_path.parent)
        database.set("b", b"2")
        assert database.path == str(tmp_path / "x.zarrdb")


def test_an_index_of_a_log_without_its_log_is_left_over(tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb")
    (tmp_path / "x.zarrdb-shm").write_bytes(bytes(32768))
    (problem,) = inspect(path).problems
    assert (problem.reason, problem.subject) == ("stale-sidecar", "-shm")
    (tmp_path / "x.zarrdb-wal").write_bytes(b"")
    assert [p.subject for p in inspect(path).problems] == ["-wal"]


def test_sizes_before_content(tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb", keys=[("a", bytes(50_000))])
    data = path.read_bytes()
    path.write_bytes(data[:-1])
    (problem,) = inspect(path).problems
    assert problem.reason == "truncated"
    path.write_bytes(data + b"tail")
    (problem,) = inspect(path).problems
    assert problem.reason == "trailing-bytes"
    # A header without a page count, as old versions of SQLite wrote it.
    old = bytearray(data)
    old[28:32] = bytes(4)
    path.write_bytes(old)
    assert inspect(path, integrity=True).problems == ()


def test_a_file_that_only_a_newer_sqlite_may_write(tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb", keys=[("a", b"1")])
    content = bytearray(path.read_bytes())
    content[18] = 3
    path.write_bytes(content)
    facts = inspect(path, integrity=True)
    assert [problem.message for problem in facts.problems] == ["write format version 3 is unknown"]
    assert facts.data is not None
    with Database.open(path) as database:
        assert database.get("a") == b"1"
    with pytest.raises(CorruptError, match="write format version 3"):
        Database.open(path, mode="rw")
    assert path.read_bytes() == content


def test_integrity_reads_every_page(tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb", keys=[("a", bytes(50_000)), ("b", b"")])
    data = bytearray(path.read_bytes())
    # The chain of the large value ends too early.
    chained = next(
        at
        for at in range(4096, len(data), 4096)
        if data[at : at + 4] == struct.pack(">I", at // 4096 + 2)
    )
    data[chained : chained + 4] = bytes(4)
    path.write_bytes(data)
    assert inspect(path).problems == ()
    problems = inspect(path, integrity=True).problems
    assert {problem.reason for problem in problems} == {"corrupt"}
    assert all("\n" not in problem.message for problem in problems)


def test_virtual_tables_are_not_asked_for_their_integrity(tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb", "CREATE VIRTUAL TABLE search USING fts5(x)")
    reasons = {problem.reason for problem in inspect(path, integrity=True).problems}
    assert reasons == {"extra-table"}


@given(st.text(max_size=300), st.integers(0, 3000))
def test_record_sizes_are_sqlites(key: str, size: int) -> None:
    connection = apsw.Connection(":memory:")
    connection.execute("CREATE TABLE t (k TEXT, v BLOB)")
    if "\0" in key:
        key = key.replace("\0", "")
    wanted = record_size(key, size)
    connection.limit(apsw.SQLITE_LIMIT_LENGTH, wanted)
    connection.execute("INSERT INTO t VALUES (?, zeroblob(?))", (key, size))
    # SQLite does not take a smaller limit than 30.
    if wanted > 30:
        connection.limit(apsw.SQLITE_LIMIT_LENGTH, wanted - 1)
        with pytest.raises(apsw.TooBigError):
            connection.execute("INSERT INTO t VALUES (?, zeroblob(?))", (key, size))
    connection.close()


# Records


@pytest.mark.parametrize(
    ("version", "reason"),
    [
        ("1.0", None),
        ("1.1", "newer-minor-version"),
        ("1.10", "newer-minor-version"),
        ("1." + "9" * 5000, "newer-minor-version"),
        ("2.0", "bad-version"),
        ("10.0", "bad-version"),
        ("0.9", "bad-version"),
        ("1.00", "bad-version"),
        ("1.0 ", "bad-version"),
        ("1.\u0661", "bad-version"),
        ("-1.0", "bad-version"),
        ("1.0\0", "bad-version"),
    ],
)
def test_versions(version: str, reason: str | None, tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb")
    connection = apsw.Connection(str(path))
    connection.execute(
        "UPDATE zarr_sqlitestore_metadata SET v = ? WHERE k = 'sqlitestore_version'", (version,)
    )
    connection.close()
    assert [problem.reason for problem in inspect(path).problems] == ([reason] if reason else [])
    if reason == "bad-version":
        with pytest.raises(UnsupportedError, match="sqlitestore_version"):
            Database.open(path)
    else:
        Database.open(path).close()


@pytest.mark.parametrize(
    ("statement", "reasons"),
    [
        ("DELETE FROM {} WHERE k = 'incompatible_flags'", {"bad-record"}),
        ("UPDATE {} SET v = x'31' WHERE k = 'compatible_flags'", {"bad-record"}),
        ("UPDATE {} SET v = 'a,,b' WHERE k = 'incompatible_flags'", {"unknown-incompatible-flag"}),
        ("UPDATE {} SET v = 'a' WHERE k = 'compatible_flags'", {"unknown-compatible-flag"}),
        ("INSERT INTO {} VALUES ('Created_By', 'x')", {"extra-record"}),
        ("INSERT INTO {} VALUES (x'00', x'00')", {"extra-record"}),
        ("INSERT INTO {} VALUES ('created_by', x'ff')", {"created-by-not-text"}),
        ("INSERT INTO {} VALUES ('modified_at', 5.5)", {"bad-modified-at"}),
        ("INSERT INTO {} VALUES ('modified_at', CAST(x'ff' AS TEXT))", {"bad-modified-at"}),
    ],
)
def test_records_that_are_wrong(statement: str, reasons: set[str], tmp_path: Path) -> None:
    table = "zarr_sqlitestore_metadata"
    path = make_database(tmp_path / "x.zarrdb", statement.format(table))
    facts = inspect(path)
    assert {problem.reason for problem in facts.problems} == reasons
    assert all(problem.message.isprintable() for problem in facts.problems)
    if any(problem.blocks == "reading" for problem in facts.problems):
        with pytest.raises(ContainerError):
            Database.open(path)
    else:
        Database.open(path, mode="rw").close()


@pytest.mark.parametrize(
    ("row", "reasons"),
    [
        ("('created_by', NULL)", {"bad-record"}),
        ("('modified_at', NULL)", {"bad-modified-at"}),
        ("('other', NULL)", {"bad-record", "extra-record"}),
        ("(NULL, 'x')", {"bad-record", "extra-record"}),
        ("(NULL, NULL)", {"bad-record", "extra-record"}),
    ],
)
def test_no_record_may_hold_null(row: str, reasons: set[str], tmp_path: Path) -> None:
    loose = "CREATE TABLE zarr_sqlitestore_metadata (k TEXT PRIMARY KEY, v TEXT)"
    insert = f"INSERT INTO zarr_sqlitestore_metadata VALUES {row}"
    path = make_database(tmp_path / "x.zarrdb", insert, schema=(loose, *SCHEMA[1:]))
    assert {problem.reason for problem in inspect(path).problems} == {"loose-schema", *reasons}
    Database.open(path).close()


@pytest.mark.parametrize("record", ["compatible_flags", "incompatible_flags"])
def test_thousands_of_flags_are_counted(record: str, tmp_path: Path) -> None:
    flags = ",".join(f"flag{number}" for number in range(5000))
    statement = f"UPDATE zarr_sqlitestore_metadata SET v = '{flags}' WHERE k = '{record}'"
    facts = inspect(make_database(tmp_path / "x.zarrdb", statement))
    (problem,) = facts.problems
    assert '"flag0", "flag1"' in problem.message
    assert "4,980 more" in problem.message
    assert len(problem.message) < 500


def test_records_in_utf16(tmp_path: Path) -> None:
    path = make_database(
        tmp_path / "x.zarrdb",
        "INSERT INTO zarr_sqlitestore_metadata VALUES ('created_by', 'Zoë')",
        encoding="UTF-16be",
    )
    assert inspect(path).record("created_by") == "Zoë"
    with Database.open(path, mode="rw") as database:
        database.set_record("created_by", "Ünï")
        assert database.records()["created_by"] == "Ünï"


# Tables


def test_tables_as_values(tmp_path: Path) -> None:
    path = make_database(
        tmp_path / "x.zarrdb",
        schema=(
            SCHEMA[0],
            'CREATE TABLE Zarr ("K" text PRIMARY KEY, v BLOB NOT NULL) STRICT, WITHOUT ROWID',
            *SCHEMA[2:],
        ),
    )
    facts = inspect(path)
    assert facts.kind == "zarrdb"
    assert facts.data is not None
    assert (facts.data.name, facts.data.strict, facts.data.without_rowid) == ("Zarr", True, True)
    key = facts.data.column("k")
    assert key is not None
    assert (key.name, key.declared, key.primary_key, key.collation) == ("K", "TEXT", 1, "BINARY")
    assert {problem.reason for problem in facts.problems} == {"loose-schema", "newer-sqlite"}


@pytest.mark.parametrize(
    ("before", "after", "without_rowid", "strict"),
    [
        ("", "-- WITHOUT ROWID, STRICT", False, False),
        ("", "/* ) STRICT */", False, False),
        ("", "WITHOUT ROWID -- (see below)", True, False),
        ("", "/* ) */ WITHOUT /* ( */ ROWID /* (a) STRICT */", True, False),
        ("", "without\nrowid,strict", True, True),
        ("", "STRICT -- )", False, True),
        (", CHECK (k <> ') STRICT')", "", False, False),
        (', CONSTRAINT "a) WITHOUT ROWID" CHECK (1)', "", False, False),
        (", CONSTRAINT [a) STRICT] CHECK (1) -- )", "\nWITHOUT ROWID", True, False),
        (", CONSTRAINT `''` CHECK (1)", "WITHOUT ROWID", True, False),
    ],
)
@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le"])
def test_options_of_a_table_in_any_spelling(
    encoding: str, before: str, after: str, without_rowid: bool, strict: bool, tmp_path: Path
) -> None:
    table = f"CREATE TABLE zarr (k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL{before}\n) {after}"
    path = make_database(
        tmp_path / "x.zarrdb",
        schema=(SCHEMA[0], table, *SCHEMA[2:]),
        encoding=encoding,
        keys=[("a", b"1"), ("b", bytes(10_000))],
    )
    data = inspect(path).data
    assert data is not None
    assert (data.without_rowid, data.strict) == (without_rowid, strict)
    with Database.open(path, mode="rw") as database:
        database.set("c", b"3")
        assert database.get_range("b", 5000, 3) == bytes(3)
        assert [*database.get_many(["a", "c"])] == [("a", b"1"), ("c", b"3")]


def test_zarr_2_stores_open_for_reading_only(tmp_path: Path) -> None:
    path = make_database(
        tmp_path / "old.db",
        schema=("CREATE TABLE zarr (k TEXT PRIMARY KEY, v BLOB)",),
        keys=[(".zgroup", b"{}"), ("a/0.0", b"1")],
    )
    assert inspect(path).kind == "legacy"
    with pytest.raises(NotAStoreError, match="zarr-python 2") as caught:
        Database.open(path)
    assert caught.value.hint
    with pytest.raises(NotAStoreError):
        Database.open(path, mode="rw")
    with Database.open_legacy(path) as database:
        assert database.kind == "legacy"
        assert database.read_only
        assert list(database.list()) == [".zgroup", "a/0.0"]
        assert database.get("a/0.0") == b"1"
    other = make_database(tmp_path / "x.zarrdb")
    with pytest.raises(NotAStoreError):
        Database.open_legacy(other)
