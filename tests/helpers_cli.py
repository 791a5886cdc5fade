"""Running the command line in tests."""

import io
import os
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from unittest.mock import patch

from helpers_lint import Files, encoded, write_database
from zarrdb.cli.app import run

_PREFERENCES = {"NO_COLOR", "FORCE_COLOR", "COLUMNS", "LINES", "ZARRDB_CONFIG", "ZARRDB_DEBUG"}


class Result(NamedTuple):
    """What a run left: exit code and both streams."""

    code: int
    stdout: bytes
    stderr: bytes

    @property
    def out(self) -> str:
        return self.stdout.decode()

    @property
    def err(self) -> str:
        return self.stderr.decode()

    @property
    def lines(self) -> list[str]:
        return self.out.splitlines()


def write_store(path: Path, files: Files) -> Path:
    """A store of the kind that the suffix says: `.zarrdb`, `.zip`, else a directory."""
    if path.suffix == ".zarrdb":
        write_database(str(path), files)
    elif path.suffix == ".zip":
        with zipfile.ZipFile(path, "w") as archive:
            for key, value in files.items():
                archive.writestr(key, encoded(value))
    else:
        for key, value in files.items():
            file = path / key
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(encoded(value))
    return path


def run_subprocess(
    *arguments: str | os.PathLike[str],
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    timeout: float = 60,
) -> Result:
    """`python -m zarrdb ARGUMENTS` with the environment extended by `env`."""
    done = subprocess.run(
        [sys.executable, "-m", "zarrdb", *(os.fspath(argument) for argument in arguments)],
        input=stdin,
        capture_output=True,
        env=_environment(env),
        timeout=timeout,
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


def peak_memory(*arguments: str | os.PathLike[str]) -> int:
    """MiB of memory that a run takes at most, its output thrown away; Linux only."""
    # Not from getrusage: there a process starts with the peak of the one it was forked from.
    code = (
        "import sys; from zarrdb.cli.app import run; code = run(sys.argv[1:])\n"
        "peak = [line for line in open('/proc/self/status') if line.startswith('VmHWM')]\n"
        "sys.stderr.write(peak[0].split()[1]); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *(os.fspath(argument) for argument in arguments)],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        timeout=300,
        check=True,
    )
    return int(done.stderr) >> 10


class Stream(io.TextIOWrapper):
    """Standard output over memory, in any encoding, a terminal or not."""

    def __init__(self, encoding: str = "utf-8", *, terminal: bool = False) -> None:
        self._bytes = io.BytesIO()
        super().__init__(self._bytes, encoding=encoding, errors="backslashreplace", newline="\n")
        self._terminal = terminal

    def isatty(self) -> bool:
        return self._terminal

    def value(self) -> bytes:
        """All that was written to it."""
        self.flush()
        return self._bytes.getvalue()


def run_in_process(
    *arguments: str | os.PathLike[str],
    env: Mapping[str, str] | None = None,
    stdin: bytes = b"",
    terminal: bool = False,
) -> Result:
    """The same in this process; `terminal` makes the streams claim to be one."""
    out, err = Stream(terminal=terminal), Stream(terminal=terminal)
    source = io.TextIOWrapper(io.BytesIO(stdin))
    with (
        patch.object(sys, "stdout", out),
        patch.object(sys, "stderr", err),
        patch.object(sys, "stdin", source),
        patch.dict(os.environ, _environment(env), clear=True),
    ):
        code = run([os.fspath(argument) for argument in arguments])
    return Result(code, out.value(), err.value())


def _environment(extra: Mapping[str, str] | None) -> dict[str, str]:
    """What the tests run in, whatever colours and widths the caller's shell prefers."""
    kept = {k: v for k, v in os.environ.items() if k not in _PREFERENCES}
    return {**kept, **(extra or {})}
