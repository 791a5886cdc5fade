"""Exit codes, error lines, signals and streams, whatever the command."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from helpers_cli import Result
from zarrdb.cli import app
from zarrdb.cli.app import COMMANDS
from zarrdb.errors import UsageError, ZarrdbError

Cli = Callable[..., Result]


@pytest.fixture
def behave(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], None]:
    """Make `ls FILE` do something else, after its arguments were read."""

    def set_behaviour(action: Callable[[], object]) -> None:
        def opened(*_: object, **__: object) -> Iterator[None]:
            action()
            raise AssertionError("not reached")

        monkeypatch.setattr("zarrdb.cli.ls.opened", opened)

    return set_behaviour


def two_lines(result: Result) -> tuple[str, str]:
    first, second = result.err.splitlines()
    assert first.startswith("zarrdb: ")
    assert second.startswith("hint: ")
    assert result.stdout == b""
    return first.removeprefix("zarrdb: "), second.removeprefix("hint: ")


@pytest.mark.parametrize("option", ["-h", "--help"])
@pytest.mark.parametrize("name", ["", *COMMANDS])
def test_help_ends_with_an_example(cli: Cli, name: str, option: str) -> None:
    result = cli(*filter(None, [name]), option)
    assert (result.code, result.err) == (0, "")
    usage, *_, example = result.lines
    assert usage.startswith(f"Usage: zarrdb {name}".rstrip())
    assert "zarrdb " in example
    assert all(len(line) <= 80 for line in result.lines)


def test_help_lists_the_commands_without_loading_them(run_cli: Cli) -> None:
    result = run_cli("--help")
    for name, entry in COMMANDS.items():
        assert any(line.split(maxsplit=1) == [name, entry.summary] for line in result.lines), name


@pytest.mark.parametrize("arguments", [["-V"], ["--version"], ["ls", "-V"], ["ls", "-qV"]])
def test_version(cli: Cli, arguments: list[str]) -> None:
    from zarrdb import __version__

    assert cli(*arguments) == Result(0, f"zarrdb {__version__}\n".encode(), b"")


@pytest.mark.parametrize("arguments", [["-V", "-v"], ["-vV"], ["cat", "-V", "--verbose"]])
def test_version_block_for_reports(cli: Cli, arguments: list[str]) -> None:
    facts = dict(line.split(maxsplit=1) for line in cli(*arguments).lines)
    assert facts["python"].startswith(f"{sys.version_info[0]}.{sys.version_info[1]}.")
    assert {"zarrdb", "platform", "sqlite", "apsw", "zarr", "numcodecs", "fsspec"} <= set(facts)
    assert "blosc2" in facts
    assert "stdout utf-8" in facts["encodings"].lower()


@pytest.mark.parametrize(
    ("arguments", "message", "hint"),
    [
        ([], "no command given", "init ls"),
        (["lss"], "no command `lss`", "did you mean `ls`?"),
        (["improt", "x"], "no command `improt`", "did you mean `import`?"),
        (["diff", "a", "b"], "`diff` is not part of this version yet", "`zarrdb --help`"),
        ([os.curdir], "no command `.`", "the command comes first: `zarrdb ls .`"),
        (["--qiet", "ls"], "no option `--qiet`", "did you mean `--quiet`?"),
        (["ls", "--lnog", "x"], "no option `--lnog`", "did you mean `--long`?"),
        (["ls", "-y", "x"], "no option `-y`", "`zarrdb ls --help`"),
        (["ls"], "`FILE` is missing", "`zarrdb ls --help`"),
        (["ls", "a", "b", "c"], "got unexpected extra argument", "`zarrdb ls --help`"),
        (["ls", "--color", "red", "x"], "`--color`: ", "`zarrdb ls --help`"),
        (["ls", "--depth", "x", "f"], "`--depth`: `x` is not a whole number", "`zarrdb ls --help`"),
        (["ls", "--depth", "0", "f"], "`--depth`: 0 is not in the range", "`zarrdb ls --help`"),
        (["ls", "f", "--depth"], "option `--depth` requires an argument", "`zarrdb ls --help`"),
        (["ls", "--timeout", "-1", "f"], "`--timeout`: ", "`zarrdb ls --help`"),
        (["--completion", "tcsh"], "no completion for `tcsh`", "bash, zsh and fish"),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, list) else "",
)
def test_usage_errors_are_two_lines(
    cli: Cli, arguments: list[str], message: str, hint: str
) -> None:
    result = cli(*arguments)
    assert result.code == 2
    first, second = two_lines(result)
    assert first.startswith(message)
    assert hint in second


def test_options_before_the_command(cli: Cli) -> None:
    result = cli("-q", "--color", "never", "ls", "--help")
    assert result.code == 0
    assert result.out.startswith("Usage: zarrdb ls")


@pytest.mark.parametrize(
    ("error", "code", "lines"),
    [
        (ZarrdbError("x: broken", hint="mend it"), 3, "zarrdb: x: broken\nhint: mend it\n"),
        (ZarrdbError("a\x1b[31m\u202eb"), 3, "zarrdb: a\\x1b[31m\\u202eb\n"),
        (
            OSError(13, "Permission denied", "f"),
            3,
            "zarrdb: f: permission denied\nhint: check the permissions, and the disk\n",
        ),
        (
            MemoryError(),
            3,
            "zarrdb: out of memory\nhint: -j 1 takes less, where there is a -j\n",
        ),
        (UsageError("no"), 2, "zarrdb: no\nhint: `zarrdb ls --help` shows what it takes\n"),
        (KeyboardInterrupt(), 130, ""),
        (BrokenPipeError(), 141, ""),
    ],
    ids=repr,
)
def test_what_goes_wrong_is_told_in_a_line_or_two(
    cli: Cli,
    behave: Callable[[Callable[[], object]], None],
    error: BaseException,
    code: int,
    lines: str,
) -> None:
    def fail() -> None:
        raise error

    behave(fail)
    assert cli("ls", "x") == Result(code, b"", lines.encode())


def test_an_internal_error_shows_no_traceback(
    cli: Cli, behave: Callable[[Callable[[], object]], None]
) -> None:
    empty: dict[str, object] = {}
    behave(lambda: empty["x"])
    result = cli("ls", "x")
    assert result.code == 3
    first, second = two_lines(result)
    assert first.startswith("internal error: KeyError: 'x' (test_cli_app.py:")
    assert "zarrdb -V -v" in second


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP", "SIGINT"])
def test_signals(cli: Cli, behave: Callable[[Callable[[], object]], None], name: str) -> None:
    number = getattr(signal, name)
    before = signal.getsignal(number)

    def stop() -> None:
        os.kill(os.getpid(), number)
        signal.pause()

    behave(stop)
    result = cli("ls", "x")
    assert result == Result(128 + number, b"", b"")
    assert signal.getsignal(number) == before


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX signals")
def test_an_ignored_hangup_stays_ignored(
    cli: Cli, behave: Callable[[Callable[[], object]], None]
) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)
    try:
        behave(lambda: os.kill(os.getpid(), signal.SIGHUP))
        assert "not reached" in cli("ls", "x").err
    finally:
        signal.signal(signal.SIGHUP, before)


def shell(script: str, *arguments: str | Path, env: dict[str, str] | None = None) -> Result:
    done = subprocess.run(
        ["bash", "-c", script, "bash", f"{sys.executable} -m zarrdb", *arguments],
        capture_output=True,
        timeout=60,
        env={**os.environ, **(env or {})},
        check=False,
    )
    return Result(done.returncode, done.stdout, done.stderr)


PRINTED = ["--help", "ls --help", "check -h", "--completion bash", "-V", "-V -v"]


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="needs /dev/full and bash")
class TestStreams:
    """Standard output that is full, closed, or a pipe that nobody reads any more."""

    @pytest.mark.parametrize("env", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["", "unbuffered"])
    @pytest.mark.parametrize("arguments", PRINTED)
    def test_full_device(self, arguments: str, env: dict[str, str]) -> None:
        result = shell(f"$1 {arguments} > /dev/full", env=env)
        assert result.code == 3
        assert result.err == "zarrdb: cannot write the output: no space left on device\n"

    @pytest.mark.parametrize("arguments", [*PRINTED, "export x.zarrdb -"])
    def test_closed_output(self, arguments: str) -> None:
        result = shell(f"$1 {arguments} >&-")
        assert result.code == 3
        assert result.err == "zarrdb: cannot write the output: standard output is closed\n"

    @pytest.mark.parametrize("env", [{}, {"PYTHONUNBUFFERED": "1"}], ids=["", "unbuffered"])
    def test_reader_that_went_away(self, tmp_path: Path, env: dict[str, str]) -> None:
        # The reader is gone before anything is written.
        fifo = "mkfifo $2; exec 3<>$2 4>$2 3<&-; $1 $3 >&4"
        for number, words in enumerate(PRINTED):
            result = shell(fifo, str(tmp_path / str(number)), words, env=env)
            assert (result.code, result.stderr) == (141, b""), words

    def test_closed_errors(self) -> None:
        result = shell("$1 ls 2>&-")
        assert (result.code, result.stdout) == (2, b"")


def test_every_command_has_a_module() -> None:
    for name in COMMANDS:
        assert app.build(name).name == name
