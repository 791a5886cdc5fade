"""`zarrdb export`, as people and scripts use it."""

import io
import json
import os
import sqlite3
import tarfile
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers_cli import Result, peak_memory, run_in_process, run_subprocess
from helpers_db import SCHEMA, make_database
from helpers_transfer import GROUP, STORE, leftovers, read_tree, rows_of, write_tree

Cli = Callable[..., Result]


@pytest.fixture(autouse=True)
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A file called `s.zarrdb` in the current directory."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1700000000")
    result = run_in_process("import", write_tree(tmp_path / "in" / "s.zarr", STORE), "s.zarrdb")
    assert result.code == 0
    return tmp_path / "s.zarrdb"


def exported(*arguments: str | Path, code: int = 0) -> Result:
    result = run_in_process("export", *arguments)
    assert result.code == code, result.err
    return result


def zip_content(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        assert archive.testzip() is None
        return {name: archive.read(name) for name in archive.namelist()}


def test_a_directory(tmp_path: Path) -> None:
    result = exported("s.zarrdb", "out.zarr", "--verify")
    assert result.out.startswith("s.zarrdb -> out.zarr: 17 keys, ")
    assert ", verified" in result.out
    assert read_tree(tmp_path / "out.zarr") == STORE
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize("name", ["x.zip", "x.ozx", "x.ZIP"])
def test_a_zip(tmp_path: Path, name: str) -> None:
    exported("s.zarrdb", name, "--verify")
    assert zip_content(tmp_path / name) == STORE
    before = (tmp_path / name).read_bytes()
    exported("s.zarrdb", name, "--overwrite")
    assert (tmp_path / name).read_bytes() == before


def test_a_tar_in_a_file_and_on_a_pipe(tmp_path: Path) -> None:
    exported("s.zarrdb", "x.tar", "--verify")
    result = exported("s.zarrdb", "-")
    assert result.stdout == (tmp_path / "x.tar").read_bytes()
    assert "17 keys" in result.err
    with tarfile.open(fileobj=io.BytesIO(result.stdout)) as tar:
        members = tar.getmembers()
        names = [member.name for member in members]
        assert names == sorted(STORE)
        assert {(m.mode, m.uid, m.gid, m.mtime) for m in members} == {(0o644, 0, 0, 1_700_000_000)}


def test_another_zarrdb(tmp_path: Path, file: Path) -> None:
    exported("s.zarrdb", "y.zarrdb", "--verify")
    assert (tmp_path / "y.zarrdb").read_bytes() == file.read_bytes()


@pytest.mark.parametrize(
    ("to", "name"),
    [
        (None, "s.zarr"),
        ("directory", "s.zarr"),
        ("zip", "s.zarr.zip"),
        ("tar", "s.zarr.tar"),
    ],
)
def test_default_names_beside_the_file(tmp_path: Path, to: str | None, name: str) -> None:
    exported("s.zarrdb", *(["--to", to] if to else []))
    assert (tmp_path / name).exists()


@pytest.mark.parametrize(
    ("source", "to", "name"),
    [
        ("t.zarr.zip", "directory", "t.zarr"),
        ("t.ome.zarr.zip", "zarrdb", "t.ome.zarrdb"),
        ("t.zarr/.", "zip", "t.zarr.zip"),
        ("t.zarr/a/..", "tar", "t.zarr.tar"),
    ],
)
def test_default_names_have_one_suffix(tmp_path: Path, source: str, to: str, name: str) -> None:
    exported("s.zarrdb", source.split("/")[0])
    exported(source, "--to", to)
    assert (tmp_path / name).exists()


@pytest.mark.skipif(os.name == "nt", reason="POSIX modes")
@pytest.mark.parametrize("name", ["x.zarr", "x.zip", "x.tar", "x.zarrdb"])
def test_what_is_replaced_keeps_its_mode(tmp_path: Path, name: str) -> None:
    exported("s.zarrdb", name)
    (tmp_path / name).chmod(0o750)
    exported("s.zarrdb", name, "--overwrite")
    assert (tmp_path / name).stat().st_mode & 0o777 == 0o750


def test_the_destination_can_be_an_option(tmp_path: Path) -> None:
    exported("s.zarrdb", "-o", "x.zip")
    assert zip_content(tmp_path / "x.zip") == STORE
    exported("s.zarrdb", "-d", "new/folder", "--dry-run")
    assert not (tmp_path / "new").exists()
    exported("s.zarrdb", "-d", "new/folder")
    assert read_tree(tmp_path / "new" / "folder" / "s.zarr") == STORE
    exported("s.zarrdb", "-d", "new/folder", "--to", "zip")
    assert zip_content(tmp_path / "new" / "folder" / "s.zarr.zip") == STORE


def test_the_kind_can_be_said_outright(tmp_path: Path) -> None:
    for name in ("looks.zip", "looks.tar.gz"):
        exported("s.zarrdb", name, "--to", "directory")
        assert read_tree(tmp_path / name) == STORE


def test_a_node_becomes_the_root(tmp_path: Path) -> None:
    exported("s.zarrdb", "a.zarr", "--path", "/a/")
    expected = {key[2:]: value for key, value in STORE.items() if key.startswith("a/")}
    assert read_tree(tmp_path / "a.zarr") == expected
    assert "no node `nothing`" in exported("s.zarrdb", "x.zarr", "--path", "nothing", code=1).err
    assert not (tmp_path / "x.zarr").exists()


def test_what_has_no_metadata_is_exported_all_the_same(tmp_path: Path) -> None:
    make_database(tmp_path / "bare.zarrdb", keys=[("a/c/0", b"x")])
    exported("bare.zarrdb", "x")
    assert read_tree(tmp_path / "x") == {"a/c/0": b"x"}
    exported("bare.zarrdb", "y.zarrdb")
    assert rows_of(tmp_path / "y.zarrdb") == {"a/c/0": b"x"}


@pytest.mark.parametrize("target", ["x", "x.zip", "x.tar", "x.zarrdb"])
def test_an_empty_store_is_told_apart_from_one_that_cannot_be_read(
    tmp_path: Path, target: str
) -> None:
    make_database(tmp_path / "empty.zarrdb", keys=[])
    result = exported("empty.zarrdb", target, code=3)
    assert result.err == "zarrdb: empty.zarrdb: holds no keys\nhint: there is nothing to copy\n"
    assert not (tmp_path / target).exists()


def test_patterns_choose_keys(tmp_path: Path) -> None:
    exported("s.zarrdb", "x", "--include", "a/c/?", "--exclude", "a/c/3")
    keys = [f"a/c/{n}" for n in range(10) if n != 3]
    assert sorted(read_tree(tmp_path / "x")) == sorted([*keys, "a/zarr.json", "zarr.json"])


def test_what_is_there_is_kept_unless_it_is_purely_a_store(tmp_path: Path) -> None:
    write_tree(tmp_path / "foreign", {"thesis.tex": b"do not delete"})
    older = {**STORE, "a/c/99": b"old", "c/zarr.json": GROUP, ".DS_Store": b""}
    write_tree(tmp_path / "older.zarr", older)
    (tmp_path / "file").write_bytes(b"x")
    (tmp_path / "empty").mkdir()
    exported("s.zarrdb", "empty")
    for name in ("foreign", "older.zarr", "file"):
        before = (
            read_tree(tmp_path / name) if name != "file" else {"": (tmp_path / name).read_bytes()}
        )
        exported("s.zarrdb", name, code=3)
        if name != "older.zarr":
            exported("s.zarrdb", name, "--overwrite", code=3)
            after = read_tree(tmp_path / name) or {"": (tmp_path / name).read_bytes()}
            assert after == before
    exported("s.zarrdb", "older.zarr", "--overwrite")
    assert read_tree(tmp_path / "older.zarr") == STORE
    assert leftovers(tmp_path) == []


@pytest.mark.parametrize(
    "stranger", ["thesis.tex", "a/notes/x.txt", ".git/HEAD", "a/c/0.bak", "c/d/0"]
)
def test_strangers_in_a_store_are_named(tmp_path: Path, stranger: str) -> None:
    before = {**STORE, stranger: b"mine"}
    if stranger == "c/d/0":
        before["zarr.json"] = GROUP
        before[stranger + "/x"] = before.pop(stranger)
        stranger += "/x"
    write_tree(tmp_path / "x.zarr", before)
    assert stranger in exported("s.zarrdb", "x.zarr", "--overwrite", code=3).err
    assert read_tree(tmp_path / "x.zarr") == before


def test_keys_of_the_file_itself_are_no_strangers(tmp_path: Path) -> None:
    write_tree(tmp_path / "in" / "s.zarr", {"OME/METADATA.ome.xml": b"<ome/>"})
    assert run_in_process("import", "in/s.zarr", "o.zarrdb").code == 0
    exported("o.zarrdb", "x.zarr")
    exported("o.zarrdb", "x.zarr", "--overwrite")
    assert "OME/METADATA.ome.xml" in read_tree(tmp_path / "x.zarr")


@pytest.mark.parametrize("target", ["/", ".", "..", "HOME", "in/.."])
@pytest.mark.parametrize("overwrite", [True, False])
def test_places_that_are_never_written_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: str, overwrite: bool
) -> None:
    (tmp_path / "home").mkdir()
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    place = str(tmp_path / "home") if target == "HOME" else target
    before = read_tree(tmp_path)
    result = exported("s.zarrdb", place, *(["--overwrite"] if overwrite else []), code=2)
    assert "never written over" in result.err
    assert read_tree(tmp_path) == before


def test_inside_a_directory_that_is_the_source(tmp_path: Path) -> None:
    exported("in/s.zarr", "in/s.zarr/copy", code=2)
    exported("in/s.zarr", "in/s.zarr", "--overwrite", code=2)
    assert read_tree(tmp_path / "in/s.zarr") == STORE


@pytest.mark.parametrize(
    "key", ["../escaped", "a/../../x", "", "/etc/x", "a//b", "a/", "..", "a/./b", "nul\0byte"]
)
@pytest.mark.parametrize("target", ["x", "x.zip", "x.tar"])
def test_no_key_escapes_and_nothing_is_left_when_it_is_refused(
    tmp_path: Path, key: str, target: str
) -> None:
    make_database(tmp_path / "bad.zarrdb", keys=[("zarr.json", GROUP), (key, b"x")])
    before = sorted(os.listdir(tmp_path)), sorted(os.listdir(tmp_path.parent))
    result = exported("bad.zarrdb", target, code=3)
    assert "cannot hold" in result.err
    assert (sorted(os.listdir(tmp_path)), sorted(os.listdir(tmp_path.parent))) == before


@pytest.mark.parametrize(
    ("keys", "words"),
    [
        (["a", "a/b"], "prefix"),
        (["x" * 300], "file"),
    ],
)
def test_keys_that_no_directory_can_hold(tmp_path: Path, keys: list[str], words: str) -> None:
    rows = [("zarr.json", GROUP), *((key, b"x") for key in keys)]
    make_database(tmp_path / "bad.zarrdb", keys=rows)
    exported("bad.zarrdb", "x", code=3)
    assert not (tmp_path / "x").exists()
    exported("bad.zarrdb", "x.zip")
    assert zip_content(tmp_path / "x.zip").keys() == {key for key, _ in rows}


@pytest.mark.parametrize("value", ["NULL", "7"])
def test_a_row_that_is_no_value_can_be_left_out(tmp_path: Path, value: str) -> None:
    make_database(
        tmp_path / "bad.zarrdb",
        f"INSERT INTO zarr VALUES ('a/bad', {value}), ('a/good', x'01')",
        schema=[s.replace("v BLOB NOT NULL", "v BLOB") for s in SCHEMA],
    )
    assert "a/bad" in exported("bad.zarrdb", "x", code=3).err
    exported("bad.zarrdb", "x", "--exclude", "a/bad")
    assert read_tree(tmp_path / "x") == {"a/good": b"\1"}


def test_portable_names_are_a_warning_or_a_demand(tmp_path: Path) -> None:
    rows = [("zarr.json", GROUP), ("CON/zarr.json", GROUP), ("A/zarr.json", GROUP)]
    make_database(tmp_path / "odd.zarrdb", keys=[*rows, ("a/zarr.json", GROUP)])
    result = exported("odd.zarrdb", "x")
    assert "names that Windows or macOS cannot hold: 2 (--portable)" in result.err
    for target in ("y.zip", "y"):
        result = exported("odd.zarrdb", target, "--portable", code=3)
        assert result.err.splitlines()[-1].startswith("hint: without --portable")
    assert "CON" in result.err
    assert not (tmp_path / "y").exists()


def test_names_full_of_wildcards(tmp_path: Path) -> None:
    names = ["a b", "100%", "x_y", "s*r", "q?m", "[ab]", "it's", 'say"hi"', "-rf", "#h", "~", "é"]
    rows = {"zarr.json": GROUP, **{f"{name}/zarr.json": GROUP for name in names}}
    make_database(tmp_path / "odd.zarrdb", keys=rows.items())
    exported("odd.zarrdb", "x", "--verify")
    assert read_tree(tmp_path / "x") == rows


def test_json_and_dry_run(tmp_path: Path) -> None:
    planned = json.loads(exported("s.zarrdb", "x", "-n", "--json").out)
    assert (planned["schema"], planned["status"]) == (1, "planned")
    assert not (tmp_path / "x").exists()
    written = json.loads(exported("s.zarrdb", "x", "--json").out)
    assert (written["status"], written["keys"]) == ("written", 17)
    skipped = json.loads(exported("s.zarrdb", "x", "--json", "--skip-existing").out)
    assert skipped["status"] == "skipped"


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["s.zarrdb", "-", "--to", "zip"], "standard output takes a tar only"),
        (["s.zarrdb", "-", "--verify"], "--verify cannot read back"),
        (["s.zarrdb", "x.b2nd", "--path", "a", "--include", "*"], "a frame holds one array"),
        (["s.zarrdb", "x", "--resume"], "--resume is for a .zarrdb"),
        (["s.zarrdb", "-d", "new", "--resume"], "--resume is for a .zarrdb"),
        (["s.zarrdb", "-d", "new", "--page-size", "7"], "7 is no page size"),
        (["s.zarrdb", "-d", "new", "--timeout", "-1"], "--timeout"),
        (["s.zarrdb", "-d", "new", "--max-bytes", "-1"], "--max-bytes"),
        (["s.zarrdb", "x.tar.gz"], "x.tar.gz: compressed archives are not written"),
        (["s.zarrdb", "-o", "x.TGZ"], "compressed archives are not written"),
        (["s.zarrdb", "memory://x/x.zarr.tar.zst"], "compressed archives are not written"),
        (["s.zarrdb", "s.zarrdb"], "source and the destination"),
        (["s.zarrdb", "x", "--include", "zzz"], "no key is left"),
        (["s.zarrdb", "x", "--overwrite", "--skip-existing"], "exclude each other"),
        (["s.zarrdb", "x", "-o", "y"], "DEST, -o and -d exclude one another"),
        (["s.zarrdb", "-o", "y", "-d", "z"], "DEST, -o and -d exclude one another"),
    ],
)
def test_mistakes_on_the_command_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    before = sorted(os.listdir(tmp_path))
    assert words in exported(*arguments, code=2).err
    assert sorted(os.listdir(tmp_path)) == before


def test_a_reader_that_goes_away_is_no_error(tmp_path: Path, file: Path) -> None:
    import subprocess
    import sys

    make_database(tmp_path / "big.zarrdb", keys=[("zarr.json", GROUP), ("a", bytes(5 << 20))])
    process = subprocess.Popen(
        [sys.executable, "-m", "zarrdb", "export", "big.zarrdb", "-"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )
    with process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.read(10)
        process.stdout.close()
        assert process.stderr.read() == b""
    assert process.returncode == 141


def test_a_file_with_a_log_is_exported_whole(tmp_path: Path, file: Path) -> None:
    connection = sqlite3.connect(file)
    connection.execute("PRAGMA journal_mode = WAL")
    with connection:
        connection.execute("INSERT INTO zarr VALUES ('a/c/50', x'50')")
    result = run_subprocess("export", "s.zarrdb", "x")
    connection.close()
    assert result.code == 0, result.err
    assert read_tree(tmp_path / "x")["a/c/50"] == b"\x50"


def test_what_was_imported_comes_out_again_from_every_kind(tmp_path: Path) -> None:
    exported("s.zarrdb", "x.zip")
    exported("x.zip", "y.tar")
    (tmp_path / "z").mkdir()
    piped = run_in_process("import", "-", "-o", "z.zarrdb", stdin=(tmp_path / "y.tar").read_bytes())
    assert piped.code == 0
    assert rows_of(tmp_path / "z.zarrdb") == STORE


def test_memory_stays_flat(tmp_path: Path) -> None:
    keys = [("zarr.json", GROUP), ("a", bytes(300 << 20))]
    make_database(tmp_path / "big.zarrdb", keys=keys)
    del keys
    assert peak_memory("export", "big.zarrdb", "x") < 150
