"""Forks: the parent's file stays whole, and the child goes on with connections of its own."""

import multiprocessing
import os
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from helpers_db import in_child, make_database, run_python
from zarrdb.db import Database, inspect
from zarrdb.db.journal import start_log
from zarrdb.errors import ClosedError

pytestmark = [
    pytest.mark.skipif(not hasattr(os, "fork"), reason="there are no forks here"),
    # Python 3.12 began to warn of forks beside threads, which is what is tested.
    pytest.mark.filterwarnings("ignore:.*use of fork.*:DeprecationWarning"),
]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_database(tmp_path / "x.zarrdb", keys=[("zarr.json", b"{}")])


def check(path: Path, *keys: str) -> None:
    connection = apsw.Connection(str(path))
    assert connection.execute("PRAGMA integrity_check").get == "ok"
    assert [k for (k,) in connection.execute("SELECT k FROM zarr ORDER BY k")] == sorted(keys)
    connection.close()
    assert not os.path.exists(f"{path}-journal")


@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_parent_and_child_both_read_and_write(mode: str, path: Path) -> None:
    with Database.open(path, mode="rw") as database:
        if mode == "wal":
            assert start_log(database.connection)
        database.set("parent", b"1")

        def work() -> bool:
            assert database.get("parent") == b"1"
            database.set("child", b"2")
            return True

        assert in_child(work)
        assert database.get("child") == b"2"
        database.set("parent-again", b"3")
    check(path, "zarr.json", "parent", "child", "parent-again")


_LEAVES = """
import os, sys
from zarrdb.db import Database, inspect
from zarrdb.db.journal import start_log
path, mode, leave = sys.argv[1:]
database = Database.open(path, mode="rw")
if mode == "wal":
    assert start_log(database.connection)
with database.transaction():
    for number in range(50):
        database.set(f"inside/{number}", bytes(20000))
    pid = os.fork()
    if pid == 0:
        leave == "_exit" and os._exit(0)
        sys.exit(0)
    assert os.waitpid(pid, 0)[1] == 0
    database.set("after", b"1")
assert sum(1 for _ in database.entries()) == 52
database.close()
"""


@pytest.mark.parametrize("leave", ["exit", "_exit"])
@pytest.mark.parametrize("mode", ["delete", "wal"])
def test_a_child_that_ends_leaves_the_parents_transaction_alone(
    mode: str, leave: str, path: Path
) -> None:
    run_python(_LEAVES, path, mode, leave)
    check(path, "zarr.json", "after", *(f"inside/{number}" for number in range(50)))


def test_a_transaction_is_over_in_the_child(path: Path) -> None:
    with Database.open(path, mode="rw") as database:

        def work() -> bool:
            with pytest.raises(ClosedError, match="does not survive a fork"):
                database.set("child", b"1")
            with pytest.raises(ClosedError, match="does not survive a fork"):
                database.get("zarr.json")
            return True

        with database.transaction():
            database.set("mine", b"1")
            assert in_child(work)
    check(path, "zarr.json", "mine")


def test_after_the_block_the_child_can_use_the_database(path: Path) -> None:
    code = """
import os, sys
from zarrdb.db import Database, inspect
from zarrdb.errors import ClosedError
database = Database.open(sys.argv[1], mode="rw")
try:
    with database.transaction():
        database.set("parent", b"1")
        pid = os.fork()
        if pid:
            os.waitpid(pid, 0)
except ClosedError:
    assert pid == 0
else:
    assert pid
if pid == 0:
    assert database.get("parent") is None
    os._exit(0)
database.close()
print("done")
"""
    assert run_python(code, path) == "done"
    check(path, "zarr.json", "parent")


def test_a_fork_waits_for_the_write_in_progress(path: Path) -> None:
    with Database.open(path, mode="rw", timeout=60) as database:
        writing, forked = threading.Event(), threading.Event()

        def pieces() -> Iterator[bytes]:
            for number in range(20):
                writing.set()
                forked.wait(0.01)
                yield bytes([number]) * 1000

        def write() -> None:
            database.set_stream("stream", 20_000, pieces())

        thread = threading.Thread(target=write)
        thread.start()
        writing.wait()
        assert in_child(lambda: len(database.get("stream") or b"") == 20_000)
        forked.set()
        thread.join()
    check(path, "zarr.json", "stream")


def _put(database: Database, number: int) -> None:
    database.set(f"worker/{number}", b"1")


def test_workers_that_inherit_a_database(path: Path) -> None:
    with Database.open(path, mode="rw", timeout=60) as database:
        workers = [
            multiprocessing.get_context("fork").Process(target=_put, args=(database, number))
            for number in range(5)
        ]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
            assert worker.exitcode == 0
        assert sum(1 for _ in database.entries("worker/")) == 5
    check(path, "zarr.json", *(f"worker/{number}" for number in range(5)))


def test_a_fork_inside_a_call(path: Path) -> None:
    """The pieces of a value come from code that forks, for example by starting a process."""
    with Database.open(path, mode="rw") as database:

        def pieces() -> Iterator[bytes]:
            for _ in range(3):
                assert in_child(lambda: True)
                yield bytes(10)

        database.set_stream("v", 30, pieces())
    check(path, "zarr.json", "v")


def test_a_stream_held_over_a_fork(path: Path) -> None:
    with Database.open(path, mode="rw") as database:
        database.set("v", bytes(300_000))
        stream = database.stream("v", 100_000)
        next(stream)

        stream_in_child = [stream]

        def work() -> bool:
            stream_in_child.clear()
            return database.get("v") == bytes(300_000)

        assert in_child(work)
        assert len(b"".join(stream)) == 200_000
        database.set("w", b"")
    check(path, "zarr.json", "v", "w")


def test_threads_that_open_and_threads_that_fork(path: Path) -> None:
    errors: list[BaseException] = []

    def open_often() -> None:
        try:
            for _ in range(60):
                with Database.open(path, timeout=60) as database:
                    assert database.get("zarr.json") == b"{}"
                    assert inspect(path).problems == ()
        except BaseException as error:
            errors.append(error)

    def fork_often() -> None:
        try:
            for _ in range(15):
                assert in_child(lambda: Database.open(path).get("zarr.json") == b"{}")
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for work in (open_often, fork_often) * 2]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []


def test_opening_does_not_wait_for_an_opening_that_waits(path: Path) -> None:
    """A thread that waits for a lock keeps no other thread from opening another file."""
    other = make_database(path.parent / "other.zarrdb")
    with Database.open(path, mode="rw") as database:
        database.connection.execute("BEGIN EXCLUSIVE")
        waiting = threading.Thread(target=lambda: Database.open(path, timeout=60).close())
        waiting.start()
        for _ in range(20):
            Database.open(other, timeout=0).close()
        assert waiting.is_alive()
        database.connection.execute("COMMIT")
        waiting.join()
