"""The static completion files."""

import shutil
import subprocess
from collections.abc import Callable

import pytest

from helpers_cli import Result
from zarrdb.cli.app import COMMANDS
from zarrdb.cli.completion import render


def bash(*words: str) -> list[str]:
    """What bash offers for the last of the words."""
    script = (
        f"{render('bash')}\n"
        'COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); compopt() { :; }; _zarrdb\n'
        'printf "%s\\n" "${COMPREPLY[@]}"'
    )
    done = subprocess.run(
        ["bash", "-c", script, "bash", *words],
        capture_output=True,
        text=True,
        check=True,
        timeout=20,
        cwd="/",
    )
    return done.stdout.split()


needs_bash = pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")


@needs_bash
@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["zarrdb", ""], [*COMMANDS]),
        (["zarrdb", "ex"], ["export"]),
        (["zarrdb", "--comp"], ["--completion"]),
        (["zarrdb", "--completion", "z"], ["zsh"]),
        (["zarrdb", "ls", "--tr"], ["--tree"]),
        (["zarrdb", "ls", "--color", ""], ["auto", "always", "never"]),
        (["zarrdb", "--color", "never", "ls", "--tr"], ["--tree"]),
        (["zarrdb", "-q", "init", "--zarr-format", ""], ["2", "3"]),
        (["zarrdb", "ls", "--timeout", ""], []),
        (["zarrdb", "ls", "/de"], ["/dev"]),
        (["zarrdb", "ls", "-"], None),
    ],
    ids=lambda value: " ".join(value or ()),
)
def test_bash(words: list[str], expected: list[str] | None) -> None:
    offered = bash(*words)
    if expected is None:
        assert {"-l", "--long", "--help", "-h"} <= set(offered)
    else:
        assert offered == expected


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_shell_can_read_its_file(shell: str) -> None:
    if shutil.which(shell) is None:
        pytest.skip(f"needs {shell}")
    subprocess.run([shell, "-n"], input=render(shell), text=True, check=True, timeout=20)


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_every_option_is_in_every_file(cli: Callable[..., Result], shell: str) -> None:
    result = cli("--completion", shell)
    assert (result.code, result.err) == (0, "")
    assert result.out == render(shell)
    for word in ("storage", "overwrite", "attributes", *COMMANDS):
        assert word in result.out
