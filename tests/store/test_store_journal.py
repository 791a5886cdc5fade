"""When what was written reaches the disk, and what is left beside the file meanwhile."""

import subprocess
import sys
from pathlib import Path
from typing import Literal

import apsw
import pytest

from helpers_db import make_database
from helpers_store import buffer, get, header_modes, put, sidecars
from zarrdb import SQLiteStore
from zarrdb.errors import ContainerError, UsageError


@pytest.mark.parametrize("durability", ["chunk", "group", "close"])
def test_every_durability_keeps_everything(
    durability: Literal["chunk", "group", "close"], tmp_path: Path
) -> None:
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path, durability=durability) as store:
        for number in range(50):
            put(store, f"c/{number}", bytes([number]) * 10_000)
        assert get(store, "c/7") == b"\7" * 10_000
    assert (header_modes(path), sidecars(path)) == ((1, 1), [])
    with SQLiteStore(path, read_only=True) as store:
        assert get(store, "c/49") == bytes([49]) * 10_000


def test_an_unknown_durability_is_refused(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="never"):
        SQLiteStore(tmp_path / "x.zarrdb", durability="never")  # type: ignore[arg-type]


def test_each_commit_of_chunk_is_synced(tmp_path: Path) -> None:
    for durability, level in {"chunk": 2, "group": 1, "close": 1}.items():
        with SQLiteStore(tmp_path / f"{durability}.zarrdb", durability=durability) as store:  # type: ignore[arg-type]
            put(store, "a", b"1")
            file = store._file._file
            assert file.read(lambda database: database.connection.pragma("synchronous")) == level


@pytest.mark.parametrize("mode", ["WAL", "DELETE", None])
def test_the_journal_mode_is_kept_to(mode: Literal["WAL", "DELETE"] | None, tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path, journal_mode=mode) as store:
        put(store, "a", b"1")
        assert header_modes(path) == ((1, 1) if mode == "DELETE" else (2, 2))
    assert header_modes(path) == (1, 1)


def test_no_log_on_a_network_file_system(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("zarrdb.db.journal.is_network", lambda _: True)
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path) as store:
        put(store, "a", b"1")
        assert header_modes(path) == (1, 1)
        assert "-wal" not in sidecars(path)


def test_a_log_that_came_to_a_network_file_system_is_folded_before_writing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = make_database(tmp_path / "x.zarrdb", keys=[("a", b"1")])
    make_wal = apsw.Connection(str(path))
    make_wal.pragma("journal_mode", "wal")
    make_wal.close()
    monkeypatch.setattr("zarrdb.db.journal.is_network", lambda _: True)
    with SQLiteStore(path) as store:
        assert get(store, "a") == b"1"
        assert header_modes(path) == (2, 2)
        put(store, "b", b"2")
        assert header_modes(path) == (1, 1)
        assert sidecars(path) == []
        assert get(store, "b") == b"2"


def test_a_reading_process_puts_the_fold_off_to_the_next_writer(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    store = SQLiteStore(path)
    put(store, "a", b"1")
    # A transaction that another process holds open on the log.
    reader = subprocess.Popen(
        [sys.executable, "-c", _READER, str(path)], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert reader.stdout is not None
    assert reader.stdin is not None
    assert reader.stdout.readline() == b"reading\n"
    put(store, "b", b"2")
    store.close()
    assert header_modes(path) == (2, 2)
    with SQLiteStore(path, read_only=True) as again:
        assert get(again, "b") == b"2"
    reader.communicate(b"\n", timeout=30)
    with SQLiteStore(path) as again:
        put(again, "c", b"3")
    assert (header_modes(path), sidecars(path)) == ((1, 1), [])


_READER = """
import sys, apsw
connection = apsw.Connection(sys.argv[1], flags=apsw.SQLITE_OPEN_READONLY)
connection.execute("BEGIN")
connection.execute("SELECT count(*) FROM zarr").fetchall()
print("reading", flush=True)
sys.stdin.readline()
"""


def test_a_file_replaced_under_a_writer_is_refused(tmp_path: Path) -> None:
    path, other = tmp_path / "x.zarrdb", tmp_path / "y.zarrdb"
    for each in (path, other):
        with SQLiteStore(each) as store:
            put(store, "a", each.name.encode())
    store = SQLiteStore(path, journal_mode="DELETE")
    put(store, "b", b"1")
    other.replace(path)
    before = path.read_bytes()
    with pytest.raises(OSError, match="replaced"):
        put(store, "c", b"1")
    store.close()
    assert path.read_bytes() == before


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TRIGGER t AFTER INSERT ON zarr BEGIN DELETE FROM zarr; END",
        "DROP TABLE zarr; CREATE TABLE zarr (k TEXT NOT NULL, v BLOB NOT NULL)",
        "DROP TABLE zarr; CREATE TABLE zarr (k TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, v BLOB)",
    ],
    ids=["trigger", "not-unique", "nocase"],
)
def test_what_writes_could_harm_is_refused(statement: str, tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path) as store:
        put(store, "a", b"1")
    connection = apsw.Connection(str(path))
    connection.execute(statement).fetchall()
    connection.close()
    before = path.read_bytes()
    store = SQLiteStore(path)
    with pytest.raises(Exception, match=path.name) as caught:
        store.set_sync("A", buffer(b"2"))
    assert caught.type.__module__ == "zarrdb.errors"
    store.close()
    assert path.read_bytes() == before


def test_an_application_id_of_zero_is_warned_of_and_never_written_to(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path) as store:
        put(store, "a", b"1")
    connection = apsw.Connection(str(path))
    connection.pragma("application_id", 0)
    connection.close()
    store = SQLiteStore(path, read_only=True)
    with pytest.warns(UserWarning, match="application id"):
        assert store.get_sync("a") is not None
    store.close()
    with pytest.raises(ContainerError, match="application id"):
        SQLiteStore(path).set_sync("a", buffer(b"2"))
