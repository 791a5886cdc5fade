"""Files by zarr-sqlite read here, and files from here read by zarr-sqlite: every key equal."""

import asyncio
import subprocess
import sys
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers_cli import run_in_process
from helpers_store import buffer
from helpers_transfer import GROUP, STORE, read_tree, require_sound, rows_of, write_tree
from zarrdb import SQLiteStore
from zarrdb.db import Database

zarr_sqlite: Any = pytest.importorskip("zarr_sqlite")
zarr: Any = pytest.importorskip("zarr")

ODD = {
    "zarr.json": GROUP,
    "ä/\U0001f600/zarr.json": GROUP,
    "a b/100%/x_y": b"\0\xff",
    "empty": b"",
    "large": bytes(range(256)) * 8192,
}


def read_by_theirs(path: Path) -> dict[str, bytes]:
    """Keys and values as zarr-sqlite lists and gets them."""
    from zarr.core.buffer import default_buffer_prototype

    async def collect() -> dict[str, bytes]:
        store = zarr_sqlite.SQLiteStore(path, read_only=True)
        keys: AsyncIterator[str] = store.list()
        found = {}
        async for key in keys:
            value = await store.get(key, default_buffer_prototype())
            found[key] = value.to_bytes()
        store.close()
        return found

    return asyncio.run(collect())


def write_by_theirs(path: Path, values: dict[str, bytes]) -> None:
    """A file with these keys, by zarr-sqlite."""
    from zarr.core.buffer import cpu

    async def fill() -> None:
        store = zarr_sqlite.SQLiteStore(path)
        for key, value in values.items():
            await store.set(key, cpu.Buffer.from_bytes(value))
        store.close()

    asyncio.run(fill())


@pytest.mark.parametrize("values", [STORE, ODD], ids=["plain", "odd"])
def test_ours_is_read_by_theirs(tmp_path: Path, values: dict[str, bytes]) -> None:
    write_tree(tmp_path / "s.zarr", values)
    assert run_in_process("import", tmp_path / "s.zarr").code == 0
    assert read_by_theirs(tmp_path / "s.zarrdb") == values


@pytest.mark.parametrize("values", [STORE, ODD], ids=["plain", "odd"])
def test_theirs_is_read_by_ours(tmp_path: Path, values: dict[str, bytes]) -> None:
    path = tmp_path / "t.zarrdb"
    write_by_theirs(path, values)
    assert run_in_process("export", path, tmp_path / "out", "--verify").code == 0
    assert read_tree(tmp_path / "out") == values
    # They leave the write-ahead log on, we do not.
    assert run_in_process("vacuum", path).code == 0
    assert rows_of(path) == values
    require_sound(path)
    assert read_by_theirs(path) == values


def test_theirs_can_go_on_writing_into_ours(tmp_path: Path) -> None:
    write_tree(tmp_path / "s.zarr", STORE)
    assert run_in_process("import", tmp_path / "s.zarr").code == 0
    write_by_theirs(tmp_path / "s.zarrdb", {"a/c/0": b"changed", "new": b"1"})
    assert read_by_theirs(tmp_path / "s.zarrdb") == {**STORE, "a/c/0": b"changed", "new": b"1"}
    assert run_in_process("check", tmp_path / "s.zarrdb", "--fail-on", "error").code in (0, 1)


def test_arrays_are_equal_both_ways(tmp_path: Path) -> None:
    data = np.arange(6000, dtype="f4").reshape(60, 100)
    theirs = zarr_sqlite.SQLiteStore(tmp_path / "t.zarrdb")
    array = zarr.create_array(theirs, name="x", shape=data.shape, chunks=(7, 13), dtype="f4")
    array[:] = data
    theirs.close()
    assert run_in_process("import", tmp_path / "t.zarrdb", "-o", tmp_path / "o.zarrdb").code == 0
    ours = zarr_sqlite.SQLiteStore(tmp_path / "o.zarrdb", read_only=True)
    assert (zarr.open_array(ours, path="x", mode="r")[:] == data).all()
    ours.close()
    assert rows_of(tmp_path / "o.zarrdb") == read_by_theirs(tmp_path / "t.zarrdb")


WRITE_AND_DIE = """
import asyncio, os, signal, sys
from zarr.core.buffer import cpu
from zarr_sqlite import SQLiteStore

async def write():
    store = await SQLiteStore.open(sys.argv[1])
    for number in range(300):
        await store.set(f"c/{number % 200}", cpu.Buffer.from_bytes(b"%d," % number * 1000))
    await store.delete("c/7")
    os.kill(os.getpid(), signal.SIGKILL)

asyncio.run(write())
"""


@pytest.mark.skipif(sys.platform == "win32", reason="no SIGKILL")
@pytest.mark.parametrize("lost", [(), ("-shm",)], ids=["all", "copied without -shm"])
def test_a_writer_of_theirs_that_was_killed(tmp_path: Path, lost: tuple[str, ...]) -> None:
    path = tmp_path / "t.zarrdb"
    subprocess.run([sys.executable, "-c", WRITE_AND_DIE, path], timeout=60, check=False)
    for suffix in lost:
        Path(f"{path}{suffix}").unlink()
    wanted = {f"c/{number}": b"%d," % number * 1000 for number in range(100, 200)}
    wanted |= {f"c/{number}": b"%d," % (number + 200) * 1000 for number in range(100)}
    del wanted["c/7"]
    logs = {s: Path(f"{path}{s}").read_bytes() for s in ("", "-wal")}
    with Database.open(path) as database:
        assert dict(database.get_many(database.list())) == wanted
    assert run_in_process("check", path, "--select", "container").code == 1
    assert {s: Path(f"{path}{s}").read_bytes() for s in ("", "-wal")} == logs
    assert run_in_process("vacuum", path).code == 0
    require_sound(path)
    assert rows_of(path) == read_by_theirs(path) == wanted


def test_both_write_by_turns(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    wanted: dict[str, bytes] = {}
    for turn in range(6):
        values = {f"k/{n}": bytes([turn]) * (n * 97 % 6000) for n in range(turn, 120, turn + 1)}
        if turn % 2:
            write_by_theirs(path, values)
        else:
            with SQLiteStore(path) as store:
                for key, value in values.items():
                    store.set_sync(key, buffer(value))
                store.delete_sync(f"k/{turn}")
        wanted |= values
        if turn % 2 == 0:
            del wanted[f"k/{turn}"]
        with Database.open(path) as database:
            assert dict(database.get_many(database.list())) == wanted
    assert read_by_theirs(path) == wanted
    with Database.open(path, mode="rw"):
        pass
    require_sound(path)
