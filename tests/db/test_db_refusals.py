"""What is not written, and what stands in the way of writing: no room, no permission."""

from pathlib import Path

import apsw
import pytest

from helpers_db import (
    SCHEMA,
    folder_state,
    in_child_as_nobody,
    let_anyone_in,
    make_database,
    query_one,
    run_python,
)
from helpers_other import other_process
from zarrdb.db import Database
from zarrdb.errors import (
    ForeignError,
    InvalidKeyError,
    NoSpaceError,
    ReadOnlyError,
    SchemaError,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_database(tmp_path / "x.zarrdb", keys=[("zarr.json", b"{}"), ("v", b"0123456789")])


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
    return query_one(copy, "SELECT k FROM zarr WHERE k = 'a'")


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
    assert query_one(path, "PRAGMA integrity_check") == "ok"
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
