"""Arrays as zarr-python makes, changes and reads them: the same in a file as in memory."""

import importlib
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from zarr.storage import MemoryStore

from helpers_store import get, keys
from zarrdb import SQLiteStore

# Data types and consolidated metadata that other readers may not know.
pytestmark = pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")

FUSED = "zarr.core.codec_pipeline.FusedCodecPipeline"
HAS_FUSED = hasattr(importlib.import_module("zarr.core.codec_pipeline"), FUSED.rpartition(".")[2])


@pytest.fixture(params=["batched", "fused"])
def pipeline(request: pytest.FixtureRequest) -> Iterator[str]:
    if request.param == "batched":
        yield "batched"
        return
    if not HAS_FUSED:
        pytest.skip("this zarr has no fused pipeline")
    with zarr.config.set({"codec_pipeline.path": FUSED, "codec_pipeline.max_workers": 4}):
        yield "fused"


def contents(store: Any) -> dict[str, bytes | None]:
    return {key: get(store, key) for key in keys(store)}


def test_an_array_written_inside_a_transaction_is_read_there(pipeline: str, tmp_path: Path) -> None:
    data = np.arange(1600, dtype="i4").reshape(40, 40)
    with SQLiteStore(tmp_path / "x.zarrdb", timeout=0.05) as store:
        shards: tuple[int, int] | None
        for name, shards in (("plain", None), ("sharded", (20, 20))):
            old = zarr.create_array(store, name=name, data=data, chunks=(5, 5), shards=shards)
            with suppress(ZeroDivisionError), store.transaction():
                array = zarr.open_array(store, path=name)
                array[:] = data + 1
                array[3:9, 2:33] = 0
                assert array[8, 32] == 0
                np.testing.assert_array_equal(array[9:], data[9:] + 1)
                raise ZeroDivisionError
            np.testing.assert_array_equal(old[:], data)
            with store.transaction():
                old[3:9, 2:33] = 0
            expected = data.copy()
            expected[3:9, 2:33] = 0
            np.testing.assert_array_equal(old[:], expected)


@pytest.mark.parametrize("at_once", [1, 10, 64])
def test_threads_read_and_write_parts_of_shards(
    at_once: int, pipeline: str, tmp_path: Path
) -> None:
    """A row of shards each, since whoever changes a part of a shard rewrites it."""
    data = np.arange(64 * 64, dtype=">f8").reshape(64, 64)
    with (
        zarr.config.set({"async.concurrency": at_once}),
        SQLiteStore(tmp_path / "x.zarrdb", timeout=60) as store,
    ):
        array = zarr.create_array(
            store, shape=data.shape, dtype=data.dtype, chunks=(4, 4), shards=(16, 16), fill_value=-1
        )

        def work(row: int) -> None:
            part = slice(16 * row, 16 * row + 16)
            for column in range(0, 64, 15):
                array[part, column : column + 15] = data[part, column : column + 15]
                np.testing.assert_array_equal(array[part, : column + 15], data[part, : column + 15])
            assert array[16 * row + 3, 60] == data[16 * row + 3, 60]

        with ThreadPoolExecutor(4) as pool:
            list(pool.map(work, range(4)))
        again = zarr.open_array(store, mode="r")
        np.testing.assert_array_equal(again[:], data)
        np.testing.assert_array_equal(again[5:50:3, 2:60:7], data[5:50:3, 2:60:7])
        rows, columns = np.array([1, 40]), np.array([63, 2])
        np.testing.assert_array_equal(again.oindex[rows, columns], data[np.ix_(rows, columns)])


def resize(root: zarr.Group) -> None:
    array = root.create_array("a", shape=(10,), chunks=(3,), dtype=">i2", fill_value=7)
    array[:] = np.arange(10)
    array.resize((4,))
    array.append(np.arange(5, dtype=">i2"))
    array.resize((20,))


def overwrite(root: zarr.Group) -> None:
    root.create_array("a", shape=(10,), chunks=(1,), dtype="i4")[:] = 1
    root.create_array("a.b", shape=(2,), dtype="i4")[:] = 1
    root.create_array("ab", shape=(2,), dtype="i4")[:] = 1
    root.create_array("a", shape=(2, 2), dtype="f4", overwrite=True)[:] = 2
    root.create_group("ab", overwrite=True).attrs["x"] = [1, None]


def remove(root: zarr.Group) -> None:
    for name in ("a", "a.b", "ab", "a/b", "a/b/c"):
        root.create_group(name).create_array("x", shape=(), dtype="u1")[...] = 5
    del root["a"]
    root.create_group("a")


def consolidate(root: zarr.Group) -> None:
    root.create_array("b/c/d", shape=(3,), dtype="i8")[:] = 3
    zarr.consolidate_metadata(root.store)
    root["b"].attrs["late"] = True
    zarr.consolidate_metadata(root.store, path="b")


def kinds(root: zarr.Group) -> None:
    fields = np.dtype([("a", ">i4"), ("b", "<f8"), ("c", "S3")])
    record = root.create_array("record", shape=(3,), chunks=(2,), dtype=fields)
    record[:] = np.array([(1, 2.5, b"x"), (2, 3.5, b"yy"), (3, 4.5, b"zzz")], dtype=fields)
    text = root.create_array("text", shape=(4,), chunks=(3,), dtype=str)
    text[:] = np.array(["", "ä", "\U0001f600" * 9, "x\0y"], dtype=object)
    root.create_array("zero", shape=(), dtype=">c16")[...] = 1 + 2j
    root.create_array("none", shape=(0, 3), chunks=(1, 3), dtype="i4")
    root.create_array("bool", shape=(9,), chunks=(4,), dtype="?")[2:7] = True


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("change", [resize, overwrite, remove, consolidate, kinds])
def test_what_zarr_does_leaves_the_same_keys_and_values(
    change: Callable[[zarr.Group], None], zarr_format: Any, pipeline: str, tmp_path: Path
) -> None:
    memory = MemoryStore()
    with SQLiteStore(tmp_path / "x.zarrdb") as store:
        for each in (memory, store):
            change(zarr.create_group(each, zarr_format=zarr_format))
        assert contents(store) == contents(memory)
        for name, array in zarr.open_group(memory, mode="r").members(max_depth=None):
            if isinstance(array, zarr.Array):
                twin = zarr.open_array(store, path=name, mode="r")
                np.testing.assert_array_equal(np.asarray(twin[...]), np.asarray(array[...]))
