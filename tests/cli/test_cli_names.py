"""Files whose names are no ordinary words."""

import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers_cli import Result, write_store
from helpers_lint import CHUNK, array3, group3

Cli = Callable[..., Result]

STORE = {"zarr.json": group3(), "a/zarr.json": array3(), "a/c/0": CHUNK, "a/c/1": CHUNK}

NAMES = [
    *("a b", "x\ny", "tab\t", "-dash", "--", "q?mode=ro", "h#1", "100%25", "it's", 'say "hi"'),
    *("é", "\u202ertl", "~", "$HOME", "[a]*", "a;b", "..x", ".hidden", "trailing ", "n" * 240),
    *("esc\x1b[31m", "back\\slash", "x:y", "\U0001f40d"),
]

posix = pytest.mark.skipif(sys.platform in ("win32", "darwin"), reason="any bytes as names")


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def printed(result: Result) -> str:
    """Everything that was printed, which has to be fit for a terminal."""
    assert result.code == 0, result.err
    text = result.out + result.err
    assert text.replace("\n", "").isprintable()
    return text


@posix
@pytest.mark.parametrize("name", NAMES)
def test_any_name_will_do(cli: Cli, tmp_path: Path, name: str) -> None:
    write_store(tmp_path / f"{name}.zarr", STORE)
    file = f"{name}.zarrdb"
    printed(cli("import", "--verify", "--", f"{name}.zarr"))
    assert file in os.listdir()
    assert cli("ls", "--", file).lines == ["a"]
    assert cli("cat", "--", file, "a/c/0").stdout == CHUNK
    printed(cli("info", "--", file))
    printed(cli("check", "--", file))
    printed(cli("vacuum", "--force", "--", file))
    for target in (f"{name}.zip", f"{name}.tar", f"{name}.out"):
        printed(cli("export", "--verify", "--", file, target))
    assert cli("ls", "--", f"{name}.zip").lines == ["a"]
    assert cli("import", "--overwrite", "--", f"{name}.zip").code == 0
    assert not [found for found in os.listdir() if found.endswith(".tmp")]


@posix
def test_names_that_are_no_unicode(cli: Cli, tmp_path: Path) -> None:
    odd = os.fsdecode(b"odd\xff")
    write_store(tmp_path / f"{odd}.zarr", STORE)
    assert cli("import", f"{odd}.zarr", "-o", "x.zarrdb").code == 0
    for target in (f"{odd}.zip", f"{odd}.tar", f"{odd}.out"):
        printed(cli("export", "--verify", "x.zarrdb", target))
    for source in (f"{odd}.zip", f"{odd}.out"):
        assert cli("ls", source).lines == ["a"]
        assert cli("check", source).code == 0
    os.rename("x.zarrdb", f"{odd}.zarrdb")
    before = sorted(os.listdir())
    for words in (
        *(["ls"], ["info"], ["vacuum"], ["vacuum", "-n"], ["export", "-o", "y.zip"]),
        ["import", "-o", "y.zarrdb"],
    ):
        result = cli(words[0], f"{odd}.zarrdb", *words[1:])
        assert (result.code, result.out, result.err.count("\n")) == (3, "", 2), words
        assert result.err.startswith("zarrdb: odd\\udcff.zarrdb")
        assert "its name is not Unicode" in result.err
    for words in (["init", f"{odd}.2.zarrdb"], ["import", f"{odd}.zip", "-o", f"{odd}.2.zarrdb"]):
        assert "its name is not Unicode" in cli(*words).err
    checked = cli("check", f"{odd}.zarrdb")
    assert checked.code == 3
    assert checked.lines[0].startswith("odd\\udcff.zarrdb: cannot be read: its name is not")
    assert sorted(os.listdir()) == before


LOCALES = [
    {"LC_ALL": "C", "PYTHONUTF8": "0"},
    {"LC_ALL": "POSIX", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


@posix
@pytest.mark.parametrize("env", LOCALES, ids=lambda env: str(env["LC_ALL"]))
def test_names_mean_the_same_in_every_locale(
    run_cli: Cli, tmp_path: Path, env: dict[str, str]
) -> None:
    def ok(*words: str) -> Result:
        result = run_cli(*words, env=env)
        assert (result.code, result.stderr) == (0, b""), words
        return result

    files = {"zarr.json": group3(), "ü/zarr.json": array3(), "ü/c/0": CHUNK, "ü/c/1": CHUNK}
    write_store(tmp_path / "é.zarr", files)
    ok("import", "--verify", "é.zarr")
    assert ok("ls", "é.zarrdb").out == "ü\n"
    assert ok("cat", "é.zarrdb", "ü/c/0").stdout == CHUNK
    ok("check", "é.zarr", "é.zarrdb")
    ok("vacuum", "--force", "é.zarrdb")
    ok("vacuum", "é.zarrdb", "-o", "û.zarrdb")
    ok("export", "é.zarrdb", "ä.zarr")
    ok("init", "ö.zarrdb")
    names = {"é.zarr", "é.zarrdb", "û.zarrdb", "ä.zarr", "ö.zarrdb"}
    assert set(os.listdir()) == names
    assert (tmp_path / "ä.zarr" / "ü" / "c" / "0").read_bytes() == CHUNK


@posix
@pytest.mark.parametrize("env", LOCALES, ids=lambda env: str(env["LC_ALL"]))
def test_the_library_opens_the_file_that_the_system_means(
    tmp_path: Path, env: dict[str, str]
) -> None:
    code = (
        "import sys; from zarrdb.db import Database\n"
        "assert sys.getfilesystemencoding() != 'utf-8'\n"
        "with Database.open(sys.argv[1], mode='create') as file:\n"
        "    file.set('k', bytes(range(256)) * 20_000)\n"
        "with Database.open(sys.argv[1]) as file:\n"
        "    assert file.get_range('k', 4_000_000, 256) == bytes(range(256))\n"
    )
    path = tmp_path / "é" / "ü.zarrdb"
    path.parent.mkdir()
    done = subprocess.run(
        [sys.executable, "-c", code, str(path)],
        env={**os.environ, **env},
        capture_output=True,
        check=False,
    )
    assert (done.returncode, done.stderr) == (0, b"")
    assert os.listdir(path.parent) == ["ü.zarrdb"]
