"""Several threads, tasks, loops, stores and processes on one file."""

import asyncio
import multiprocessing
import threading
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import apsw
import numpy as np
import pytest
import zarr

from helpers_store import PROTOTYPE, buffer, get, keys, put
from zarrdb import SQLiteStore
from zarrdb.db import Database
from zarrdb.errors import LockedError, SchemaError


def test_a_commit_is_seen_by_others_at_once(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path) as store:
        put(store, "a", b"1")
        with SQLiteStore(path, read_only=True) as reader:
            assert get(reader, "a") == b"1"
            put(store, "a", b"2")
            assert get(reader, "a") == b"2"
        other = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
        assert other.execute("SELECT v FROM zarr").get == b"2"
        put(store, "a", b"3")
        assert other.execute("SELECT v FROM zarr").get == b"3"
        other.close()


def test_many_threads_read_and_write(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "x.zarrdb", timeout=30) as store:

        def work(thread: int) -> None:
            for number in range(50):
                key = f"{thread}/{number}"
                store.set_sync(key, buffer(key.encode() * 1000))
                value = store.get_sync(key)
                assert value is not None
                assert value.to_bytes() == key.encode() * 1000

        with ThreadPoolExecutor(8) as pool:
            list(pool.map(work, range(8)))
        assert len(keys(store)) == 400


def test_many_event_loops_use_one_store(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "x.zarrdb", timeout=30) as store:

        async def work(thread: int) -> None:
            await asyncio.gather(
                *(store.set(f"{thread}/{n}", buffer(bytes([n]))) for n in range(40))
            )
            assert await store.getsize_prefix(str(thread)) == 40

        with ThreadPoolExecutor(6) as pool:
            list(pool.map(lambda thread: asyncio.run(work(thread)), range(6)))
        assert len(keys(store)) == 240


async def test_a_cancelled_write_does_not_disturb_its_neighbours(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "x.zarrdb") as store:
        tasks = [asyncio.create_task(store.set(str(n), buffer(b"v"))) for n in range(5)]
        await asyncio.sleep(0)
        tasks[2].cancel()
        results = await asyncio.gather(*tasks, return_exceptions=True)
        assert isinstance(results[2], asyncio.CancelledError)
        for number in (0, 1, 3, 4):
            assert await store.exists(str(number))


async def test_reads_of_many_tasks_are_each_their_own(tmp_path: Path) -> None:
    """They are read together, small and large ones, whatever becomes of the others."""
    path = tmp_path / "x.zarrdb"
    values = {str(n): bytes([n]) * (700_000 if n % 3 == 0 else n) for n in range(30)}
    with SQLiteStore(path) as store:
        for key, value in values.items():
            await store.set(key, buffer(value))
    with Database.open(path, mode="rw") as database:
        database.connection.execute("INSERT INTO zarr (k, v) VALUES ('number', 5)")
    with SQLiteStore(path) as store:
        tasks = {key: asyncio.create_task(store.get(key)) for key in [*values, "no", "number"]}
        await asyncio.sleep(0)
        tasks["7"].cancel()
        async with store.transaction():
            await store.set("8", buffer(b"changed"))
            inside = await asyncio.gather(store.get("8"), store.get("9"))
            assert [value and value.to_bytes() for value in inside] == [b"changed", values["9"]]
        await asyncio.wait(tasks.values())
        assert tasks.pop("7").cancelled()
        assert await tasks.pop("no") is None
        with pytest.raises(SchemaError, match="number"):
            await tasks.pop("number")
        assert await tasks.pop("8") is not None
        for key, task in tasks.items():
            found = await task
            assert found is not None
            assert found.to_bytes() == values[key]


async def test_reads_of_a_file_that_is_not_there_yet_find_nothing(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "x.zarrdb") as store:
        assert await asyncio.gather(*(store.get(str(n)) for n in range(5))) == [None] * 5
        assert not (tmp_path / "x.zarrdb").exists()
    with SQLiteStore(tmp_path / "x.zarrdb", read_only=True) as store:
        found = await asyncio.gather(*(store.get(str(n)) for n in range(5)), return_exceptions=True)
        assert all(isinstance(error, FileNotFoundError) for error in found)


async def test_writes_of_one_task_keep_their_order(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "x.zarrdb") as store:
        first = asyncio.create_task(store.set("a", buffer(b"1")))
        await asyncio.sleep(0)
        await store.delete("a")
        await first
        assert not await store.exists("a")


async def test_waiting_for_a_transaction_of_the_same_loop_does_not_stop_the_loop(
    tmp_path: Path,
) -> None:
    path = tmp_path / "x.zarrdb"
    entered, leave = asyncio.Event(), asyncio.Event()
    with SQLiteStore(path) as one, SQLiteStore(path) as two:

        async def hold() -> None:
            async with one.transaction():
                await one.set("a", buffer(b"one"))
                entered.set()
                await leave.wait()

        holder = asyncio.create_task(hold())
        await asyncio.wait_for(entered.wait(), 30)
        writer = asyncio.create_task(two.set("b", buffer(b"two")))
        other = asyncio.create_task(two.delete("c"))
        for _ in range(10):
            await asyncio.sleep(0)
        assert not writer.done()
        assert await two.get("a", PROTOTYPE) is None
        leave.set()
        await asyncio.wait_for(asyncio.gather(holder, writer, other), 30)
        assert {key async for key in one.list()} == {"a", "b"}


async def test_a_writer_that_waits_too_long_gets_a_clear_error(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path) as one, SQLiteStore(path, timeout=0.05) as two:
        async with one.transaction():
            await one.set("a", buffer(b"1"))

            async def other() -> None:
                await two.set("b", buffer(b"2"))

            # A task made here would belong to the transaction; one of another context does not.
            import contextvars

            task = asyncio.get_running_loop().create_task(other(), context=contextvars.Context())
            with pytest.raises(LockedError) as caught:
                await task
            assert caught.value.hint
        await two.set("b", buffer(b"2"))
        assert await one.exists("b")


def test_a_transaction_groups_what_zarr_writes_inside(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    data = np.arange(100, dtype="i4")
    with SQLiteStore(path) as store, SQLiteStore(path, read_only=True) as reader:
        with store.transaction():
            array = zarr.create_array(store, name="a", shape=(100,), chunks=(10,), dtype="i4")
            array[:] = data
            assert np.array_equal(array[:], data)
            seen: list[bool] = []
            thread = threading.Thread(target=lambda: seen.append(bool(keys(reader))))
            thread.start()
            thread.join(30)
            assert seen == [False]
        assert np.array_equal(zarr.open_array(reader, path="a", mode="r")[:], data)


def test_an_error_takes_a_transaction_back(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "x.zarrdb") as store:
        put(store, "a", b"1")

        def fail_half_way() -> None:
            with store.transaction():
                put(store, "a", b"2")
                put(store, "b", b"2")
                raise RuntimeError("no")

        with pytest.raises(RuntimeError, match="no"):
            fail_half_way()
        assert get(store, "a") == b"1"
        assert get(store, "b") is None
        with store.transaction(), store.transaction():
            put(store, "b", b"3")
        assert get(store, "b") == b"3"


def test_other_threads_wait_for_a_transaction(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "x.zarrdb", timeout=30) as store:
        order: list[str] = []
        started = threading.Event()

        def other() -> None:
            started.set()
            store.set_sync("b", buffer(b"2"))
            order.append("other")

        thread = threading.Thread(target=other)
        with store.transaction():
            put(store, "a", b"1")
            thread.start()
            started.wait(30)
            put(store, "c", b"1")
            order.append("transaction")
        thread.join(30)
        assert order == ["transaction", "other"]
        assert keys(store) == ["a", "b", "c"]


def _write_some(path: str, name: str, count: int) -> None:
    with SQLiteStore(path, timeout=60) as store:
        for number in range(count):
            store.set_sync(f"{name}/{number}", buffer(f"{name}{number}".encode()))


def test_two_processes_wait_for_each_other_and_lose_nothing(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    SQLiteStore(path).set_sync("zarr.json", buffer(b"{}"))
    context = multiprocessing.get_context("spawn")
    processes = [
        context.Process(target=_write_some, args=(str(path), name, 200)) for name in ("p", "q")
    ]
    for process in processes:
        process.start()
    for process in processes:
        process.join(120)
        assert process.exitcode == 0
    with SQLiteStore(path, read_only=True) as store:
        assert len(keys(store)) == 401
        assert get(store, "q/199") == b"q199"


def test_a_lock_of_another_process_is_named_after_the_timeout(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    put(SQLiteStore(path), "a", b"1")
    holder = apsw.Connection(str(path))
    holder.execute("BEGIN IMMEDIATE")
    with SQLiteStore(path, timeout=0.05) as store:
        assert get(store, "a") == b"1"
        with pytest.raises(LockedError, match=r"x\.zarrdb"):
            put(store, "b", b"2")
        holder.execute("ROLLBACK")
        put(store, "b", b"2")
        assert get(store, "b") == b"2"
    holder.close()


def test_an_exclusive_lock_only_delays_readers(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path, journal_mode="DELETE") as store:
        put(store, "a", b"1")
    holder = apsw.Connection(str(path))
    holder.execute("BEGIN EXCLUSIVE")
    with SQLiteStore(path, read_only=True, timeout=0.05) as store:
        with pytest.raises(LockedError):
            get(store, "a")
        holder.execute("ROLLBACK")
        assert get(store, "a") == b"1"
    holder.close()
