"""The SQLite stores of zarr-python 2 in every command: read as they are, never changed."""

import json
import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr

import zarrdb
from helpers_cli import Result, run_in_process
from helpers_db import folder_state
from helpers_lint import array2, encoded
from helpers_transfer import require_sound, rows_of
from zarrdb import SQLiteStore
from zarrdb.errors import NotAStoreError

TABLE = "CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)"
STORE = {
    ".zattrs": b'{"title": "old"}',
    ".zgroup": b'{"zarr_format": 2}',
    "g/.zgroup": b'{"zarr_format": 2}',
    "g/a/.zarray": encoded(array2()),
    "g/a/0": np.array([1, 2], "<i4").tobytes(),
    "g/a/1": np.array([3, 4], "<i4").tobytes(),
}
CONSOLIDATED = {
    "zarr_consolidated_format": 1,
    "metadata": {key: json.loads(value) for key, value in STORE.items() if "/." in f"/{key}"},
}


def made(
    path: Path,
    *statements: str,
    rows: dict[str, bytes] = STORE,
    first: str = "",
    table: str = TABLE,
) -> Path:
    """The file as zarr-python 2 makes it."""
    connection = sqlite3.connect(path, isolation_level=None)
    connection.execute(first)
    connection.execute(table)
    connection.executemany("REPLACE INTO zarr VALUES (?, ?)", rows.items())
    for statement in statements:
        connection.execute(statement)
    connection.close()
    return path


def crashed(path: Path) -> Path:
    """The same with its last rows in a log that nobody folded."""
    origin = path.with_name("origin")
    made(origin, "PRAGMA journal_mode=WAL", rows={})
    connection = sqlite3.connect(origin, isolation_level=None)
    connection.executemany("REPLACE INTO zarr VALUES (?, ?)", STORE.items())
    shutil.copy(origin, path)
    shutil.copy(f"{origin}-wal", f"{path}-wal")
    connection.close()
    origin.unlink()
    return path


KINDS: dict[str, Callable[[Path], Path]] = {
    "plain": made,
    "consolidated": lambda path: made(
        path, rows={**STORE, ".zmetadata": json.dumps(CONSOLIDATED).encode()}
    ),
    "wal": lambda path: made(path, "PRAGMA journal_mode=WAL"),
    "crashed": crashed,
    "utf-16": lambda path: made(path, first="PRAGMA encoding='UTF-16'"),
    "analyzed": lambda path: made(path, "ANALYZE"),
    "indexed": lambda path: made(path, "CREATE INDEX i ON zarr(v)"),
    "not unique": lambda path: made(path, table="CREATE TABLE zarr(k TEXT, v BLOB)"),
    "without rowid": lambda path: made(path, table=f"{TABLE} WITHOUT ROWID"),
}


@pytest.fixture(params=KINDS)
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    folder = tmp_path / "old"
    folder.mkdir()
    return KINDS[request.param](folder / "x.sqldb")


def content(path: Path) -> dict[str, bytes]:
    connection = sqlite3.connect(path)
    found = dict(connection.execute("SELECT k, v FROM zarr").fetchall())
    connection.close()
    return found


def ran(*arguments: str | Path) -> Result:
    result = run_in_process(*map(str, arguments))
    assert "Traceback" not in result.err
    return result


def test_it_is_looked_at(old: Path) -> None:
    before = folder_state(old.parent)
    assert ran("ls", "-R", old).out.split() == ["g/", "g/a"]
    assert {*STORE} <= {*ran("ls", "--keys", old).out.split()}
    assert ran("cat", old, ".zattrs").out == STORE[".zattrs"].decode()
    assert "zarr-python 2" in ran("info", old).out
    assert "int32" in ran("info", old, "g/a").out
    checked = json.loads(ran("check", "--json", old).out)["files"][0]
    assert checked["kind"] == "legacy"
    assert checked["status"] == "checked"
    assert "container/legacy-store" in {each["rule"] for each in checked["findings"]}
    assert folder_state(old.parent) == before


@pytest.mark.parametrize("target", ["x.zarrdb", "x.zarr", "x.zip", "x.tar"])
def test_it_is_copied(target: str, old: Path, tmp_path: Path) -> None:
    before = folder_state(old.parent)
    command = ("import", old, "-o") if target == "x.zarrdb" else ("export", old)
    result = ran(*command, tmp_path / target)
    assert result.code == 0, result.err
    if target == "x.zarrdb":
        require_sound(tmp_path / target)
        assert rows_of(tmp_path / target).items() >= STORE.items()
    assert folder_state(old.parent) == before


@pytest.mark.parametrize("command", [("vacuum",), ("vacuum", "--force"), ("check", "--fix")])
def test_it_is_never_written(command: tuple[str, ...], old: Path) -> None:
    before = folder_state(old.parent)
    result = ran(*command, old)
    assert result.code == 3
    if command[0] == "vacuum":
        assert "zarr-python 2" in result.err
        assert "import" in result.err
    assert folder_state(old.parent) == before


def test_it_is_opened_by_zarr(old: Path) -> None:
    before = folder_state(old.parent)
    array: Any = zarrdb.open_array(old, path="g/a")
    assert array[...].tolist() == [1, 2, 3, 4]
    group: Any = zarrdb.open(old)
    assert dict(group.attrs) == {"title": "old"}
    assert [*group["g"].array_keys()] == ["a"]
    with pytest.raises(NotAStoreError, match="zarr-python 2"):
        zarr.open_group(SQLiteStore(old), mode="a")
    with SQLiteStore(old, read_only=True) as store:
        array = zarr.open_group(store, mode="r")["g/a"]
        assert array[...].tolist() == [1, 2, 3, 4]
    assert folder_state(old.parent) == before


def test_an_empty_one_is_read_too(tmp_path: Path) -> None:
    path = made(tmp_path / "x.sqldb", rows={})
    assert ran("ls", path).code == 0
    assert ran("info", path).code == 0
    assert ran("import", path, "--any-keys", "-o", tmp_path / "y.zarrdb").code == 3
    assert not (tmp_path / "y.zarrdb").exists()
    with SQLiteStore(path, read_only=True) as store:
        assert store.supports_listing
