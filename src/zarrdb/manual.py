"""Man pages, completions and the README's runs, from the program itself.

`python -m zarrdb.manual write` brings the files of a checkout up to date; `check` names
those that are not and exits with 1.
"""

import os
import re
import shutil
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from io import BytesIO, TextIOWrapper

from zarrdb.cli.app import COMMANDS, run
from zarrdb.cli.completion import render
from zarrdb.manpages import command_page, main_page, rules_page, rules_table

_COMPLETIONS = {
    "bash": "completions/zarrdb.bash",
    "zsh": "completions/_zarrdb",
    "fish": "completions/zarrdb.fish",
}

_EXAMPLE = "tests/data/climate.zarr"
_EXAMPLE_TIME = "1796011200"

# Between these two lines of the README stands what its commands print.
_RUN = re.compile(r"(<!-- run -->\n```console\n)(.*?)(```\n<!-- end -->)", re.DOTALL)

# And between these the rules.
_RULES = re.compile(r"(<!-- rules -->\n)(.*?)(<!-- end -->)", re.DOTALL)

# How long something took is no reason to call the README out of date.
_TIMING = re.compile(r"[\d.,]+ (m?s|[KMG]iB/s)\b")


def main(arguments: list[str]) -> int:
    """Write or check the generated files of the checkout in the current directory."""
    if arguments not in (["write"], ["check"]):
        sys.stderr.write("usage: python -m zarrdb.manual write|check\n")
        return 2
    stale = [path for path, text in generated() if not _is_current(path, text)]
    if arguments == ["check"]:
        for path in stale:
            sys.stdout.write(f"{path} is out of date: python -m zarrdb.manual write\n")
        return 1 if stale else 0
    for path, text in generated():
        if path in stale:
            os.makedirs(os.path.dirname(path) or ".", exist_ok=True)
            with open(path, "w", encoding="utf-8", newline="\n") as file:
                file.write(text)
    return 0


def generated() -> Iterator[tuple[str, str]]:
    """Path and text of every generated file."""
    yield "man/zarrdb.1", main_page()
    for name in COMMANDS:
        yield f"man/zarrdb-{name}.1", command_page(name)
    yield "man/zarrdb-rules.7", rules_page()
    for shell, path in _COMPLETIONS.items():
        yield path, render(shell)
    yield "README.md", readme(_read("README.md") or "")


def readme(text: str) -> str:
    """The README with the rules, and its commands' output as they print it on a terminal."""
    text = _RULES.sub(lambda match: match[1] + rules_table() + match[3], text)
    with tempfile.TemporaryDirectory() as folder:
        shutil.copytree(_EXAMPLE, os.path.join(folder, os.path.basename(_EXAMPLE)))
        with _inside(folder):
            return _RUN.sub(lambda match: match[1] + _session(match[2]) + match[3], text)


def _session(text: str) -> str:
    commands = [line for line in text.splitlines() if line.startswith("$ ")]
    return "\n".join(f"{command}\n{_printed(command)}" for command in commands)


def _printed(command: str) -> str:
    stream = _Terminal(BytesIO(), encoding="utf-8")
    with redirect_stdout(stream):
        run(command.split()[2:])
        stream.flush()
    return stream.buffer.getvalue().decode()


class _Terminal(TextIOWrapper):
    """A stream in memory that is written to as a terminal is."""

    buffer: BytesIO

    def isatty(self) -> bool:
        return True


@contextmanager
def _inside(folder: str) -> Iterator[None]:
    before, environment = os.getcwd(), os.environ.copy()
    os.chdir(folder)
    os.environ.update(NO_COLOR="1", COLUMNS="80", SOURCE_DATE_EPOCH=_EXAMPLE_TIME)
    try:
        yield
    finally:
        os.chdir(before)
        os.environ.clear()
        os.environ.update(environment)


def _is_current(path: str, text: str) -> bool:
    found = _read(path)
    return found is not None and _TIMING.sub("", found) == _TIMING.sub("", text)


def _read(path: str) -> str | None:
    try:
        with open(path, encoding="utf-8", newline="") as file:
            return file.read()
    except FileNotFoundError:
        return None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
