"""Locks between processes and threads: kept, waited for, given back."""

import threading
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers_db import make_database, run_python
from helpers_other import other_process
from zarrdb.db import Database, inspect
from zarrdb.db.database import Mode
from zarrdb.db.filebytes import FileBytes
from zarrdb.db.journal import start_log
from zarrdb.db.ways import look
from zarrdb.errors import ClosedError, LockedError, ReadOnlyError, UsageError

TAKE = "BEGIN IMMEDIATE"


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_database(tmp_path / "x.zarrdb", keys=[("zarr.json", b"{}"), ("v", bytes(9000))])


def read_bytes(path: Path) -> None:
    with FileBytes(path) as file:
        assert file.read(0, 16) == b"SQLite format 3\0"
        assert file.read(file.size() - 10, 100) == file.read(file.size() - 10, 10)


def open_and_close(path: Path) -> None:
    with Database.open(path) as database:
        assert database.get("zarr.json") == b"{}"


@pytest.mark.parametrize("mode", ["delete", "wal"])
@pytest.mark.parametrize(
    "use", [inspect, look, read_bytes, open_and_close], ids=lambda use: use.__name__
)
def test_a_lock_survives_whatever_else_this_process_does_with_the_file(
    use: Callable[[object], object], mode: str, path: Path
) -> None:
    with Database.open(path, mode="rw") as database:
        if mode == "wal":
            assert start_log(database.connection)
        with database.transaction():
            database.set("mine", b"1")
            with other_process(path) as other:
                assert other.run(TAKE) == "BusyError"
                use(str(path))
                assert other.run(TAKE) == "BusyError"
        with other_process(path) as other:
            assert other.run(TAKE) == "[]"


def test_writers_wait_for_each_other(path: Path) -> None:
    with other_process(path) as other, Database.open(path, mode="rw", timeout=30) as database:
        other.run(TAKE)
        other.run("INSERT INTO zarr VALUES ('theirs', x'01')")
        done: list[str] = []

        def write() -> None:
            database.set("mine", b"2")
            done.append("mine")

        thread = threading.Thread(target=write)
        thread.start()
        done.append("theirs")
        other.run("COMMIT")
        thread.join()
        assert done == ["theirs", "mine"]
        assert database.get("theirs") == b"\1"


def test_a_writer_gives_up_after_its_timeout(path: Path) -> None:
    with other_process(path) as other, Database.open(path, mode="rw", timeout=0.05) as database:
        other.run(TAKE)
        start = time.monotonic()
        with pytest.raises(LockedError, match=r"locked by another process for 0\.05 s") as caught:
            database.set("mine", b"2")
        assert time.monotonic() - start < 5
        assert isinstance(caught.value, TimeoutError)
        with pytest.raises(LockedError), database.transaction():
            raise AssertionError
        other.run("ROLLBACK")
        database.set("mine", b"2")
        assert database.get("mine") == b"2"


@pytest.mark.parametrize("mode", ["wal", "delete"])
def test_every_change_waits_for_other_writers(mode: str, path: Path) -> None:
    """Also one that reads before it writes, and though the last change was a moment ago."""
    with other_process(path) as other, Database.open(path, mode="rw", timeout=0.05) as database:
        assert database.connection.pragma("journal_mode", mode) == mode
        database.set("b", bytes(9 << 20))
        changes: list[Callable[[], object]] = [
            lambda: database.set_ranges("b", [(5, b"1")]),
            lambda: database.set("b", bytes(9 << 20)),
            lambda: database.set_many([("b", b"2")]),
            lambda: database.set_if_not_exists("c", b"2"),
            lambda: database.set_stream("c", 1, [b"2"]),
            lambda: database.delete_many(["b"]),
            lambda: database.delete("b"),
            lambda: database.delete_prefix("b"),
            lambda: database.set_record("created_by", "me"),
        ]
        other.run(TAKE)
        for change in changes:
            start = time.monotonic()
            with pytest.raises(LockedError):
                change()
            assert time.monotonic() - start >= 0.05
        other.run("ROLLBACK")
        for change in changes:
            change()
        assert database.get("c") == b"2"


def test_an_interrupt_ends_the_wait(path: Path) -> None:
    code = """
import os, signal, sys, threading, time
from zarrdb.db import Database
with Database.open(sys.argv[1], mode="rw", timeout=60) as database:
    start = time.monotonic()
    threading.Timer(0.05, os.kill, (os.getpid(), signal.SIGINT)).start()
    try:
        database.set("a", b"1")
    except KeyboardInterrupt:
        print(time.monotonic() - start < 30)
"""
    with other_process(path) as other:
        other.run(TAKE)
        assert run_python(code, path) == "True"


def test_a_commit_that_readers_hold_up_is_taken_back(path: Path) -> None:
    with Database.open(path, mode="rw", timeout=0) as database, other_process(path) as other:
        other.run("BEGIN")
        other.run("SELECT count(*) FROM zarr")
        with pytest.raises(LockedError), database.transaction():
            database.set("mine", b"2")
        other.run("COMMIT")
        assert database.get("mine") is None
        database.set("mine", b"3")
        assert database.get("mine") == b"3"


def test_other_threads_wait_for_a_transaction(path: Path) -> None:
    with Database.open(path, mode="rw", timeout=30) as database:
        seen: list[bytes | None] = []
        inside = threading.Event()

        def read() -> None:
            inside.wait()
            seen.append(database.get("mine"))

        thread = threading.Thread(target=read)
        thread.start()
        with database.transaction():
            database.set("mine", b"1")
            inside.set()
            database.set("mine", b"2")
            assert database.get("mine") == b"2"
        thread.join()
        assert seen in ([b"2"], [None])


def test_a_thread_gives_up_waiting_for_another_threads_transaction(path: Path) -> None:
    with Database.open(path, mode="rw", timeout=0.02) as database, database.transaction():
        errors: list[BaseException] = []

        def read() -> None:
            try:
                database.get("zarr.json")
            except LockedError as error:
                errors.append(error)

        thread = threading.Thread(target=read)
        thread.start()
        thread.join()
        assert [type(error) for error in errors] == [LockedError]


def test_a_transaction_of_any_thread(path: Path) -> None:
    with Database.open(path, mode="rw", timeout=0) as database:
        with database.transaction(any_thread=True):
            thread = threading.Thread(target=database.set, args=("theirs", b"1"))
            thread.start()
            thread.join()
            assert database.get("theirs") == b"1"
        assert database.get("theirs") == b"1"


def test_many_threads_read_and_write_one_database(path: Path) -> None:
    with Database.open(path, mode="rw", timeout=60) as database:
        database.set("big", bytes(300_000))
        errors: list[BaseException] = []

        def work(number: int) -> None:
            try:
                for step in range(20):
                    database.set(f"t/{number}/{step}", b"x" * step)
                    assert database.get_range("big", 1000 * step, 10) == bytes(10)
                    assert database.get("big") == bytes(300_000)
                    assert b"".join(database.stream("big", 100_000)) == bytes(300_000)
                    assert next(iter(database.entries(f"t/{number}/"))).size == 0
            except BaseException as error:
                errors.append(error)

        threads = [threading.Thread(target=work, args=(number,)) for number in range(6)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert errors == []
        assert sum(1 for _ in database.entries("t/")) == 120


def test_an_inner_transaction_can_be_taken_back_by_itself(path: Path) -> None:
    with Database.open(path, mode="rw") as database:
        with database.transaction():
            database.set("outer", b"1")
            inner = database.transaction()
            inner.__enter__()
            database.set("inner", b"2")
            inner.__exit__(KeyError, KeyError(), None)
            assert database.get("inner") is None
        assert [e.key for e in database.entries()] == ["outer", "v", "zarr.json"]


def test_reading_only_writes_nothing(path: Path) -> None:
    with Database.open(path) as database:
        assert database.read_only
        for change in (
            lambda: database.set("a", b""),
            lambda: database.delete("v"),
            lambda: database.clear(),
            lambda: database.touch(),
            lambda: database.set_record("created_by", "me"),
            lambda: database.transaction().__enter__(),
        ):
            with pytest.raises(ReadOnlyError) as caught:
                change()
            assert isinstance(caught.value, PermissionError)


@pytest.mark.parametrize("mode", ["r", "rw"])
def test_after_close(mode: Mode, path: Path) -> None:
    database = Database.open(path, mode=mode)
    entries = database.entries()
    pieces = database.stream("v", 10)
    next(pieces)
    database.close()
    database.close()
    assert database.closed
    uses: tuple[Callable[[], object], ...] = (
        lambda: database.get("v"),
        lambda: database.set("v", b""),
        lambda: next(entries),
        lambda: next(pieces),
        lambda: database.snapshot().__enter__(),
    )
    for use in uses:
        with pytest.raises(ClosedError):
            use()


def test_close_takes_an_open_transaction_back(path: Path) -> None:
    database = Database.open(path, mode="rw")
    transaction = database.transaction()
    transaction.__enter__()
    database.set("mine", b"1")
    database.close()
    with pytest.raises(ClosedError):
        transaction.__exit__(None, None, None)
    with Database.open(path) as again:
        assert not again.exists("mine")


@pytest.mark.parametrize("replace", [True, False])
def test_a_file_that_is_gone_is_not_written(replace: bool, path: Path, tmp_path: Path) -> None:
    with Database.open(path, mode="rw") as database:
        database.set("before", b"1")
        if replace:
            make_database(tmp_path / "new.zarrdb").replace(path)
        else:
            path.unlink()
        with pytest.raises(ReadOnlyError, match="replaced or removed"):
            database.set("after", b"2")
        with pytest.raises(ReadOnlyError, match="replaced or removed"):
            database.set_many([("after", b"2")])
        with pytest.raises(ReadOnlyError, match="replaced or removed"):
            database.transaction()
    if replace:
        with Database.open(path) as database:
            assert list(database.list()) == []


def test_sqlites_own_names_are_not_taken() -> None:
    for name in ("", ":memory:", "file:x.zarrdb?mode=memory"):
        with pytest.raises(UsageError):
            Database.open(name)
        with pytest.raises(UsageError):
            Database.open(name, mode="create")
