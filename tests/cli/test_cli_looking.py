"""Looking at a store changes nothing, whatever looks and however it ends."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from helpers_cli import Result, run_in_process, write_store
from helpers_lint import CHUNK, array3, group3, write_database

FILES = {"zarr.json": group3(), "a/zarr.json": array3(), "a/c/0": CHUNK, "big": bytes(1 << 20)}

LOOKS = [
    ["ls"],
    ["ls", "-lR"],
    ["ls", "--keys"],
    ["ls", "--tree"],
    ["info"],
    ["info", "{}", "a"],
    ["cat", "{}", "zarr.json", "a/c/0"],
    ["cat", "{}", "nope"],
    ["check"],
]


ANNOUNCED = (
    "import sys; from zarrdb.cli.app import run; print('begins', flush=True); "
    "sys.exit(run(sys.argv[1:]))"
)


def look(file: Path, arguments: list[str]) -> Result:
    command, *rest = arguments
    words = [str(file) if word == "{}" else word for word in rest]
    return run_in_process(command, *(words if "{}" in rest else [str(file), *words]))


def snapshot(folder: Path) -> dict[str, tuple[bytes, int, int]]:
    """Names, contents, times and modes of all that lies in a folder."""
    return {
        str(path): (path.read_bytes(), path.stat().st_mtime_ns, path.stat().st_mode)
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


@contextmanager
def unchanged(folder: Path) -> Iterator[None]:
    before = snapshot(folder)
    yield
    assert snapshot(folder) == before


@contextmanager
def locked(file: Path) -> Iterator[None]:
    """Hold the lock of a writer in another process: reading the bytes here would drop one."""
    code = (
        "import sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('BEGIN EXCLUSIVE')\n"
        "print('locked', flush=True)\n"
        "sys.stdin.read()"
    )
    holder = subprocess.Popen(
        [sys.executable, "-c", code, file], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdout is not None
    assert holder.stdout.readline() == b"locked\n"
    yield
    holder.communicate(timeout=60)


def in_wal_mode(folder: Path) -> Path:
    file = str(folder / "s.zarrdb")
    return Path(write_database(file, FILES, after=["PRAGMA journal_mode = WAL"]))


def with_a_log(folder: Path) -> Path:
    """A file with committed rows in its log, as after a crash: nobody has it open."""
    file = in_wal_mode(folder)
    code = (
        "import os, sqlite3, sys\n"
        "c = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "c.execute('PRAGMA wal_autocheckpoint = 0')\n"
        "c.execute(\"INSERT INTO zarr VALUES ('late', x'00')\")\n"
        "os._exit(0)"
    )
    subprocess.run([sys.executable, "-c", code, file], check=True, timeout=60)
    os.unlink(f"{file}-shm")
    return file


@pytest.mark.parametrize("arguments", LOOKS, ids=" ".join)
@pytest.mark.parametrize(
    "make",
    [
        lambda folder: write_store(folder / "s.zarrdb", FILES),
        lambda folder: write_store(folder / "s.zarr", FILES),
        lambda folder: write_store(folder / "s.zip", FILES),
        in_wal_mode,
        with_a_log,
    ],
    ids=["zarrdb", "directory", "zip", "WAL", "log"],
)
def test_nothing_changes(
    tmp_path: Path, make: Callable[[Path], Path], arguments: list[str]
) -> None:
    file = make(tmp_path)
    with unchanged(tmp_path):
        result = look(file, arguments)
    # A log with rows is a finding of check.
    expected = {1} if "nope" in arguments else {0, 1} if arguments == ["check"] else {0}
    assert result.code in expected, result.err


def test_committed_rows_in_a_log_are_seen(tmp_path: Path) -> None:
    assert "late" in look(with_a_log(tmp_path), ["ls", "--keys"]).lines


@pytest.mark.parametrize("arguments", LOOKS, ids=" ".join)
def test_what_is_missing_is_not_made(tmp_path: Path, arguments: list[str]) -> None:
    result = look(tmp_path / "s.zarrdb", arguments)
    assert result.code in (2, 3)
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGINT", "SIGKILL"])
def test_stopped_while_waiting_for_a_lock(tmp_path: Path, name: str) -> None:
    number = getattr(signal, name)
    file = write_store(tmp_path / "s.zarrdb", FILES)
    with unchanged(tmp_path), locked(file):
        process = subprocess.Popen(
            [sys.executable, "-c", ANNOUNCED, "ls", "--timeout", "60", file],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        assert process.stdout is not None
        assert process.stdout.readline() == b"begins\n"
        with pytest.raises(subprocess.TimeoutExpired):
            process.communicate(timeout=0.5)
        process.send_signal(number)
        assert process.communicate(timeout=10) == (b"", b"")
    assert process.returncode == (-number if name == "SIGKILL" else 128 + number)


@pytest.mark.skipif(sys.platform == "win32", reason="needs bash")
class TestPipes:
    """Readers that have had enough, and a device that is full."""

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        keys = {f"a/c/{number}": b"" for number in range(20_000)}
        values = {"a/zarr.json": array3(shape=[50_000]), "big": bytes(8 << 20)}
        return write_store(tmp_path / "s.zarrdb", {**keys, **values})

    @pytest.mark.parametrize("unbuffered", ["", "1"])
    @pytest.mark.parametrize(
        ("arguments", "reader"),
        [
            ("ls --keys {}", "head -n 1"),
            ("ls --keys --json {}", "head -n 1"),
            ("cat {} big", "head -c 10"),
        ],
    )
    def test_the_reader_went_away(
        self, file: Path, arguments: str, reader: str, unbuffered: str
    ) -> None:
        command = f"{sys.executable} -m zarrdb {arguments.format(file)}"
        done = subprocess.run(
            ["bash", "-c", f"{command} | {reader}; exit ${{PIPESTATUS[0]}}"],
            capture_output=True,
            env={**os.environ, "PYTHONUNBUFFERED": unbuffered},
            timeout=60,
            check=False,
        )
        assert (done.returncode, done.stderr) == (141, b"")
        assert done.stdout

    @pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full")
    @pytest.mark.parametrize("arguments", ["ls {}", "ls --keys {}", "cat {} big", "info {}"])
    def test_a_full_device(self, file: Path, arguments: str) -> None:
        with open("/dev/full", "wb") as full:
            done = subprocess.run(
                [sys.executable, "-m", "zarrdb", *arguments.format(file).split()],
                stdout=full,
                stderr=subprocess.PIPE,
                timeout=60,
                check=False,
            )
        assert done.returncode == 3
        assert done.stderr == b"zarrdb: cannot write the output: no space left on device\n"
