"""Files that are not as they should be, though most of them can be read."""

from collections.abc import Callable
from pathlib import Path

import pytest

from helpers_cli import Result
from helpers_lint import GROUP3
from helpers_lint_files import database

Cli = Callable[..., Result]

READING = [
    ["ls", "x.zarrdb"],
    ["ls", "--keys", "x.zarrdb"],
    ["cat", "x.zarrdb", "zarr.json"],
    ["info", "x.zarrdb"],
    ["info", "--json", "x.zarrdb"],
    ["export", "x.zarrdb", "y.zip"],
    ["import", "x.zarrdb", "y.zarrdb"],
]


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize("arguments", READING, ids=lambda words: " ".join(words[:2]))
def test_reading_a_file_without_application_id_goes_on_with_a_note(
    cli: Cli, arguments: list[str]
) -> None:
    database(application_id=0)("")
    result = cli(*arguments)
    assert (result.code, result.err.count("\n")) == (0, 1)
    assert result.err.startswith("note: x.zarrdb: application id is 0, not 0x10b50760")
    assert "check --fix" in result.err


def test_the_note_is_dropped_by_quiet(cli: Cli) -> None:
    database(application_id=0)("")
    assert cli("ls", "-q", "x.zarrdb").err == ""


@pytest.mark.parametrize("options", [[], ["--dry-run"], ["--force"]], ids=" ".join)
def test_vacuum_does_not_write_a_file_without_application_id(cli: Cli, options: list[str]) -> None:
    path = Path(database(application_id=0)(""))
    before = path.read_bytes(), path.stat().st_mtime_ns
    result = cli("vacuum", "x.zarrdb", *options)
    assert result.code == 3
    assert result.err.splitlines() == [
        "zarrdb: x.zarrdb: application id is 0, not 0x10b50760",
        "hint: `zarrdb check --fix` sets it",
    ]
    assert (path.read_bytes(), path.stat().st_mtime_ns) == before
    assert cli("check", "--fix", "x.zarrdb").code == 0
    assert cli("vacuum", "x.zarrdb", *options).code == 0


@pytest.mark.parametrize("command", ["ls", "ls --keys", "info"])
@pytest.mark.parametrize(
    ("keys", "shown"),
    [
        ([b"a/c/0"], "a/c/0"),
        ([b"a\x1b\xff"], "a\\x1b\\xff"),
        ([b"1", b"2", b"3"], "1, 2, 3"),
        ([b"%d" % number for number in range(500)], "0, 1, 10, …"),
    ],
    ids=["one", "no text at all", "three", "many"],
)
def test_rows_whose_key_is_no_text_are_told_of(
    cli: Cli, command: str, keys: list[bytes], shown: str
) -> None:
    rows = [f"INSERT INTO zarr VALUES (x'{key.hex()}', x'00')" for key in keys]
    database({"zarr.json": GROUP3}, after=rows)("")
    word, *options = command.split()
    result = cli(word, "x.zarrdb", *options)
    assert result.code == 0
    assert result.err == (f"note: x.zarrdb: rows without a text as key are passed over: {shown}\n")
