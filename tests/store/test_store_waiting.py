"""Tasks and threads that wait, give up, or come to their end while others are at work."""

import asyncio
import threading
from collections.abc import Coroutine
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from contextvars import Context
from pathlib import Path
from typing import Any, Literal

import apsw
import numpy as np
import pytest
from zarr.core.buffer import cpu

from helpers_store import PROTOTYPE, buffer, get, header_modes, keys, put, sidecars
from zarrdb import SQLiteStore
from zarrdb.errors import ClosedError, LockedError, SourceChangedError


def outside(coroutine: Coroutine[Any, Any, Any]) -> "asyncio.Task[Any]":
    """A task that belongs to no transaction."""
    return asyncio.get_running_loop().create_task(coroutine, context=Context())


async def turns(count: int = 5) -> None:
    """Let the other tasks of the loop run."""
    for _ in range(count):
        await asyncio.sleep(0)


@pytest.mark.parametrize("change", ["delete", "delete_dir", "set_if_not_exists", "set"])
async def test_a_transaction_takes_in_no_write_of_another_task(change: str, tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "x.zarrdb") as store:
        changes: dict[str, Any] = {
            "delete": lambda: store.delete("x"),
            "delete_dir": lambda: store.delete_dir("x"),
            "set_if_not_exists": lambda: store.set_if_not_exists("x", buffer(b"1")),
            "set": lambda: store.set("x", buffer(b"1")),
        }
        await store.set("zarr.json", buffer(b"{}"))
        other = outside(store.set("a", buffer(b"acknowledged")))
        with suppress(RuntimeError):
            async with store.transaction():
                # It has asked, and nobody has answered yet.
                await asyncio.sleep(0)
                await changes[change]()
                raise RuntimeError
        await other
        assert await store.exists("a")
        assert not await store.exists("x")


async def test_who_gives_up_waiting_for_a_transaction_holds_nothing(tmp_path: Path) -> None:
    with SQLiteStore(tmp_path / "x.zarrdb", timeout=30) as store:

        async def enter() -> None:
            async with store.transaction():
                await store.set("no", buffer(b"1"))

        async with store.transaction():
            await store.set("a", buffer(b"1"))
            waiting = outside(enter())
            await turns()
            waiting.cancel()
            with pytest.raises(asyncio.CancelledError):
                await waiting
        store.set_sync("b", buffer(b"1"))
        assert {key async for key in store.list()} == {"a", "b"}


async def test_a_cancelled_write_that_has_not_begun_writes_nothing(tmp_path: Path) -> None:
    """Its value may be in memory that is used for something else by then."""
    memory = np.frombuffer(b"value", dtype="u1").copy()
    with SQLiteStore(tmp_path / "x.zarrdb", timeout=30) as store:
        writing = outside(store.set("a", cpu.Buffer.from_array_like(memory)))
        await asyncio.sleep(0)
        writing.cancel()
        await asyncio.wait([writing])
        await turns()
        assert not await store.exists("a")
        async with store.transaction():
            writing = outside(store.set("a", cpu.Buffer.from_array_like(memory)))
            await turns()
            writing.cancel()
            await asyncio.wait([writing])
        memory[:] = 0
        await store.set("b", buffer(b"1"))
        assert {key async for key in store.list()} == {"b"}


async def test_those_who_wait_use_up_no_threads(tmp_path: Path) -> None:
    asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(1))
    with SQLiteStore(tmp_path / "x.zarrdb", timeout=20) as store:
        async with store.transaction():
            waiting = [outside(store.set(str(number), buffer(b"1"))) for number in range(3)]
            waiting += [outside(store.delete(str(number))) for number in range(3, 6)]
            await turns()
            assert await asyncio.wait_for(asyncio.to_thread(lambda: 5), 10) == 5
        await asyncio.gather(*waiting)
        assert len([key async for key in store.list()]) == 3


async def test_a_store_that_is_closed_answers_nobody_any_more(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    store = SQLiteStore(path)
    await store.set("a", buffer(b"1"))
    asked = [outside(store.set("b", buffer(b"2"))), outside(store.get("a", PROTOTYPE))]
    await asyncio.sleep(0)
    store.close()
    for task in asked:
        with pytest.raises(ClosedError):
            await task
    assert (header_modes(path), sidecars(path)) == ((1, 1), [])


@pytest.mark.parametrize("how", ["closed", "forgotten"])
def test_a_store_may_come_to_its_end_inside_its_transaction(how: str, tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"

    def work() -> None:
        store = SQLiteStore(path)
        with store.transaction():
            put(store, "a", b"1")
            if how == "closed":
                store.close()
            del store

    thread = threading.Thread(target=work, daemon=True)
    thread.start()
    thread.join(60)
    assert not thread.is_alive()
    assert (header_modes(path), sidecars(path)) == ((1, 1), [])
    with SQLiteStore(path, read_only=True) as reader:
        assert get(reader, "a") == b"1"


@pytest.mark.parametrize("there", ["nothing", "empty file"])
def test_two_stores_of_a_file_that_is_not_there_yet_are_one(there: str, tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    if there == "empty file":
        path.touch()
    with SQLiteStore(path, timeout=0.05) as one, SQLiteStore(path, timeout=0.05) as two:
        assert get(one, "a") is None
        assert get(two, "a") is None
        with one.transaction():
            put(two, "a", b"1")
            assert get(one, "a") == b"1"
    assert (header_modes(path), sidecars(path)) == ((1, 1), [])


async def test_transactions_of_two_files_at_once(tmp_path: Path) -> None:
    """The inner one hides nothing of the outer one."""
    with (
        SQLiteStore(tmp_path / "x.zarrdb", timeout=0.05) as one,
        SQLiteStore(tmp_path / "y.zarrdb", timeout=0.05) as two,
    ):
        for store in (one, two):
            await store.set("a", buffer(b"old"))
        with suppress(RuntimeError):
            async with one.transaction():
                await one.set("a", buffer(b"new"))
                with two.transaction():
                    assert get(one, "a") == b"new"
                    await one.set("b", buffer(b"new"))
                    two.set_sync("b", buffer(b"new"))
                    async with one.transaction():
                        one.set_sync("c", buffer(b"new"))
                    assert [get(one, key) for key in "abc"] == [b"new"] * 3
                await two.set("c", buffer(b"new"))
                raise RuntimeError
        assert {key: get(one, key) for key in keys(one)} == {"a": b"old"}
        assert keys(two) == ["a", "b", "c"]


def test_of_writers_that_end_at_the_same_time_one_folds_the_log(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    together = threading.Barrier(3)

    def work(number: int) -> None:
        for turn in range(30):
            store = SQLiteStore(path, timeout=60)
            store.set_sync(f"{number}/{turn}", buffer(b"1"))
            together.wait(60)
            store.close()
            together.wait(60)
            assert (header_modes(path), sidecars(path)) == ((1, 1), [])
            together.wait(60)

    with ThreadPoolExecutor(3) as pool:
        list(pool.map(work, range(3)))
    with SQLiteStore(path, read_only=True) as store:
        assert len(keys(store)) == 90


@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
def test_threads_that_come_first_at_the_same_time(mode: Any, tmp_path: Path) -> None:
    """Some read, some write, while stores come and go: nobody gets another one's connection."""
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path) as store:
        put(store, "a", b"1")
    together = threading.Barrier(4)

    def work(number: int) -> None:
        for turn in range(40):
            read_only = number % 2 == 0
            with SQLiteStore(path, read_only=read_only, timeout=60, journal_mode=mode) as store:
                together.wait(60)
                for _ in range(5):
                    value = store.get_sync("a")
                    assert value is not None
                    if not store.read_only:
                        store.set_sync(f"{number}/{turn}", buffer(b"1"))

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    # A reader may have been in the way of the last fold: then the mode stays.
    assert sidecars(path) == []


def reading(path: Path) -> apsw.Connection:
    """Somebody who is in the middle of reading a file without a log."""
    connection = apsw.Connection(str(path), flags=apsw.SQLITE_OPEN_READONLY)
    connection.execute("BEGIN; SELECT count(*) FROM zarr").fetchall()
    return connection


async def test_a_transaction_waits_for_readers_to_commit(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path, journal_mode="DELETE", timeout=30) as store:
        await store.set("a", buffer(b"1"))

        async def work() -> None:
            async with store.transaction():
                await store.set("a", buffer(b"2"))

        reader = reading(path)
        writing = outside(work())
        await turns()
        assert not writing.done()
        reader.execute("COMMIT")
        await asyncio.wait_for(writing, 30)
        assert get(store, "a") == b"2"
        reader.close()

        reader = reading(path)
        last, left = threading.Event(), threading.Event()

        def work_too() -> None:
            with store.transaction():
                store.set_sync("a", buffer(b"3"))
                last.set()
            left.set()

        thread = threading.Thread(target=work_too)
        thread.start()
        last.wait(30)
        reader.execute("COMMIT")
        thread.join(30)
        assert left.is_set()
        assert get(store, "a") == b"3"
        reader.close()


@pytest.mark.parametrize("how", ["with", "async with"])
async def test_a_transaction_that_readers_hold_up_too_long_is_taken_back(
    how: Literal["with", "async with"], tmp_path: Path
) -> None:
    path = tmp_path / "x.zarrdb"
    with SQLiteStore(path, journal_mode="DELETE", timeout=0.05) as store:
        store.set_sync("a", buffer(b"1"))
        reader = reading(path)

        async def work() -> None:
            if how == "with":
                with store.transaction():
                    store.set_sync("a", buffer(b"2"))
            else:
                async with store.transaction():
                    await store.set("a", buffer(b"2"))

        with pytest.raises(LockedError):
            await work()
        reader.close()
        assert get(store, "a") == b"1"
        with store.transaction():
            store.set_sync("b", buffer(b"1"))
        assert get(store, "b") == b"1"


def test_no_store_reads_a_file_and_the_one_that_took_its_place(tmp_path: Path) -> None:
    path, other = tmp_path / "x.zarrdb", tmp_path / "y.zarrdb"
    for each in (path, other):
        with SQLiteStore(each) as store:
            put(store, "a", each.name.encode())
    with SQLiteStore(path, read_only=True) as store:
        assert get(store, "a") == b"x.zarrdb"
        other.replace(path)
        inside, leave = threading.Event(), threading.Event()

        def hold(database: Any) -> None:
            inside.set()
            leave.wait(30)

        thread = threading.Thread(target=store._file.read_sync, args=(None, hold))
        thread.start()
        inside.wait(30)
        # The connection that has the old file open is in use; another one would find the new.
        with pytest.raises(SourceChangedError, match="replaced"):
            get(store, "a")
        leave.set()
        thread.join(30)
        assert get(store, "a") == b"x.zarrdb"
