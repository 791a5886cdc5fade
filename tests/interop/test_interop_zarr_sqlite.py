"""Files by zarr-sqlite read here, and files from here read by zarr-sqlite: every key equal."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from helpers_cli import run_in_process
from helpers_transfer import GROUP, STORE, read_tree, require_sound, rows_of, write_tree

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
