"""`--dry-run` says what the run would do, or with which words it would be refused."""

import json
import os
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from helpers_cli import Result, write_store
from helpers_lint import CHUNK, RECORDS, array3, group3, write_database

Cli = Callable[..., Result]

STORE = {"zarr.json": group3(), "a/zarr.json": array3(), "a/c/0": CHUNK, "a/c/1": CHUNK}


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name in ("s.zarr", "s.zarrdb", "s.zip", "old.zarrdb"):
        write_store(tmp_path / name, STORE)
    write_store(tmp_path / "other.zarr", {**STORE, "a/c/1": CHUNK[::-1]})
    write_store(tmp_path / "full", {"thesis.txt": b"mine"})
    write_store(tmp_path / "names.zarrdb", {"zarr.json": group3(), "k" * 300: b"", "a/../b": b""})
    (tmp_path / "text").write_text("mine")
    large = tmp_path / "large.zarr"
    write_store(large, {**STORE, "a/c/0": b""})
    os.truncate(large / "a" / "c" / "0", 1_000_000_000)


def listing() -> list[tuple[str, int]]:
    found = [path for path in Path().rglob("*") if path.is_file()]
    return sorted((str(path), path.stat().st_mtime_ns) for path in found)


REFUSED = [
    ["import", "s.zarr", "-o", "no/folder/x.zarrdb"],
    ["import", "s.zarr", "-o", "text/x.zarrdb"],
    ["import", "s.zarr", "-o", "old.zarrdb"],
    ["import", "s.zarr", "-o", "text", "--overwrite"],
    ["import", "s.zarr", "-o", "full"],
    ["import", "s.zarr", "-o", "x.zarrdb", "--temp-dir", "no"],
    ["import", "s.zarr", "-o", "x.zarrdb", "--include", "nothing"],
    ["import", "large.zarr", "-o", "x.zarrdb"],
    ["import", "full", "-o", "x.zarrdb"],
    ["import", "--merge", "s.zarr", "other.zarr", "-o", "x.zarrdb"],
    ["export", "s.zarrdb", "no/folder/x"],
    ["export", "s.zarrdb", "no/folder/x.zip"],
    ["export", "s.zarrdb", "no/folder/x.zarrdb"],
    ["export", "s.zarrdb", "no/folder/x.b2nd", "--path", "a"],
    ["export", "s.zarrdb", "s.zarr"],
    ["export", "s.zarrdb", "full", "--overwrite"],
    ["export", "s.zarrdb", "s.zip"],
    ["export", "s.zarrdb", "old.zarrdb"],
    ["export", "s.zarrdb", "text", "--to", "directory"],
    ["export", "names.zarrdb", "x"],
    ["export", "names.zarrdb", "x.zip"],
    ["export", "s.zarrdb", "x", "--path", "b"],
    ["vacuum", "s.zarrdb", "-o", "no/folder/x.zarrdb"],
    ["vacuum", "s.zarrdb", "-o", "old.zarrdb"],
    ["vacuum", "s.zarrdb", "-o", "text", "--overwrite"],
    ["vacuum", "text"],
]


@pytest.mark.parametrize("words", REFUSED, ids=" ".join)
def test_what_is_refused_is_refused_in_the_same_words(cli: Cli, words: list[str]) -> None:
    before = listing()
    dry = cli(*words, "-n")
    assert dry.code in (2, 3) or words[-2:] == ["--path", "b"]
    assert listing() == before
    assert cli(*words) == dry
    assert listing() == before


@pytest.mark.parametrize(
    "words",
    [
        ["import", "s.zarr", "-o", "x.zarrdb"],
        ["import", "s.zarr", "-d", "new"],
        ["export", "s.zarrdb", "x"],
        ["export", "s.zarrdb", "x.zip"],
        ["vacuum", "s.zarrdb", "--force"],
    ],
    ids=" ".join,
)
def test_a_full_disk_is_seen_beforehand(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, words: list[str]
) -> None:
    monkeypatch.setattr("zarrdb.transfer.target.free_space", lambda _: 100)
    before = listing()
    dry = cli(*words, "-n")
    assert (dry.code, "are needed and 100 B are free" in dry.err) == (3, True)
    assert cli(*words).code == 3
    assert listing() == before


@pytest.mark.parametrize("command", ["import s.zarr", "export s.zarrdb", "vacuum s.zarrdb"])
def test_a_folder_that_cannot_be_written(
    cli: Cli, monkeypatch: pytest.MonkeyPatch, command: str
) -> None:
    os.mkdir("closed")
    monkeypatch.setattr(os, "access", lambda path, mode: not str(path).endswith("closed"))
    result = cli(*command.split(), "-o", "closed/x.zarrdb", "-n")
    assert (result.code, "permission denied" in result.err) == (3, True)


@pytest.mark.parametrize("command", ["import s.zarr", "export s.zarrdb", "vacuum s.zarrdb"])
def test_a_folder_that_would_be_made(cli: Cli, command: str) -> None:
    before = listing()
    assert cli(*command.split(), "-d", "new/folder", "-n").code == 0
    assert (listing(), os.path.exists("new")) == (before, False)
    assert cli(*command.split(), "-d", "new/folder").code == 0
    assert len(os.listdir("new/folder")) == 1


def test_a_merge_is_counted_as_it_would_be_written(cli: Cli) -> None:
    words = ["import", "--merge", "s.zarr", "other.zarr", "-o", "x.zarrdb", "--json"]
    words += ["--on-conflict", "skip"]
    dry, real = (json.loads(cli(*words, *more).out) for more in (["-n"], []))
    for member in ("keys", "bytes", "documents", "skipped_keys", "page_size"):
        assert dry[member] == real[member], member
    assert dry["needed"] == os.path.getsize("x.zarrdb")


def plain(count: int, size: int) -> Iterator[tuple[str, bytes]]:
    yield "zarr.json", json.dumps(group3()).encode()
    yield from ((f"a/c/{n}", os.urandom(size)) for n in range(count))


LAYOUTS = {
    "small": dict(plain(3, 10)),
    "a hundred": dict(plain(100, 900)),
    "pages": dict(plain(60, 4096)),
    "large": dict(plain(5, 300_000)),
    "many": dict(plain(5000, 20)),
    "empty": {},
}
ODD: dict[str, dict[str, object]] = {
    "plain": {},
    "UTF-16": {"before": ["PRAGMA encoding = 'UTF-16'"]},
    "large pages": {"before": ["PRAGMA page_size = 65536"]},
    "records": {"records": [*RECORDS.items(), *((f"x{n}", "y" * 300) for n in range(40))]},
    "rewritten": {"after": ["DELETE FROM zarr WHERE rowid % 2", "PRAGMA journal_mode = WAL"]},
}


@pytest.mark.parametrize("odd", ODD)
@pytest.mark.parametrize("name", LAYOUTS)
def test_the_size_after_a_vacuum(cli: Cli, tmp_path: Path, name: str, odd: str) -> None:
    path = str(tmp_path / "v.zarrdb")
    write_database(path, LAYOUTS[name], **ODD[odd])  # type: ignore[arg-type]
    words = ["vacuum", path, "--json", "--force"]
    dry = json.loads(cli(*words, "-n").out)["bytes_after"]
    real = json.loads(cli(*words).out)["bytes_after"]
    assert real == os.path.getsize(path)
    # Records that fill several pages are written by SQLite.
    assert dry == real if odd != "records" else abs(dry - real) <= 4 * 4096
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


@pytest.mark.parametrize("name", [name for name in LAYOUTS if LAYOUTS[name]])
def test_the_room_that_an_import_needs(cli: Cli, tmp_path: Path, name: str) -> None:
    write_store(tmp_path / "v.zarr", LAYOUTS[name])
    needed = json.loads(cli("import", "v.zarr", "--json", "-n").out)["needed"]
    assert cli("import", "v.zarr").code == 0
    assert needed == os.path.getsize("v.zarrdb")
