"""New files: what the format wants, at once, and never in the place of anything."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from helpers_db import (
    in_child_as_nobody,
    let_anyone_in,
    make_database,
    query_one,
    run_python,
)
from helpers_other import other_process
from zarrdb._version import __version__
from zarrdb.db import Database, inspect
from zarrdb.errors import (
    ReadOnlyError,
    SourceError,
    TargetExistsError,
    UsageError,
    ZarrdbError,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_database(tmp_path / "x.zarrdb", keys=[("zarr.json", b"{}"), ("v", b"0123456789")])


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
    assert query_one(path, "PRAGMA page_size") == (page_size or 4096)
    assert query_one(path, "PRAGMA encoding") == "UTF-8"
    assert query_one(path, "PRAGMA integrity_check") == "ok"
    facts = inspect(path, integrity=True)
    assert facts.problems == ()
    assert facts.record("created_by") == f"zarrdb {__version__}"
    assert facts.record("sqlitestore_version") == "1.0"
    assert facts.record("compatible_flags") == facts.record("incompatible_flags") == ""
    assert query_one(path, "SELECT count(*) FROM zarr_sqlitestore_metadata") == 5


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
