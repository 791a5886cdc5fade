"""Reading in every situation: right, and without leaving a trace beside the file."""

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from helpers_db import SCHEMA, folder_state, in_child_as_nobody, let_anyone_in, make_database
from helpers_other import other_process
from zarrdb.db import Database, inspect
from zarrdb.errors import JournalError, LockedError, SourceChangedError, ZarrdbError

ROWS = [("zarr.json", b"{}"), ("a/c/0", bytes(20_000))]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A file in a folder of its own."""
    folder = tmp_path / "data"
    folder.mkdir()
    return make_database(folder / "x.zarrdb", keys=ROWS)


def in_wal_mode(path: Path) -> Path:
    """The file in WAL mode, everything in the file itself."""
    connection = apsw.Connection(str(path))
    connection.pragma("journal_mode", "wal")
    connection.close()
    return path


def with_log(path: Path, target: Path, *suffixes: str) -> Path:
    """A copy of the file in WAL mode, with a row that only its log has."""
    connection = apsw.Connection(str(in_wal_mode(path)))
    connection.execute("INSERT INTO zarr VALUES ('logged', x'01')")
    target.mkdir()
    for suffix in ("", *suffixes):
        shutil.copyfile(f"{path}{suffix}", f"{target / path.name}{suffix}")
    connection.close()
    return target / path.name


def read_all(path: Path) -> dict[str, bytes | None]:
    with Database.open(path, timeout=0) as database:
        values = {key: database.get(key) for key in database.list()}
        assert dict(database.entries()) == {k: len(v or b"") for k, v in values.items()}
        with database.snapshot():
            assert dict(database.get_many(values)) == values
        return values


def test_plain_file(path: Path) -> None:
    before = folder_state(path.parent)
    assert read_all(path) == dict(ROWS)
    assert folder_state(path.parent) == before


def test_wal_mode_without_log(path: Path) -> None:
    in_wal_mode(path)
    before = folder_state(path.parent)
    assert read_all(path) == dict(ROWS)
    assert inspect(path).has("wal-mode")
    assert folder_state(path.parent) == before


def test_wal_mode_with_an_empty_log(path: Path) -> None:
    in_wal_mode(path)
    Path(f"{path}-wal").touch()
    before = folder_state(path.parent)
    assert read_all(path) == dict(ROWS)
    assert folder_state(path.parent) == before


def test_log_without_its_index(path: Path, tmp_path: Path) -> None:
    copy = with_log(path, tmp_path / "copy", "-wal")
    before = folder_state(copy.parent)
    assert read_all(copy) == {**dict(ROWS), "logged": b"\1"}
    facts = inspect(copy)
    assert facts.has("unmerged-log")
    assert not facts.self_contained
    assert folder_state(copy.parent) == before


def test_log_and_index_left_by_a_crash(path: Path, tmp_path: Path) -> None:
    copy = with_log(path, tmp_path / "copy", "-wal", "-shm")
    before = folder_state(copy.parent)
    assert read_all(copy) == {**dict(ROWS), "logged": b"\1"}
    after = folder_state(copy.parent)
    assert set(after) == set(before)
    assert all(after[name] == before[name] for name in after if not name.endswith("-shm"))


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_a_log_that_holds_everything(encoding: str, tmp_path: Path) -> None:
    origin, path = tmp_path / "origin", tmp_path / "x.zarrdb"
    connection = apsw.Connection(str(origin))
    connection.pragma("encoding", encoding)
    connection.pragma("journal_mode", "wal")
    connection.wal_autocheckpoint(0)
    for statement in SCHEMA:
        connection.execute(statement)
    connection.execute("INSERT INTO zarr VALUES ('ä', x'01')")
    for suffix in ("", "-wal"):
        shutil.copy(f"{origin}{suffix}", f"{path}{suffix}")
    connection.close()
    assert path.read_bytes()[68:72] == bytes(4)
    facts = inspect(path)
    assert {problem.reason for problem in facts.problems} == {"unmerged-log", "wal-mode"}
    with Database.open(path) as database:
        assert read_all(path) == {"ä": b"\1"}
        assert database.facts.codec == facts.codec
    with Database.open(path, mode="rw") as database:
        database.set("b", b"2")
    assert read_all(path) == {"ä": b"\1", "b": b"2"}
    assert inspect(path).problems == ()
    assert sorted(each.name for each in tmp_path.iterdir()) == ["origin", "x.zarrdb"]


def test_log_that_was_not_shipped(path: Path, tmp_path: Path) -> None:
    copy = with_log(path, tmp_path / "copy")
    before = folder_state(copy.parent)
    assert read_all(copy) == dict(ROWS)
    assert folder_state(copy.parent) == before


def test_beside_a_live_writer_in_wal_mode(path: Path) -> None:
    in_wal_mode(path)
    with other_process(path) as writer:
        writer.run("INSERT INTO zarr VALUES ('live', x'02')")
        before = folder_state(path.parent)
        with Database.open(path, timeout=0) as database:
            assert database.get("live") == b"\2"
            writer.run("INSERT INTO zarr VALUES ('later', x'03')")
            assert database.get("later") == b"\3"
            with database.snapshot():
                assert not database.exists("meanwhile")
                writer.run("INSERT INTO zarr VALUES ('meanwhile', x'04')")
                assert not database.exists("meanwhile")
            assert database.exists("meanwhile")
        assert set(folder_state(path.parent)) == set(before)


def test_beside_a_live_writer_in_delete_mode(path: Path) -> None:
    with other_process(path) as writer:
        writer.run("BEGIN IMMEDIATE")
        writer.run("INSERT INTO zarr VALUES ('open', x'02')")
        before = folder_state(path.parent)
        assert f"{path.name}-journal" in before
        assert read_all(path) == dict(ROWS)
        assert not inspect(path).has("hot-journal")
        assert folder_state(path.parent) == before
        writer.run("COMMIT")
        assert "open" in read_all(path)


@pytest.mark.parametrize("mode", ["DELETE", "PERSIST", "TRUNCATE"])
@pytest.mark.parametrize("cache_size", [1, 2000])
def test_the_journal_of_a_transaction_in_progress_is_no_leftover(
    path: Path, mode: str, cache_size: int
) -> None:
    with other_process(path) as writer:
        writer.run(f"PRAGMA journal_mode = {mode}")
        writer.run("INSERT INTO zarr VALUES ('first', x'01')")
        writer.run(f"PRAGMA cache_size = {cache_size}")
        writer.run("BEGIN IMMEDIATE")
        for value in ("x'02'", "zeroblob(3000)"):
            writer.run(f"INSERT OR REPLACE INTO zarr VALUES ('open', {value})")
            assert [problem.reason for problem in inspect(path, timeout=0).problems] == []
        writer.run("COMMIT")
        assert inspect(path).has("stale-sidecar") is (mode != "DELETE")


def test_a_writer_that_commits_is_waited_for(path: Path) -> None:
    with other_process(path) as writer, Database.open(path, timeout=0) as database:
        writer.run("BEGIN EXCLUSIVE")
        with pytest.raises(LockedError, match="locked by another process for 0 s"):
            database.get("zarr.json")
        with pytest.raises(LockedError) as caught:
            Database.open(path, timeout=0.01)
        assert str(path) in caught.value.message
        assert "0.01 s" in caught.value.message
        writer.run("COMMIT")
        assert database.get("zarr.json") == b"{}"


def crash(path: Path) -> None:
    """A writer that dies in the middle of a transaction, with pages of it in the file."""
    with other_process(path) as writer:
        writer.run("PRAGMA cache_size = 1")
        writer.run("BEGIN IMMEDIATE")
        writer.run("UPDATE zarr SET v = zeroblob(300000) WHERE k = 'a/c/0'")
        writer.run("INSERT INTO zarr VALUES ('half', zeroblob(500000))")
        writer.kill()


def test_hot_journal_is_refused_and_writing_rolls_it_back(path: Path) -> None:
    crash(path)
    before = folder_state(path.parent)
    with pytest.raises(JournalError, match="rolled back") as caught:
        Database.open(path)
    assert caught.value.hint
    with pytest.raises(JournalError):
        Database.open(path, strict=False)
    assert inspect(path).has("hot-journal")
    assert folder_state(path.parent) == before
    with Database.open(path, mode="rw") as database:
        assert dict(database.entries()) == {key: len(value) for key, value in ROWS}
    assert read_all(path) == dict(ROWS)
    assert set(folder_state(path.parent)) == {path.name}


def test_hot_journal_of_another_program_is_not_rolled_back(path: Path) -> None:
    connection = apsw.Connection(str(path))
    connection.pragma("application_id", 7)
    connection.close()
    crash(path)
    before = folder_state(path.parent)
    with pytest.raises(ZarrdbError):
        Database.open(path, mode="rw")
    assert folder_state(path.parent) == before


@pytest.mark.parametrize(
    "make",
    [
        lambda path, tmp: path,
        lambda path, tmp: in_wal_mode(path),
        lambda path, tmp: with_log(path, tmp / "copy", "-wal"),
        lambda path, tmp: with_log(path, tmp / "copy", "-wal", "-shm"),
    ],
    ids=["plain", "wal-mode", "log", "log-and-index"],
)
def test_in_a_folder_that_cannot_be_written(
    make: Callable[[Path, Path], Path], path: Path, tmp_path: Path
) -> None:
    made = make(path, tmp_path)
    for file in made.parent.iterdir():
        file.chmod(0o444)
    made.parent.chmod(0o555)
    let_anyone_in(tmp_path)
    before = folder_state(made.parent)
    try:
        assert in_child_as_nobody(lambda: read_all(made).get("zarr.json") == b"{}")
        assert folder_state(made.parent) == before
    finally:
        made.parent.chmod(0o755)


@pytest.mark.parametrize("log", [False, True])
def test_a_reader_without_locks_notices_a_writer(log: bool, path: Path, tmp_path: Path) -> None:
    made = with_log(path, tmp_path / "copy", "-wal") if log else in_wal_mode(path)
    with Database.open(made, timeout=0) as database:
        assert database.get("zarr.json") == b"{}"
        pieces = database.stream("a/c/0", 1000)
        assert len(next(pieces)) == 1000
        with other_process(made) as writer:
            writer.run("UPDATE zarr SET v = x'05' WHERE k = 'zarr.json'")
            assert database.get("zarr.json") == b"\5"
            writer.run("DELETE FROM zarr WHERE k = 'a/c/0'")
            assert database.get("a/c/0") is None
            with pytest.raises(SourceChangedError):
                list(pieces)
        # The writer is gone, and its log with it.
        assert database.get("zarr.json") == b"\5"
        with other_process(made) as writer:
            writer.run("PRAGMA journal_mode = DELETE")
            writer.run("UPDATE zarr SET v = x'06' WHERE k = 'zarr.json'")
        assert database.get("zarr.json") == b"\6"


def test_a_snapshot_without_locks_ends_with_a_change(path: Path) -> None:
    in_wal_mode(path)
    with Database.open(path) as database:
        with database.snapshot(), other_process(path) as writer:
            assert database.get("zarr.json") == b"{}"
            writer.run("UPDATE zarr SET v = x'05' WHERE k = 'zarr.json'")
            with pytest.raises(SourceChangedError):
                database.get("zarr.json")
        assert database.get("zarr.json") == b"\5"


def test_a_stream_keeps_its_value_while_others_want_to_write(path: Path) -> None:
    with Database.open(path) as database, other_process(path) as writer:
        pieces = database.stream("a/c/0", 15_000)
        first = next(pieces)
        assert writer.run("UPDATE zarr SET v = x'07'") == "BusyError"
        assert first + next(pieces) == ROWS[1][1]
        assert list(pieces) == []
        assert writer.run("UPDATE zarr SET v = x'07'") == "[]"


def test_pages_of_a_listing_hold_nothing(path: Path) -> None:
    with Database.open(path) as database, other_process(path) as writer:
        entries = database.entries()
        next(entries)
        assert writer.run("INSERT INTO zarr VALUES ('z', x'')") == "[]"


def test_a_snapshot_is_one_state(path: Path) -> None:
    with Database.open(path) as database, other_process(path) as writer:
        with database.snapshot():
            assert database.get("zarr.json") == b"{}"
            assert writer.run("UPDATE zarr SET v = x'08'") == "BusyError"
            assert database.get("zarr.json") == b"{}"
        assert writer.run("UPDATE zarr SET v = x'08'") == "[]"
        assert database.get("zarr.json") == b"\x08"


def test_a_file_replaced_under_a_reader_without_locks(path: Path, tmp_path: Path) -> None:
    in_wal_mode(path)
    other = make_database(tmp_path / "other.zarrdb", keys=[("zarr.json", b"[]")])
    with Database.open(path) as database:
        assert database.get("zarr.json") == b"{}"
        os.replace(other, path)
        with pytest.raises(SourceChangedError, match="replaced"):
            database.get("zarr.json")


@pytest.mark.parametrize("how", ["page-size", "encoding", "application-id"])
def test_a_log_of_another_file_is_refused(how: str, path: Path, tmp_path: Path) -> None:
    other = make_database(
        tmp_path / "other.zarrdb",
        encoding="UTF-16le" if how == "encoding" else "UTF-8",
        page_size=1024 if how == "page-size" else 4096,
    )
    connection = apsw.Connection(str(in_wal_mode(other)))
    if how == "application-id":
        connection.pragma("application_id", 7)
    connection.pragma("user_version", 1)
    shutil.copyfile(f"{other}-wal", f"{in_wal_mode(path)}-wal")
    connection.close()
    before = folder_state(path.parent)
    with pytest.raises(JournalError, match="belongs to another file"):
        Database.open(path)
    with pytest.raises(JournalError, match="belongs to another file"):
        Database.open(path, mode="rw")
    assert inspect(path).has("foreign-log")
    assert folder_state(path.parent) == before
