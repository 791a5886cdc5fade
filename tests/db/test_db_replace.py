"""Private files, and putting them in the place of files that others use."""

import os
import shutil
from pathlib import Path

import pytest

from helpers_transfer import (
    GROUP,
    STORE,
    held_by_another_process,
    in_another_process,
    leftovers,
    rows_of,
)
from zarrdb.db.bulk import BulkWriter
from zarrdb.db.exclusive import replace, settle, state_of
from zarrdb.db.private import PrivateFile, remove_leftovers
from zarrdb.errors import InUseError, JournalError, NotAStoreError, TargetError

NEW = {"zarr.json": GROUP, "n": b"new"}


def private(target: Path, rows: dict[str, bytes] = NEW) -> PrivateFile:
    file = PrivateFile(str(target))
    with BulkWriter(file.path, page_size=4096) as writer:
        writer.put_many(rows.items())
        writer.finish({})
    return file


@pytest.fixture
def old(tmp_path: Path) -> Path:
    path = tmp_path / "x.zarrdb"
    replace(private(path, STORE), timeout=1)
    return path


def test_a_new_file_appears_under_its_name(old: Path) -> None:
    assert rows_of(old) == STORE
    assert os.listdir(old.parent) == ["x.zarrdb"]


def test_the_old_file_is_replaced(old: Path) -> None:
    file = private(old)
    assert rows_of(old) == STORE
    replace(file, timeout=1)
    assert rows_of(old) == NEW
    assert os.listdir(old.parent) == ["x.zarrdb"]


@pytest.mark.parametrize(
    "statements",
    [
        ["BEGIN IMMEDIATE"],
        ["BEGIN", "SELECT * FROM zarr"],
        ["PRAGMA journal_mode = WAL", "INSERT INTO zarr VALUES ('w', x'00')"],
        ["PRAGMA journal_mode = WAL", "SELECT * FROM zarr"],
    ],
)
def test_not_while_others_read_or_write_or_have_a_log(old: Path, statements: list[str]) -> None:
    file = private(old)
    with held_by_another_process(old, *statements), pytest.raises(InUseError):
        replace(file, timeout=0.1)
    file.remove()
    assert set(rows_of(old)) >= set(STORE)
    assert leftovers(old.parent) == []


def test_an_idle_user_in_delete_mode_is_told_at_its_next_write(old: Path) -> None:
    file = private(old)
    with held_by_another_process(old, "SELECT * FROM zarr"):
        replace(file, timeout=0.1)
    assert rows_of(old) == NEW


def test_others_are_kept_out_until_the_rename(old: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    told = []
    rename = PrivateFile.rename

    def watched(self: PrivateFile) -> None:
        told.append(in_another_process(old, "INSERT INTO zarr VALUES ('late', x'00')"))
        rename(self)

    monkeypatch.setattr(PrivateFile, "rename", watched)
    replace(private(old), timeout=1)
    assert told == ["database is locked"]
    assert rows_of(old) == NEW


def test_committed_rows_of_a_log_are_not_replayed_into_the_new_file(old: Path) -> None:
    copy = old.parent / "copy"
    copy.mkdir()
    insert = "INSERT INTO zarr VALUES ('w', x'00')"
    with held_by_another_process(old, "PRAGMA journal_mode = WAL", insert):
        for suffix in ("", "-wal"):
            shutil.copy(f"{old}{suffix}", copy)
    replace(private(copy / "x.zarrdb"), timeout=1)
    assert rows_of(copy / "x.zarrdb") == NEW
    assert os.listdir(copy) == ["x.zarrdb"]


def test_a_log_of_another_file_stops_it(old: Path, tmp_path: Path) -> None:
    other = tmp_path / "other" / "x.zarrdb"
    other.parent.mkdir()
    replace(private(other, {"a": b"1"}), timeout=1)
    with held_by_another_process(
        other, "PRAGMA journal_mode = WAL", "INSERT INTO zarr VALUES ('w', x'00')"
    ):
        shutil.copy(f"{other}-wal", f"{old}-wal")
    file = private(old)
    with pytest.raises(JournalError, match=r"x\.zarrdb-wal"):
        replace(file, timeout=1)
    file.remove()
    assert Path(f"{old}-wal").exists()


def test_what_changed_meanwhile_is_not_replaced(old: Path) -> None:
    before = state_of(str(old))
    assert in_another_process(old, "DELETE FROM zarr WHERE k = 'b/c/0'") == "done"
    file = private(old)
    with pytest.raises(InUseError, match="meanwhile"):
        replace(file, timeout=1, unchanged_since=before)
    file.remove()
    assert "b/c/0" not in rows_of(old)


def test_other_programs_files_are_not_replaced(tmp_path: Path) -> None:
    (tmp_path / "x.zarrdb").write_bytes(b"SQLite format 3\0 or so")
    file = private(tmp_path / "x.zarrdb")
    with pytest.raises(NotAStoreError):
        replace(file, timeout=1)
    file.remove()


def test_settling_folds_a_log_and_leaves_one_file(old: Path) -> None:
    insert = "INSERT INTO zarr VALUES ('w', x'00')"
    with (
        held_by_another_process(old, "PRAGMA journal_mode = WAL", insert),
        pytest.raises(InUseError),
    ):
        settle(str(old), timeout=0.1)
    settle(str(old), timeout=1)
    assert os.listdir(old.parent) == ["x.zarrdb"]
    assert old.read_bytes()[18:20] == b"\x01\x01"
    assert rows_of(old)["w"] == b"\0"


def test_a_kept_journal_goes(old: Path) -> None:
    persist = "PRAGMA journal_mode = PERSIST"
    with held_by_another_process(old, persist, "INSERT INTO zarr VALUES ('w', x'00')"):
        pass
    assert Path(f"{old}-journal").exists()
    settle(str(old), timeout=1)
    assert os.listdir(old.parent) == ["x.zarrdb"]


def test_leftovers_of_dead_processes_go_and_those_of_live_ones_stay(tmp_path: Path) -> None:
    live = PrivateFile(str(tmp_path / "x.zarrdb"))
    dead = tmp_path / ".x.zarrdb.123-0123abcd.tmp"
    others = [tmp_path / name for name in (".y.zarrdb.1-0123abcd.tmp", ".x.zarrdb.tmp", "x.tmp")]
    for path in (dead, *others):
        path.write_bytes(b"")
    remove_leftovers(str(tmp_path / "x.zarrdb"))
    assert sorted(os.listdir(tmp_path)) == sorted(
        [*(path.name for path in others), os.path.basename(live.path)]
    )
    live.remove()


def test_long_and_odd_names(tmp_path: Path) -> None:
    for name in ("n" * 247, "é" * 123, "a b\n%", "x?y=1#z"):
        replace(private(tmp_path / name), timeout=1)
        replace(private(tmp_path / name, STORE), timeout=1)
        assert rows_of(tmp_path / name) == STORE
    assert leftovers(tmp_path) == []


def test_a_place_that_does_not_exist(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match=r"nowhere/x\.zarrdb: cannot be written: no such"):
        PrivateFile(str(tmp_path / "nowhere" / "x.zarrdb"))
