"""What opening, closing, copying and collecting a store does to the file."""

import gc
import pickle
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import zarr

from helpers_db import SCHEMA, make_database
from helpers_store import buffer, get, header_modes, keys, put, sidecars
from zarrdb import SQLiteStore
from zarrdb.errors import ClosedError, ContainerError, UsageError


def test_the_constructor_touches_nothing(tmp_path: Path) -> None:
    SQLiteStore(tmp_path / "missing" / "x.zarrdb")
    assert list(tmp_path.iterdir()) == []


def test_reading_a_file_that_is_not_there_finds_nothing_and_makes_nothing(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "x.zarrdb")
    assert get(store, "a") is None
    assert keys(store) == []
    assert list(tmp_path.iterdir()) == []


def test_a_read_only_store_of_a_missing_file_fails_at_first_use(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "x.zarrdb", read_only=True)
    with pytest.raises(FileNotFoundError):
        get(store, "a")


def test_the_first_write_creates_the_file_and_close_leaves_one_file(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    store = SQLiteStore(path)
    put(store, "a", b"1")
    store.close()
    assert [each.name for each in tmp_path.iterdir()] == ["x.zarrdb"]
    assert header_modes(path) == (1, 1)


def test_a_closed_store_refuses_to_work(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "x.zarrdb")
    put(store, "a", b"1")
    store.close()
    for use in (lambda: get(store, "a"), lambda: put(store, "b", b"2"), lambda: keys(store)):
        with pytest.raises(ClosedError):
            use()
    store.close()


@pytest.mark.parametrize("path", [":memory:", "file:x.zarrdb?mode=ro"])
def test_what_is_no_path_is_refused(path: str) -> None:
    with pytest.raises(UsageError) as caught:
        SQLiteStore(path)
    assert caught.value.hint


@pytest.mark.parametrize("page_size", [0, 1000, 131072, "large"])
def test_an_impossible_page_size_is_refused(page_size: int, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="page size"):
        SQLiteStore(tmp_path / "x.zarrdb", page_size=page_size)


@pytest.mark.parametrize(("chunk", "page_size"), [(1000, 4096), (1 << 20, 65536)])
def test_auto_takes_the_page_size_that_suits_the_first_chunk(
    chunk: int, page_size: int, tmp_path: Path
) -> None:
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path) as store:
        put(store, "zarr.json", b"{}")
        put(store, "c/0", bytes(chunk))
        put(store, "c/1", bytes(10))
        assert get(store, "zarr.json") == b"{}"
    assert int.from_bytes(path.read_bytes()[16:18], "big") in (page_size, page_size >> 16)


def test_with_read_only_goes_both_ways(tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "x.zarrdb", timeout=1.5, durability="chunk")
    put(store, "a", b"1")
    reader = store.with_read_only(True)
    assert reader.read_only
    assert reader != store
    assert get(reader, "a") == b"1"
    with pytest.raises(ValueError, match="read-only"):
        put(reader, "a", b"2")
    writer = reader.with_read_only(False)
    assert writer == store
    assert (writer.timeout, writer.durability) == (1.5, "chunk")
    put(writer, "a", b"2")
    assert get(reader, "a") == b"2"


def test_readers_that_nobody_closed_do_not_stop_the_fold(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    store = SQLiteStore(path)
    zarr.create_array(store, name="a", shape=(4,), dtype="i4")[:] = 7
    array = zarr.open_array(store, path="a", mode="r")
    store.close()
    assert header_modes(path) == (1, 1)
    assert sidecars(path) == []
    assert array[0] == 7


@pytest.mark.parametrize("state", ["new", "open", "closed"])
def test_a_store_is_pickled_at_any_time(state: str, tmp_path: Path) -> None:
    store = SQLiteStore(tmp_path / "x.zarrdb", durability="close", page_size=8192)
    if state != "new":
        put(store, "a", b"1")
    if state == "closed":
        store.close()
    copy = pickle.loads(pickle.dumps(store))
    assert copy == store
    assert (copy.durability, copy.page_size) == ("close", 8192)
    assert get(copy, "a") == (None if state == "new" else b"1")


def test_a_collected_store_leaves_one_file(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    store = SQLiteStore(path)
    put(store, "a", b"1")
    assert sidecars(path)
    del store
    gc.collect()
    assert sidecars(path) == []
    assert header_modes(path) == (1, 1)


def test_a_process_that_closes_nothing_leaves_one_file(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    program = (
        "import asyncio, sys\n"
        "from zarrdb import SQLiteStore\n"
        "from zarr.core.buffer import cpu\n"
        "store = SQLiteStore(sys.argv[1])\n"
        "asyncio.run(store.set('a', cpu.Buffer.from_bytes(b'1')))\n"
    )
    subprocess.run([sys.executable, "-c", program, str(path)], check=True, timeout=60)
    assert [each.name for each in tmp_path.iterdir()] == ["x.zarrdb"]
    assert header_modes(path) == (1, 1)


def test_more_stores_than_descriptors(tmp_path: Path) -> None:
    resource = pytest.importorskip("resource")
    template = tmp_path / "0.zarrdb"
    with SQLiteStore(template) as store:
        put(store, "a", b"0")
    for number in range(1, 1100):
        shutil.copy(template, tmp_path / f"{number}.zarrdb")
    # Every tenth is written to: three descriptors each while it is.
    stores = [
        SQLiteStore(tmp_path / f"{number}.zarrdb", read_only=number % 10 > 0)
        for number in range(1100)
    ]
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    try:
        resource.setrlimit(resource.RLIMIT_NOFILE, (min(1024, hard), hard))
        for number, store in enumerate(stores):
            if not store.read_only:
                store.set_sync("a", buffer(str(number).encode()))
            assert store.get_sync("a") is not None
        for number, store in enumerate(stores):
            value = store.get_sync("a")
            assert value is not None
            assert value.to_bytes() == (b"0" if store.read_only else str(number).encode())
        for store in stores:
            store.close()
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    assert all(each.suffix == ".zarrdb" for each in tmp_path.iterdir())


@pytest.mark.parametrize("read_only", [True, False])
def test_a_new_store_opens_the_file_that_is_there_now(read_only: bool, tmp_path: Path) -> None:
    path, other = tmp_path / "x.zarrdb", tmp_path / "y.zarrdb"
    for each in (path, other):
        with SQLiteStore(each) as store:
            put(store, "a", each.name.encode())
    first = SQLiteStore(path, read_only=True)
    assert get(first, "a") == b"x.zarrdb"
    other.replace(path)
    second = SQLiteStore(path, read_only=read_only)
    assert get(second, "a") == b"y.zarrdb"
    assert get(first, "a") == b"x.zarrdb"
    first.close()
    assert get(second, "a") == b"y.zarrdb"
    second.close()
    path.unlink()
    with SQLiteStore(path) as third:
        put(third, "a", b"new")
        assert get(third, "a") == b"new"


@pytest.mark.parametrize("reader_first", [True, False])
@pytest.mark.parametrize("why", ["zarr-python 2's", "trigger"])
def test_a_store_that_may_not_write_keeps_nobody_from_reading(
    why: str, reader_first: bool, tmp_path: Path
) -> None:
    trigger = "CREATE TRIGGER t AFTER INSERT ON zarr BEGIN SELECT 1; END"
    legacy = ("CREATE TABLE zarr (k TEXT PRIMARY KEY, v BLOB)",)
    schema = (*SCHEMA, trigger) if why == "trigger" else legacy
    path = make_database(tmp_path / "x", schema=schema, keys=[("a", b"1")])
    reader = SQLiteStore(path, read_only=True)
    if reader_first:
        assert get(reader, "a") == b"1"
    writer = SQLiteStore(path)
    for _ in range(2):
        with pytest.raises(ContainerError):
            get(writer, "a")
        with pytest.raises(ContainerError):
            put(writer, "a", b"2")
        assert get(reader, "a") == b"1"
        assert keys(reader) == ["a"]
        assert get(SQLiteStore(path, read_only=True), "a") == b"1"
    reader.close()
    writer.close()
    assert sidecars(path) == []
