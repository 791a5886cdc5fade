"""Laying files out anew, beside other processes that use them."""

import os
import random
import shutil
import sqlite3
from pathlib import Path
from typing import Any

import pytest

from helpers_db import load_vectors, make_database
from helpers_transfer import (
    GROUP,
    STORE,
    held_by_another_process,
    in_another_process,
    leftovers,
    records_of,
    require_sound,
    rows_of,
)
from zarrdb.db.database import Database
from zarrdb.db.rows import RowWriter
from zarrdb.errors import InUseError, LockedError, SchemaError, VerificationError, ZarrdbError
from zarrdb.transfer.copy import CopyOptions
from zarrdb.transfer.target import FileSink
from zarrdb.transfer.vacuum import VacuumReport, vacuum


def run(
    path: Path, *, output: Path | None = None, force: bool = False, **options: Any
) -> VacuumReport:
    options.setdefault("timeout", 0.1)
    target = None if output is None else str(output)
    return vacuum(str(path), CopyOptions(**options), output=target, force=force)


@pytest.fixture
def aged(tmp_path: Path) -> Path:
    """A file with free pages and rows in random order."""
    keys = list(STORE.items()) + [(f"c/{n}", b"old" * 1000) for n in range(200)]
    random.Random(1).shuffle(keys)
    path = make_database(tmp_path / "x.zarrdb", keys=keys)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("DELETE FROM zarr WHERE k LIKE 'c/%'")
        connection.execute(
            "INSERT INTO zarr_sqlitestore_metadata VALUES ('modified_at', '2020-02-03T04:05:06Z')"
        )
    connection.close()
    return path


def test_a_file_gets_the_layout_of_an_import_and_keeps_its_records(aged: Path) -> None:
    before, records = os.path.getsize(aged), records_of(aged)
    report = run(aged)
    assert list(rows_of(aged))[:4] == ["zarr.json", "a/zarr.json", "b/zarr.json", "a/c/0"]
    assert rows_of(aged) == STORE
    assert records_of(aged).items() >= records.items()
    assert (report.size_before, report.size_after) == (before, os.path.getsize(aged))
    assert report.size_after < before / 10
    require_sound(aged)
    assert os.listdir(aged.parent) == ["x.zarrdb"]


def test_a_tidy_file_is_left_untouched(aged: Path) -> None:
    run(aged)
    before = (aged.read_bytes(), aged.stat())
    report = run(aged)
    assert report.tidy
    assert (aged.read_bytes(), aged.stat()) == before
    assert not run(aged, force=True).tidy
    assert aged.read_bytes() == before[0]
    assert aged.stat().st_ino != before[1].st_ino
    assert not run(aged, page_size=8192).tidy
    assert aged.read_bytes()[16:18] == b"\x20\x00"


def test_a_change_makes_it_untidy_again(aged: Path) -> None:
    run(aged)
    assert in_another_process(aged, "DELETE FROM zarr WHERE k = 'b/c/1'") == "done"
    report = run(aged)
    assert not report.tidy
    assert report.size_after < report.size_before


def test_another_file_may_be_the_result(aged: Path) -> None:
    before = aged.read_bytes()
    run(aged, output=aged.parent / "y.zarrdb")
    assert aged.read_bytes() == before
    assert rows_of(aged.parent / "y.zarrdb") == STORE
    run(aged)
    assert aged.read_bytes() == (aged.parent / "y.zarrdb").read_bytes()


def test_a_dry_run_tells_sizes_and_requests(aged: Path) -> None:
    before = (aged.read_bytes(), aged.stat())
    report = run(aged, dry_run=True)
    assert (aged.read_bytes(), aged.stat()) == before
    assert report.score is not None
    assert report.score.opening >= 1
    after = run(aged).size_after
    assert report.size_after == after


@pytest.mark.parametrize("statement", ["BEGIN IMMEDIATE", "BEGIN EXCLUSIVE", "BEGIN; SELECT 1"])
def test_never_under_a_file_that_others_use(aged: Path, statement: str) -> None:
    statements = statement.replace("SELECT 1", "SELECT * FROM zarr").split("; ")
    before = aged.read_bytes()
    words = "in use by another process|locked by another process"
    with (
        held_by_another_process(aged, *statements),
        pytest.raises((InUseError, LockedError), match=words),
    ):
        run(aged)
    assert aged.read_bytes() == before
    assert leftovers(aged.parent) == []


def test_never_under_a_writer_with_a_log(aged: Path) -> None:
    insert = "INSERT INTO zarr VALUES ('b/c/9', x'09')"
    with held_by_another_process(aged, "PRAGMA journal_mode = WAL", insert):
        with pytest.raises(InUseError):
            run(aged)
        assert in_another_process(aged, "INSERT INTO zarr VALUES ('b/c/8', x'08')") == "done"
    run(aged)
    assert rows_of(aged) == {**STORE, "b/c/8": b"\x08", "b/c/9": b"\x09"}
    assert os.listdir(aged.parent) == ["x.zarrdb"]


def test_a_log_that_was_left_is_folded_in(aged: Path) -> None:
    copy = aged.parent / "copy"
    copy.mkdir()
    insert = "INSERT INTO zarr VALUES ('b/c/9', x'09')"
    with held_by_another_process(aged, "PRAGMA journal_mode = WAL", insert):
        for suffix in ("", "-wal"):
            shutil.copy(f"{aged}{suffix}", copy)
    run(copy / "x.zarrdb")
    assert rows_of(copy / "x.zarrdb") == {**STORE, "b/c/9": b"\x09"}
    require_sound(copy / "x.zarrdb")


def test_readers_go_on_meanwhile_and_writers_wait(
    aged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told = []

    class Listener:
        def expect(self, keys: int | None, size: int | None) -> None:
            told.append(in_another_process(aged, "SELECT count(*) FROM zarr"))
            told.append(in_another_process(aged, "DELETE FROM zarr"))

        def update(self, keys: int, size: int) -> None:
            pass

    run(aged, progress=Listener())
    assert told == ["done", "database is locked"]
    assert rows_of(aged) == STORE


def test_a_change_between_copy_and_rename_is_noticed(
    aged: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    publish = FileSink.publish

    def late(self: FileSink) -> None:
        assert in_another_process(aged, "INSERT INTO zarr VALUES ('b/c/9', x'09')") == "done"
        publish(self)

    monkeypatch.setattr(FileSink, "publish", late)
    with pytest.raises(InUseError, match="changed by another process meanwhile"):
        run(aged)
    assert rows_of(aged) == {**STORE, "b/c/9": b"\x09"}
    assert os.listdir(aged.parent) == ["x.zarrdb"]


def test_content_is_compared_before_the_rename(aged: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    before = aged.read_bytes()
    original = RowWriter.put

    def put(self: RowWriter, key: bytes, value: bytes) -> None:
        original(self, key, b"y" * len(value) if key == b"b/c/1" else value)

    monkeypatch.setattr(RowWriter, "put", put)
    with pytest.raises(VerificationError, match="b/c/1"):
        run(aged)
    assert aged.read_bytes() == before
    assert os.listdir(aged.parent) == ["x.zarrdb"]


def test_large_values_are_compared_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    large = bytes(range(256)) * 40_000
    path = make_database(tmp_path / "x.zarrdb", keys=[("zarr.json", GROUP), ("a/c/0", large)])
    run(path)
    assert rows_of(path) == {"zarr.json": GROUP, "a/c/0": large}
    original = RowWriter.put_pieces

    def put(self: RowWriter, key: bytes, size: int, pieces: Any) -> None:
        original(self, key, size, (bytes(len(piece)) for piece in pieces))

    monkeypatch.setattr(RowWriter, "put_pieces", put)
    with pytest.raises(VerificationError, match="a/c/0"):
        run(path, force=True)


@pytest.mark.parametrize(
    ("statement", "named"),
    [
        ("CREATE TABLE notes(x)", "the table notes"),
        ("CREATE VIEW sizes AS SELECT length(v) FROM zarr", "the view sizes"),
        ("CREATE TRIGGER t AFTER DELETE ON zarr BEGIN SELECT 1; END", "the trigger t"),
        ("ALTER TABLE zarr ADD COLUMN mtime", "the column mtime of zarr"),
    ],
)
def test_nothing_that_is_no_part_of_a_store_is_lost(aged: Path, statement: str, named: str) -> None:
    assert in_another_process(aged, statement) == "done"
    before = aged.read_bytes()
    with pytest.raises(SchemaError, match=named):
        run(aged)
    assert aged.read_bytes() == before


def test_an_empty_store(tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb")
    run(path)
    assert rows_of(path) == {}
    require_sound(path)
    assert run(path).tidy


@pytest.mark.parametrize("encoding", ["UTF-16le", "UTF-16be"])
def test_other_encodings_become_utf_8(tmp_path: Path, encoding: str) -> None:
    keys = [("zarr.json", GROUP), ("ä/\U0001f600", b"\0\1"), ("a/￿"[:2], b"")]
    path = make_database(tmp_path / "x.zarrdb", encoding=encoding, keys=keys)
    run(path)
    assert rows_of(path) == dict(keys)
    require_sound(path)


def test_every_readable_vector_keeps_its_keys_and_values(
    tmp_path: Path, pytestconfig: pytest.Config
) -> None:
    given = pytestconfig.getoption("--vectors")
    (tmp_path / "all").mkdir()
    folder, entries = load_vectors(Path(given) if given else None, tmp_path / "all")
    vacuumed = 0
    for number, entry in enumerate(entries):
        work = tmp_path / str(number)
        work.mkdir()
        for name in (entry["file"], *entry["sidecars"]):
            shutil.copy(folder / name, work)
        path = work / entry["file"]
        try:
            with Database.open(path) as database:
                before = {e.key: database.get(e.key) for e in database.entries()}
        except ZarrdbError:
            with pytest.raises(ZarrdbError):
                run(path)
            continue
        try:
            run(path)
        except ZarrdbError:
            vacuumed -= 1
        else:
            assert os.listdir(work) == [path.name], entry["file"]
            require_sound(path)
        with Database.open(path) as database:
            after = {e.key: database.get(e.key) for e in database.entries()}
        assert after == before, entry["file"]
        vacuumed += 1
    assert vacuumed > 0
