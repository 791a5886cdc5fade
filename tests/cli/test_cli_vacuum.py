"""`zarrdb vacuum`, as people and scripts use it."""

import json
import os
import sqlite3
from pathlib import Path

import pytest

from helpers_cli import Result, peak_memory, run_in_process
from helpers_db import make_database
from helpers_transfer import GROUP, STORE, held_by_another_process, require_sound, rows_of


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file `x.zarrdb` in the current directory of which 90 % are free pages."""
    monkeypatch.chdir(tmp_path)
    keys = [*STORE.items(), *((f"z/{n}", bytes(8192)) for n in range(300))]
    path = make_database(tmp_path / "x.zarrdb", keys=keys)
    connection = sqlite3.connect(path)
    with connection:
        connection.execute("DELETE FROM zarr WHERE k LIKE 'z/%'")
    connection.close()
    return path


def vacuumed(*arguments: str | Path, code: int = 0) -> Result:
    result = run_in_process("vacuum", *arguments)
    assert result.code == code, result.err
    return result


def test_space_comes_back(file: Path) -> None:
    before = file.stat().st_size
    result = vacuumed("x.zarrdb")
    assert result.out.startswith("x.zarrdb: 2.5 MiB -> ")
    assert "17 keys in" in result.out
    assert file.stat().st_size < before / 20
    assert rows_of(file) == STORE
    require_sound(file)
    assert "x.zarrdb: tidy, left as it is" in vacuumed("x.zarrdb").out


def test_a_dry_run(file: Path) -> None:
    before = file.read_bytes()
    result = vacuumed("-n", "x.zarrdb")
    assert "requests a chunk when read from afar:" in result.out
    assert file.read_bytes() == before


def test_another_file(tmp_path: Path, file: Path) -> None:
    before = file.read_bytes()
    assert "x.zarrdb -> y.zarrdb: " in vacuumed("x.zarrdb", "-o", "y.zarrdb").out
    assert file.read_bytes() == before
    assert "exists already" in vacuumed("x.zarrdb", "-o", "y.zarrdb", code=3).err
    vacuumed("x.zarrdb", "-o", "y.zarrdb", "--overwrite", "--page-size", "512")
    assert rows_of(tmp_path / "y.zarrdb") == STORE
    assert (tmp_path / "y.zarrdb").read_bytes()[16:18] == b"\x02\x00"


def test_one_result_per_file_in_a_directory(tmp_path: Path, file: Path) -> None:
    before = file.read_bytes()
    vacuumed("x.zarrdb", "-d", "new", "--dry-run")
    assert not (tmp_path / "new").exists()
    make_database(tmp_path / "y.zarrdb", keys=STORE.items())
    vacuumed("x.zarrdb", "y.zarrdb", "-d", "new")
    assert sorted(os.listdir("new")) == ["x.zarrdb", "y.zarrdb"]
    assert rows_of(tmp_path / "new" / "x.zarrdb") == STORE
    assert file.read_bytes() == before
    result = vacuumed("x.zarrdb", "-d", "new", "--skip-existing")
    assert result.out == "new/x.zarrdb: exists, skipped\n"
    skipped = json.loads(vacuumed("x.zarrdb", "-d", "new", "--skip-existing", "--json").out)
    assert skipped["status"] == "skipped"
    vacuumed("x.zarrdb", "-d", "new", "--overwrite")


def test_several_files_go_on_after_a_failure(tmp_path: Path) -> None:
    make_database(tmp_path / "y.zarrdb", keys=STORE.items())
    result = vacuumed("nowhere.zarrdb", "y.zarrdb", "x.zarrdb", code=3)
    assert "nowhere.zarrdb: no such file" in result.err
    assert len(result.lines) == 2
    assert "tidy" in vacuumed("x.zarrdb", "y.zarrdb").lines[0]


def test_json() -> None:
    found = json.loads(vacuumed("x.zarrdb", "--json").out)
    assert next(iter(found)) == "schema"
    assert (found["schema"], found["status"], found["keys"]) == (1, "written", 17)
    assert found["bytes_after"] < found["bytes_before"]
    assert json.loads(vacuumed("x.zarrdb", "--json").out)["status"] == "tidy"
    assert json.loads(vacuumed("x.zarrdb", "--json", "-n").out)["requests_to_open"] == 1


def test_a_file_in_use_is_left_alone(file: Path) -> None:
    before = file.read_bytes()
    with held_by_another_process(file, "BEGIN IMMEDIATE"):
        result = vacuumed("x.zarrdb", "--timeout", "0.1", code=3)
    assert "x.zarrdb: in use by another process" in result.err
    assert "--timeout" in result.err
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no file given"),
        (["x.zarrdb", "y.zarrdb", "-o", "z.zarrdb"], "-o takes one FILE"),
        (["x.zarrdb", "-o", "x.zarrdb"], "-o names FILE itself"),
        (["x.zarrdb", "--overwrite"], "--overwrite and --skip-existing are for -o and -d"),
        (["x.zarrdb", "--skip-existing"], "--overwrite and --skip-existing are for -o and -d"),
        (["x.zarrdb", "-o", "y", "--overwrite", "--skip-existing"], "exclude each other"),
        (["x.zarrdb", "-o", "y.zarrdb", "-d", "z"], "-o and -d exclude each other"),
        (["x.zarrdb", "-d", "."], "-d names FILE itself"),
        (["https://host/x.zarrdb?token=1"], "https://host/x.zarrdb?…: a local file is wanted"),
        (["x.zarrdb", "-o", "s3://bucket/x.zarrdb"], "s3://bucket/x.zarrdb: a local file"),
        (["x.zarrdb", "--page-size", "3"], "is no page size"),
        (["x.zarrdb", "-d", "z", "--page-size", "3"], "is no page size"),
        (["x.zarrdb", "-d", "z", "--timeout", "-1"], "--timeout"),
        (["x.zarrdb", "y/x.zarrdb", "-d", "z"], "x.zarrdb and y/x.zarrdb would both become z/x"),
    ],
)
def test_mistakes_on_the_command_line(file: Path, arguments: list[str], words: str) -> None:
    before = file.read_bytes()
    assert words in vacuumed(*arguments, code=2).err
    assert file.read_bytes() == before
    assert os.listdir() == [file.name]


@pytest.mark.parametrize("content", [b"my thesis", b"", b"PK\x03\x04"])
def test_what_is_no_zarrdb(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "y").write_bytes(content)
    vacuumed("y", code=3)
    assert (tmp_path / "y").read_bytes() == content


def test_a_tight_disk_is_told_before_the_start(file: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from zarrdb.transfer import target

    monkeypatch.setattr(target, "free_space", lambda _: 10)
    before = file.read_bytes()
    assert "are needed" in vacuumed("x.zarrdb", code=3).err
    assert file.read_bytes() == before
    assert os.listdir(file.parent) == ["x.zarrdb"]


def test_memory_stays_flat(tmp_path: Path) -> None:
    keys = [("zarr.json", GROUP), ("a", bytes(300 << 20))]
    make_database(tmp_path / "big.zarrdb", keys=keys)
    del keys
    assert peak_memory("vacuum", "big.zarrdb") < 150
