"""What cannot be read is refused by every command in the same two lines."""

import os
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers_cli import Result
from helpers_lint import RECORDS
from helpers_lint_files import DATA, METADATA, Writer, database, patched, plain

Cli = Callable[..., Result]


def zipped(*, cut: int = 0, damage: bytes = b"") -> Writer:
    """A zip store that is cut short, or of which some bytes are others."""

    def write(folder: str) -> str:
        path = os.path.join(folder, "x.zip")
        with zipfile.ZipFile(path, "w") as archive:
            archive.writestr("zarr.json", b'{"zarr_format": 3, "node_type": "group"}')
            archive.writestr("a/c/0", b"chunk")
        data = Path(path).read_bytes().replace(damage, bytes(len(damage)), 1)
        Path(path).write_bytes(data[: len(data) - cut])
        return path

    return write


def with_record(name: str, value: str | None) -> Writer:
    kept = {key: text for key, text in {**RECORDS, name: value}.items() if text is not None}
    return database(records=kept.items())


REFUSED: dict[str, Writer] = {
    "missing": lambda folder: os.path.join(folder, "x.zarrdb"),
    "missing directory": lambda folder: os.path.join(folder, "no", "x.zarrdb"),
    "below a file": lambda folder: os.path.join(plain(b"text")(folder), "y.zarrdb"),
    "empty": plain(b""),
    "text": plain(b"my thesis\n" * 40),
    "random": plain(bytes(range(256)) * 9),
    "hdf5": plain(b"\x89HDF\r\n\x1a\n" + bytes(600)),
    "gzip": plain(b"\x1f\x8b\x08" + bytes(600)),
    "magic alone": plain(b"SQLite format 3\0"),
    "half a header": plain(b"SQLite format 3\0" + bytes(40)),
    "truncated": database(change=lambda path: os.truncate(path, 4096)),
    "impossible page size": database(change=patched(16, b"\x03\xe8")),
    "unknown encoding": database(change=patched(56, b"\0\0\0\x07")),
    "future format": database(change=patched(18, b"\x09\x09")),
    "schema damaged": database(change=patched(100, bytes(64))),
    "other program": database(application_id=0x47504B47),
    "swapped id": database(application_id=0x6007B510),
    "no such version": with_record("sqlitestore_version", "0.9"),
    "no version number": with_record("sqlitestore_version", "1.0 "),
    "no version": with_record("sqlitestore_version", None),
    "incompatible flag": with_record("incompatible_flags", "zstd"),
    "no metadata table": database(files={}, schema=[DATA], records=()),
    "no data table": database(files={}, schema=[METADATA]),
    "view": database(files={}, schema=[METADATA, "CREATE VIEW zarr AS SELECT 1 AS k, 2 AS v"]),
    "other columns": database(files={}, schema=[METADATA, "CREATE TABLE zarr(key, value)"]),
    "zip cut short": zipped(cut=30),
    "zip directory damaged": zipped(damage=b"PK\x01\x02"),
}


@pytest.mark.parametrize("command", ["ls", "ls --keys", "cat", "info", "export", "import"])
@pytest.mark.parametrize("name", REFUSED)
def test_refused_in_two_lines(cli: Cli, tmp_path: Path, name: str, command: str) -> None:
    path = REFUSED[name](str(tmp_path))
    words = command.split()
    more = {"cat": ["zarr.json"], "export": [str(tmp_path / "y.zip")]}.get(command, [])
    if command == "import":
        more = ["-o", str(tmp_path / "y.zarrdb")]
    before = sorted(os.listdir(tmp_path))
    result = cli(words[0], path, *words[1:], *more)
    assert (result.code, result.out) == (3, "")
    first, second = result.err.splitlines()
    assert first.startswith(f"zarrdb: {path}")
    assert len(first) > len(f"zarrdb: {path}: ")
    assert second.startswith("hint: ")
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.parametrize("options", [[], ["--dry-run"], ["-o", "y.zarrdb"]], ids=" ".join)
@pytest.mark.parametrize("name", REFUSED)
def test_vacuum_refuses_in_two_lines(
    cli: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, options: list[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    path = os.path.relpath(REFUSED[name](str(tmp_path)))
    before = sorted(os.listdir(tmp_path))
    result = cli("vacuum", path, *options)
    assert (result.code, result.out) == (3, "")
    first, second = result.err.splitlines()
    assert first.startswith(f"zarrdb: {path}")
    assert second.startswith("hint: ")
    assert sorted(os.listdir(tmp_path)) == before


def test_damage_inside_is_refused_in_two_lines(cli: Cli, tmp_path: Path) -> None:
    path = zipped(damage=b"chunk")(str(tmp_path))
    for words in (["cat", path, "a/c/0"], ["import", path], ["export", path, f"{path}.tar"]):
        result = cli(*words)
        assert (result.code, result.out) == (3, "")
        first, second = result.err.splitlines()
        assert "a/c/0" in first
        assert second.startswith("hint: ")


@pytest.mark.parametrize("command", ["ls", "info", "check", "check --json"])
def test_what_sqlite_quotes_of_a_damaged_file_is_escaped(
    cli: Cli, tmp_path: Path, command: str
) -> None:
    def spoil(path: str) -> None:
        data = Path(path).read_bytes()
        Path(path).write_bytes(
            data.replace(b"CREATE TABLE zarr(", b"CREATE\x1b\x02\x03\x04\x05E zarr(")
        )

    path = database(change=spoil)(str(tmp_path))
    word, *options = command.split()
    result = cli(word, path, *options)
    assert result.code in (1, 3)
    assert "\\x1b" in result.out + result.err
    assert (result.out + result.err).replace("\n", "").isprintable()
