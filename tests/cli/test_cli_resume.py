"""`zarrdb import --resume`: processes that are stopped, and others that go on."""

import json
import random
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from helpers_cli import Result, run_in_process
from helpers_transfer import GROUP, STORE, leftovers, require_sound, rows_of, write_tree

LEFT = [".x.zarrdb.partial", ".x.zarrdb.partial.log"]

# Stops before it reads a batch, as often as it is told; every batch is settled.
SCRIPT = """
import sys
from zarrdb.transfer import engine, resume
resume.STEP_BYTES = 1
original, left = engine.read_batch, int(sys.argv[1])
def gated(*arguments, **options):
    global left
    left -= 1
    if left < 0:
        print("here", flush=True)
        sys.stdin.readline()
    return original(*arguments, **options)
engine.read_batch = gated
from zarrdb.cli.app import run
sys.exit(run(sys.argv[2:]))
"""


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def store(tmp_path: Path) -> dict[str, bytes]:
    numbers = random.Random(7)
    values = {f"a/c/x/{n}": numbers.randbytes(numbers.randrange(3000)) for n in range(900)}
    values |= STORE
    write_tree(tmp_path / "s.zarr", values)
    return values


def stopped(batches: int, number: int, *arguments: str) -> tuple[int, str]:
    """A process that gets a signal after some batches: its exit code, and what it said."""
    command = [sys.executable, "-c", SCRIPT, str(batches), "import", *arguments]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        assert "here\n" in iter(process.stdout.readline, "")
        process.send_signal(number)
        process.wait(20)
        return process.returncode, process.stderr.read()


def imported(*arguments: str, code: int = 0) -> Result:
    result = run_in_process("import", *arguments)
    assert result.code == code, result.err
    return result


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
@pytest.mark.parametrize("options", [[], ["--verify"], ["--page-size", "512", "-q"]])
def test_a_stopped_import_goes_on(
    tmp_path: Path, store: dict[str, bytes], number: int, code: int, options: list[str]
) -> None:
    imported("s.zarr", "-o", "whole.zarrdb", *options)
    places = random.Random(number + len(options))
    command = ["s.zarr", "-o", "x.zarrdb", "--resume", *options]
    for _ in range(3):
        exit_code, said = stopped(places.randrange(1, 8), number, *command)
        assert exit_code == code
        assert not (tmp_path / "x.zarrdb").exists()
        assert leftovers(tmp_path) == LEFT
        kept = f"note: {tmp_path}/{LEFT[0]}: keeps what was done; the same command continues it\n"
        assert said == ("" if number == signal.SIGKILL or "-q" in options else kept)
    result = imported(*command, "--json")
    report = json.loads(result.out)
    assert report["keys"] == len(store)
    assert 0 < report["resumed_keys"] < len(store)
    assert (tmp_path / "x.zarrdb").read_bytes() == (tmp_path / "whole.zarrdb").read_bytes()
    assert leftovers(tmp_path) == []
    require_sound(tmp_path / "x.zarrdb")


@pytest.mark.usefixtures("store")
def test_what_is_said(tmp_path: Path) -> None:
    stopped(3, signal.SIGTERM, "s.zarr", "-o", "x.zarrdb", "--resume")
    other = imported("s.zarr", "-o", "x.zarrdb", "--resume", "--exclude", "b/**", code=3)
    assert other.err == (
        f"zarrdb: {tmp_path}/{LEFT[0]}: was begun with other options, or the source has changed"
        " since\nhint: --overwrite removes it and starts anew\n"
    )
    stale = imported("s.zarr", "-o", "x.zarrdb")
    assert stale.err == (
        f"note: {tmp_path}/{LEFT[0]} of an interrupted import is left: --resume continues it,"
        " --overwrite removes it\n"
    )
    assert leftovers(tmp_path) == LEFT
    done = imported("s.zarr", "-o", "x.zarrdb", "--resume", "--overwrite")
    assert " of them before" in done.out
    stopped(3, signal.SIGTERM, "s.zarr", "-o", "y.zarrdb", "--resume")
    assert imported("s.zarr", "-o", "y.zarrdb", "--overwrite").err == ""
    assert leftovers(tmp_path) == []


def test_a_target_inside_its_source(tmp_path: Path, store: dict[str, bytes]) -> None:
    stopped(4, signal.SIGTERM, "s.zarr", "-o", "s.zarr/x.zarrdb", "--resume")
    assert leftovers(tmp_path / "s.zarr") == LEFT
    imported("s.zarr", "-o", "s.zarr/x.zarrdb", "--resume")
    assert rows_of(tmp_path / "s.zarr/x.zarrdb") == store


def test_several_sources(tmp_path: Path, store: dict[str, bytes]) -> None:
    write_tree(tmp_path / "t.zarr", {"zarr.json": GROUP})
    command = ["t.zarr", "s.zarr", "-d", "out", "--resume", "--skip-existing"]
    code, _ = stopped(5, signal.SIGTERM, *command)
    assert code == 143
    assert leftovers(tmp_path / "out") == [".s.zarrdb.partial", ".s.zarrdb.partial.log"]
    result = imported(*command)
    assert result.lines[-1] == "2 sources: 1 written, 1 skipped (exist), 0 failed"
    assert rows_of(tmp_path / "out/s.zarrdb") == store


def test_export_to_a_file_goes_on_too(tmp_path: Path, store: dict[str, bytes]) -> None:
    imported("s.zarr")
    done = run_in_process("export", "s.zarrdb", "x.zarrdb", "--resume")
    assert done.code == 0
    assert (tmp_path / "x.zarrdb").read_bytes() == (tmp_path / "s.zarrdb").read_bytes()
    assert len(rows_of(tmp_path / "x.zarrdb")) == len(store)
