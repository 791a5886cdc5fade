"""Writing: self-contained files, all or nothing, errors that name the key."""

import array
import os
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import apsw
import pytest

from helpers_db import (
    SCHEMA,
    folder_state,
    in_child_as_nobody,
    let_anyone_in,
    make_database,
    run_python,
)
from helpers_other import other_process
from zarrdb._version import __version__
from zarrdb.db import Database, inspect
from zarrdb.db.database import Buffer
from zarrdb.errors import (
    ForeignError,
    InvalidKeyError,
    NoSpaceError,
    NotFoundError,
    ReadOnlyError,
    SchemaError,
    SourceError,
    TargetExistsError,
    UsageError,
    ValueTooLargeError,
    ZarrdbError,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_database(tmp_path / "x.zarrdb", keys=[("zarr.json", b"{}"), ("v", b"0123456789")])


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    with Database.open(path, mode="rw") as database:
        yield database


def query(path: Path, statement: str) -> object:
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    try:
        return connection.execute(statement).get
    finally:
        connection.close()


# A new file


@pytest.mark.parametrize("page_size", [None, 512, 65536])
def test_a_new_file_is_what_the_format_wants(page_size: int | None, tmp_path: Path) -> None:
    path = tmp_path / "new.zarrdb"
    with Database.open(path, mode="create", page_size=page_size) as database:
        assert not database.read_only
        assert list(database.list()) == []
        database.set("zarr.json", b"{}")
    assert os.listdir(tmp_path) == ["new.zarrdb"]
    head = path.read_bytes()[:100]
    assert head[68:72] == bytes.fromhex("10b50760")
    assert head[18:20] == b"\1\1"
    assert query(path, "PRAGMA page_size") == page_size or 4096
    assert query(path, "PRAGMA encoding") == "UTF-8"
    assert query(path, "PRAGMA integrity_check") == "ok"
    facts = inspect(path, integrity=True)
    assert facts.problems == ()
    assert facts.record("created_by") == f"zarrdb {__version__}"
    assert facts.record("sqlitestore_version") == "1.0"
    assert facts.record("compatible_flags") == facts.record("incompatible_flags") == ""
    assert query(path, "SELECT count(*) FROM zarr_sqlitestore_metadata") == 5


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Asia/Kolkata"])
def test_modified_at_is_now_in_every_time_zone(zone: str, tmp_path: Path) -> None:
    code = """
import os, sys, time
os.environ["TZ"] = sys.argv[2]
getattr(time, "tzset", lambda: None)()
from zarrdb.db import Database
with Database.open(sys.argv[1], mode="create") as database:
    print(database.records()["modified_at"])
"""
    text = run_python(code, tmp_path / "new.zarrdb", zone)
    assert text.endswith("Z")
    assert len(text) == len("2024-02-29T00:00:00.000Z")
    assert abs((datetime.now(UTC) - datetime.fromisoformat(text)).total_seconds()) < 60


def test_modified_at_of_a_reproducible_build(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1709164800")
    for name in ("a", "b"):
        with Database.open(tmp_path / name, mode="create") as database:
            assert database.records()["modified_at"] == "2024-02-29T00:00:00.000Z"
            database.set("k", b"v")
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "yesterday")
    with pytest.raises(UsageError, match="SOURCE_DATE_EPOCH"):
        Database.open(tmp_path / "c", mode="create")


def test_creating_takes_nothing_that_exists(path: Path, tmp_path: Path) -> None:
    text = tmp_path / "text.zarrdb"
    text.write_bytes(b"not empty")
    link = tmp_path / "link.zarrdb"
    link.symlink_to(tmp_path / "nowhere")
    folder = tmp_path / "folder.zarrdb"
    folder.mkdir()
    before = folder_state_of_files(tmp_path)
    for taken in (path, text, link, folder):
        with pytest.raises(TargetExistsError) as caught:
            Database.open(taken, mode="create")
        assert isinstance(caught.value, FileExistsError)
        assert str(taken) in caught.value.message
    assert folder_state_of_files(tmp_path) == before


def folder_state_of_files(folder: Path) -> dict[str, bytes]:
    return {p.name: p.read_bytes() for p in folder.iterdir() if p.is_file()}


def test_creating_in_an_empty_file(tmp_path: Path) -> None:
    path = tmp_path / "empty.zarrdb"
    path.touch()
    Database.open(path, mode="create").close()
    assert inspect(path).problems == ()


def test_creating_where_it_cannot_be(tmp_path: Path) -> None:
    with pytest.raises(SourceError, match="no directory"):
        Database.open(tmp_path / "missing" / "x.zarrdb", mode="create")
    with pytest.raises(UsageError, match="page size 1000"):
        Database.open(tmp_path / "x.zarrdb", mode="create", page_size=1000)
    assert list(tmp_path.iterdir()) == []
    let_anyone_in(tmp_path)
    locked = tmp_path / "locked"
    locked.mkdir(mode=0o555)

    def work() -> bool:
        with pytest.raises(ZarrdbError) as caught:
            Database.open(locked / "x.zarrdb", mode="create")
        return isinstance(caught.value, ReadOnlyError)

    assert in_child_as_nobody(work)


def test_two_processes_create_one_file(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    with other_process(path) as other:
        other.run("BEGIN IMMEDIATE")
        other.run("CREATE TABLE zarr (k, v)")
        with pytest.raises(ZarrdbError):
            Database.open(path, mode="create", timeout=0)
        other.run("COMMIT")
        with pytest.raises(TargetExistsError):
            Database.open(path, mode="create", timeout=0)


# Values


@pytest.mark.parametrize(
    "value",
    [
        b"",
        bytearray(b"abc"),
        memoryview(b"abcdef")[::2],
        memoryview(array.array("d", [1.0, 2.0])),
        bytes(9 << 20),
        memoryview(bytearray(9 << 20)),
    ],
    ids=["empty", "bytearray", "strided", "floats", "large", "large-view"],
)
def test_any_buffer_is_stored_as_its_bytes(value: Buffer, database: Database) -> None:
    raw = memoryview(value).tobytes()
    database.set("a", value)
    assert database.get("a") == raw
    assert database.set_if_not_exists("b", value)
    database.set_stream("c", len(raw), [value])
    assert database.get("b") == database.get("c") == raw
    assert database.connection.execute("SELECT typeof(v) FROM zarr WHERE k = 'a'").get == "blob"


def test_what_has_no_bytes_is_no_value(database: Database) -> None:
    for value in ("text", 7, None):
        with pytest.raises(TypeError):
            database.set("a", value)  # type: ignore[arg-type]
    assert not database.exists("a")


@pytest.mark.parametrize("key", ["/", "//", "/a", "a/", "a//b", "a/b//", "\ud800", "a\udfffb"])
def test_keys_that_the_format_forbids(key: str, database: Database) -> None:
    writes: list[Callable[[], object]] = [
        lambda: database.set(key, b""),
        lambda: database.set_many([("ok", b""), (key, b"")]),
        lambda: database.set_if_not_exists(key, b""),
        lambda: database.set_stream(key, 0, []),
    ]
    for write in writes:
        with pytest.raises(InvalidKeyError) as caught:
            write()
        assert isinstance(caught.value, ValueError)
        assert caught.value.message.isprintable()
    assert list(database.list()) == ["v", "zarr.json"]


def test_a_value_too_large_names_its_key_and_leaves_the_old_one(database: Database) -> None:
    database.connection.limit(apsw.SQLITE_LIMIT_LENGTH, 50_000)
    writes: list[Callable[[], object]] = [
        lambda: database.set("v", bytes(50_000)),
        lambda: database.set_many([("new", b""), ("v", bytes(60_000))]),
        lambda: database.set_if_not_exists("w", bytes(50_000)),
        lambda: database.set_stream("v", 50_000, [bytes(50_000)]),
    ]
    for write in writes:
        with pytest.raises(ValueTooLargeError, match=r"50,000 bytes\)") as caught:
            write()
        assert caught.value.message[:2] in ("v:", "w:")
        assert isinstance(caught.value, ValueError)
    assert dict(database.entries()) == {"v": 10, "zarr.json": 2}


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le"])
@pytest.mark.parametrize("key", ["k", "k" * 200, "é" * 9000])
def test_the_limit_is_for_the_whole_record(key: str, encoding: str, tmp_path: Path) -> None:
    database = Database.open(make_database(tmp_path / "x.zarrdb", encoding=encoding), mode="rw")
    limit = 50_000
    database.connection.limit(apsw.SQLITE_LIMIT_LENGTH, limit)
    size = limit
    while True:
        try:
            database.set(key, bytes(size))
        except ValueTooLargeError:
            size -= 1
            continue
        break
    with pytest.raises(apsw.TooBigError):
        database.connection.execute(
            "INSERT INTO zarr(k, v) VALUES (?, zeroblob(?))",
            (key[:-1] + chr(ord(key[-1]) + 1), size + 1),
        )
    assert database.size(key) == size
    database.close()


@pytest.mark.parametrize("pieces", [[b"12345"], [b"123", b"4567"], [b"1234567"] * 2, []])
def test_a_stream_of_another_size_changes_nothing(pieces: list[bytes], database: Database) -> None:
    with pytest.raises(UsageError, match="announced"):
        database.set_stream("v", 6, pieces)
    with database.transaction():
        with pytest.raises(UsageError, match="announced"):
            database.set_stream("new", 6, pieces)
        database.set("kept", b"1")
    assert dict(database.entries()) == {"kept": 1, "v": 10, "zarr.json": 2}
    assert database.get("v") == b"0123456789"


def test_ranges_are_written_in_place(database: Database) -> None:
    database.set_ranges("v", [(0, b"ab"), (9, bytearray(b"z")), (5, b"")])
    assert database.get("v") == b"ab2345678z"
    for offset, data in ((-1, b"x"), (10, b"x"), (9, b"xy")):
        with pytest.raises(UsageError, match="not inside"):
            database.set_ranges("v", [(0, b"Q"), (offset, data)])
    with pytest.raises(NotFoundError):
        database.set_ranges("missing", [(0, b"")])
    assert database.get("v") == b"ab2345678z"


def test_several_values_all_or_none(database: Database) -> None:
    def items() -> Iterator[tuple[str, bytes]]:
        yield "a", b"1"
        yield "b", b"2"
        raise TimeoutError

    with pytest.raises(TimeoutError):
        database.set_many(items())
    assert list(database.list()) == ["v", "zarr.json"]


def test_many_deletes(database: Database) -> None:
    database.set_many((f"k/{number}", b"") for number in range(40_000))
    assert database.delete_many(f"k/{number}" for number in range(-5, 39_000)) == 39_000
    assert database.delete_prefix("k/") == 1000
    assert database.delete_many([]) == 0
    assert database.delete("nothing") is False
    assert list(database.list()) == ["v", "zarr.json"]


def test_clear_keeps_everything_but_keys(tmp_path: Path) -> None:
    path = make_database(
        tmp_path / "x.zarrdb",
        "CREATE TABLE notes (x)",
        "INSERT INTO notes VALUES (1)",
        "INSERT INTO zarr_sqlitestore_metadata VALUES ('extra', 'kept')",
        "UPDATE zarr_sqlitestore_metadata SET v = 'checksums' WHERE k = 'compatible_flags'",
        keys=[("", b"1"), ("a", b"2")],
    )
    with Database.open(path, mode="rw") as database:
        assert database.clear() == 2
        assert database.clear() == 0
        records = database.records()
    assert records["extra"] == "kept"
    assert records["compatible_flags"] == "checksums"
    assert query(path, "SELECT count(*) FROM notes") == 1


# Records


def test_modified_at_follows_the_changes(path: Path) -> None:
    with Database.open(path, mode="rw") as database:
        assert "modified_at" not in database.records()
        database.set("a", b"")
        first = database.records()["modified_at"]
        database.set("b", b"")
        assert database.records()["modified_at"] == first
    with Database.open(path) as database:
        assert database.records()["modified_at"] >= first
        assert inspect(path).record("created_by") is None
    before = path.read_bytes()
    with Database.open(path, mode="rw") as database, database.transaction():
        assert database.exists("a")
    assert path.read_bytes() == before


def test_records_can_be_set(database: Database) -> None:
    database.set_record("created_by", "somebody")
    assert database.records()["created_by"] == "somebody"
    with pytest.raises(UsageError, match="none of that name"):
        database.set_record("mine", "x")


# What must not be written


def with_data(statement: str, *more: str) -> tuple[str, ...]:
    """The usual schema with another table of keys and values."""
    return (SCHEMA[0], statement, *SCHEMA[2:], *more)


LOOSE = "CREATE TABLE zarr (k TEXT, v BLOB)"


@pytest.mark.parametrize(
    ("statements", "message"),
    [
        (with_data(LOOSE), "unique"),
        (with_data("CREATE TABLE zarr (k TEXT COLLATE NOCASE UNIQUE, v)"), "NOCASE"),
        (with_data(LOOSE, "CREATE UNIQUE INDEX one ON zarr(k COLLATE NOCASE)"), "NOCASE"),
        (with_data("CREATE TABLE zarr (k TEXT, v BLOB, PRIMARY KEY (k, v))"), "unique"),
        (with_data(LOOSE, "CREATE UNIQUE INDEX one ON zarr(k) WHERE v IS NULL"), "unique"),
        (with_data("CREATE TABLE zarr (k TEXT PRIMARY KEY, v, more)"), "column"),
        ((*SCHEMA, "CREATE TRIGGER t AFTER INSERT ON zarr BEGIN SELECT 1; END"), "trigger"),
    ],
    ids=["loose", "nocase", "nocase-index", "two-columns", "partial", "extra-column", "trigger"],
)
def test_tables_that_are_only_read(
    statements: tuple[str, ...], message: str, tmp_path: Path
) -> None:
    path = make_database(tmp_path / "x.zarrdb", schema=statements)
    Database.open(path).close()
    before = folder_state(tmp_path)
    with pytest.raises(SchemaError, match=message):
        Database.open(path, mode="rw")
    assert folder_state(tmp_path) == before


def test_application_ids(tmp_path: Path) -> None:
    zero = make_database(tmp_path / "zero.zarrdb", "PRAGMA application_id = 0", keys=[("a", b"1")])
    with Database.open(zero) as database:
        assert database.get("a") == b"1"
        (problem,) = database.facts.problems
        assert problem.reason == "wrong-application-id"
    with pytest.raises(ForeignError, match="application id is 0"):
        Database.open(zero, mode="rw")
    other = make_database(tmp_path / "other.zarrdb", "PRAGMA application_id = 0x47504b47")
    with pytest.raises(ForeignError, match="GPKG"):
        Database.open(other)
    Database.open(other, allow_foreign=True).close()
    with pytest.raises(ForeignError):
        Database.open(other, mode="rw", allow_foreign=True)


def test_a_file_left_in_wal_mode_is_folded_by_the_next_writer(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.close()
    with Database.open(path, mode="rw") as database:
        database.set("a", b"1")
    assert path.read_bytes()[18:20] == b"\1\1"
    assert set(folder_state(path.parent)) == {path.name}


def test_a_file_that_others_read_keeps_its_mode_and_is_complete(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.close()
    with other_process(path) as other:
        other.run("SELECT count(*) FROM zarr")
        with Database.open(path, mode="rw") as database:
            database.set("a", b"1")
        assert query_bytes(path.read_bytes(), path.parent) == "a"


def query_bytes(data: bytes, folder: Path) -> object:
    copy = folder / "copy.zarrdb"
    copy.write_bytes(data)
    return query(copy, "SELECT k FROM zarr WHERE k = 'a'")


def test_utf16_cannot_hold_some_characters(tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb", encoding="UTF-16le", keys=[("a\ufffd", b"1")])
    with Database.open(path, mode="rw") as database:
        for key in ("a\ufffe", "a\uffff"):
            assert database.get(key) is None
            with pytest.raises(InvalidKeyError, match="UTF-16"):
                database.set(key, b"2")
        assert database.get("a\ufffd") == b"1"


def test_a_full_disk_changes_nothing(path: Path) -> None:
    code = """
import resource, signal, sys
from zarrdb.db import Database
from zarrdb.errors import NoSpaceError, TargetError
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, 200_000))
with Database.open(sys.argv[1], mode="rw") as database:
    for write in (
        lambda: database.set("big", bytes(400_000)),
        lambda: database.set_stream("big", 9_000_000, (bytes(1_000_000) for _ in range(9))),
        lambda: database.set_many((f"k/{n}", bytes(9000)) for n in range(90)),
    ):
        try:
            write()
        except NoSpaceError as error:
            assert sys.argv[1] in error.message
        else:
            raise AssertionError
    try:
        with database.transaction():
            database.set("first", b"1")
            try:
                database.set("big", bytes(400_000))
            except NoSpaceError:
                pass
            database.set("second", b"2")
    except TargetError:
        assert not database.exists("first") and not database.exists("second")
    else:
        assert database.delete_many(["first", "second"]) == 2
    database.set("small", b"1")
    print(",".join(database.list()))
"""
    assert run_python(code, path) == "small,v,zarr.json"
    assert query(path, "PRAGMA integrity_check") == "ok"
    assert NoSpaceError.exit_code == 3


def test_a_file_without_write_permission(path: Path) -> None:
    let_anyone_in(path.parent)
    path.chmod(0o444)

    def work() -> bool:
        with pytest.raises(ReadOnlyError, match=r"x\.zarrdb: cannot be written"):
            Database.open(path, mode="rw")
        return True

    assert in_child_as_nobody(work)


def test_a_directory_without_room_for_a_journal(path: Path) -> None:
    let_anyone_in(path.parent)
    path.chmod(0o666)
    path.parent.chmod(0o555)

    def work() -> bool:
        with (
            Database.open(path, mode="rw") as database,
            pytest.raises(ReadOnlyError, match="its directory cannot be written"),
        ):
            database.set("a", b"1")
        return True

    try:
        assert in_child_as_nobody(work)
    finally:
        path.parent.chmod(0o755)


def test_large_values_take_little_memory(tmp_path: Path) -> None:
    code = """
import resource, sys
from zarrdb.db import Database
SIZE = 200_000_000
with Database.open(sys.argv[1], mode="create", page_size=65536) as database:
    database.set("zarr.json", b"{}")
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    database.set_stream("big", SIZE, (bytes(1_000_000) for _ in range(SIZE // 1_000_000)))
    database.set_ranges("big", [(SIZE - 5, b"12345")])
    assert database.get_range("big", -5, None) == b"12345"
    assert database.size("big") == SIZE
    assert sum(map(len, database.stream("big"))) == SIZE
    assert [entry.size for entry in database.entries()] == [SIZE, 2]
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) // 1024)
"""
    assert int(run_python(code, tmp_path / "big.zarrdb")) < 40


def test_a_large_value_is_not_copied(tmp_path: Path) -> None:
    code = """
import resource, sys
from zarrdb.db import Database
value = bytes(100_000_000)
with Database.open(sys.argv[1], mode="create", page_size=65536) as database:
    base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    database.set("big", value)
print((resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base) // 1024)
"""
    assert int(run_python(code, tmp_path / "big.zarrdb")) < 40
