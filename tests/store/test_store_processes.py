"""Forked children, killed writers: the file stays whole and keeps what was acknowledged."""

import multiprocessing
import os
import random
import signal
import sys
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import apsw
import pytest

from helpers_store import buffer, get, header_modes, keys, put, sidecars
from zarrdb import SQLiteStore
from zarrdb.errors import ClosedError

needs_fork = pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
# zarr's own thread is running in this process; the children use nothing of it.
pytestmark = pytest.mark.filterwarnings("ignore:.*multi-threaded.*fork:DeprecationWarning")

JournalMode = Literal["WAL", "DELETE"]


def in_child(work: Callable[[], None], leave: Callable[[int], object]) -> int:
    """The exit status of a forked child that works and then leaves."""
    pid = os.fork()
    if pid == 0:
        # Whatever happens, the child must not run the rest of the tests.
        try:
            work()
            status = 0
        except BaseException:
            status = 1
        if leave is os._exit:
            os._exit(status)
        try:
            leave(status)
        except SystemExit:
            # What a store leaves to the end; other packages' exits hang without their threads.
            weakref.finalize._exitfunc()  # type: ignore[attr-defined]
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])


def check(path: Path) -> None:
    """The file is whole, as SQLite sees it."""
    connection = apsw.Connection(str(path))
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    connection.close()


@needs_fork
@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
@pytest.mark.parametrize("leave", [sys.exit, os._exit])
def test_a_child_reads_and_writes_by_itself(
    mode: JournalMode, leave: Callable[[int], object], tmp_path: Path
) -> None:
    path = tmp_path / "x.zarrdb"
    store = SQLiteStore(path, journal_mode=mode, timeout=30)
    store.set_sync("parent", buffer(b"1"))

    def work() -> None:
        value = store.get_sync("parent")
        assert value is not None
        assert value.to_bytes() == b"1"
        store.set_sync("child", buffer(b"2"))

    assert in_child(work, leave) == 0
    store.set_sync("after", buffer(b"3"))
    assert keys(store) == ["after", "child", "parent"]
    store.close()
    check(path)
    assert header_modes(path) == (1, 1)
    assert sidecars(path) == []


@needs_fork
@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
@pytest.mark.parametrize("leave", [sys.exit, os._exit])
def test_a_child_born_inside_a_transaction_cannot_harm_it(
    mode: JournalMode, leave: Callable[[int], object], tmp_path: Path
) -> None:
    path = tmp_path / "x.zarrdb"
    store = SQLiteStore(path, journal_mode=mode)
    store.set_sync("before", buffer(bytes(100_000)))

    def work() -> None:
        with pytest.raises(ClosedError):
            store.set_sync("child", buffer(b"2"))

    with store.transaction():
        for number in range(20):
            store.set_sync(f"inside/{number}", buffer(bytes(10_000)))
        assert in_child(work, leave) == 0
        store.set_sync("last", buffer(b"3"))
    assert len(keys(store)) == 22
    store.close()
    check(path)
    assert sidecars(path) == []


def _add(path: str, number: int) -> None:
    with SQLiteStore(path, timeout=60) as store:
        store.set_sync(f"worker/{number}", buffer(str(number).encode()))


@pytest.mark.parametrize("method", multiprocessing.get_all_start_methods())
def test_pools_of_processes_write_one_file(method: str, tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    store = SQLiteStore(path)
    store.set_sync("zarr.json", buffer(b"{}"))
    with multiprocessing.get_context(method).Pool(2) as pool:
        pool.starmap(_add, [(str(path), number) for number in range(8)])
    assert len(keys(store)) == 9
    store.close()
    assert sidecars(path) == []
    check(path)


@needs_fork
@pytest.mark.parametrize("mode", ["WAL", "DELETE"])
@pytest.mark.parametrize("size", [20, 9_000])
def test_a_killed_writer_loses_nothing_that_was_acknowledged(
    mode: JournalMode, size: int, tmp_path: Path
) -> None:
    chance = random.Random(size)
    path = tmp_path / "x.zarrdb"
    SQLiteStore(path).set_sync("zarr.json", buffer(b"{}"))
    acknowledged = 0
    for _ in range(60):
        acknowledged = _kill_a_writer(path, mode, size, acknowledged, chance.randrange(1, 25))
        with SQLiteStore(path, journal_mode=mode) as store:
            found = {key for key in keys(store) if key.startswith("v/")}
            assert {f"v/{number}" for number in range(acknowledged)} <= found
            last = f"v/{acknowledged - 1}"
            assert get(store, last) == last.encode().ljust(size, b".")
            # The next writable open and close, with nobody else there, settles everything.
            put(store, "zarr.json", b"{}")
        check(path)
        assert sidecars(path) == []


def _kill_a_writer(path: Path, mode: JournalMode, size: int, first: int, enough: int) -> int:
    """Let a child write from number `first`, kill it after about `enough`; the next number."""
    receiving, sending = os.pipe()
    pid = os.fork()
    if pid == 0:
        os.close(receiving)
        try:
            store = SQLiteStore(path, journal_mode=mode, timeout=30)
            for number in range(first, first + 10_000):
                store.set_sync(f"v/{number}", buffer(f"v/{number}".encode().ljust(size, b".")))
                os.write(sending, b".")
        finally:
            os._exit(1)
    os.close(sending)
    got = 0
    while got < enough and (data := os.read(receiving, enough - got)):
        got += len(data)
    os.kill(pid, signal.SIGKILL)
    os.waitpid(pid, 0)
    while data := os.read(receiving, 65536):
        got += len(data)
    os.close(receiving)
    assert got >= enough
    return first + got
