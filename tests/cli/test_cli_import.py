"""`zarrdb import`, as people and scripts use it."""

import json
import os
import signal
import subprocess
import sys
import tarfile
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers_cli import Result, peak_memory, run_in_process
from helpers_transfer import GROUP, STORE, leftovers, require_sound, rows_of, write_tree

Cli = Callable[..., Result]


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return write_tree(tmp_path / "s.zarr", STORE)


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


def imported(*arguments: str | Path, code: int = 0) -> Result:
    result = run_in_process("import", *arguments)
    assert result.code == code, result.err
    return result


@pytest.mark.usefixtures("store")
def test_one_source_beside_itself(tmp_path: Path) -> None:
    result = imported("s.zarr")
    assert result.out.startswith("s.zarr -> s.zarrdb: 17 keys, ")
    assert result.err == ""
    assert rows_of(tmp_path / "s.zarrdb") == STORE
    require_sound(tmp_path / "s.zarrdb")


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("plate.ome.zarr", "plate.ome.zarrdb"),
        ("plain", "plain.zarrdb"),
        ("a.tif", "a.tif.zarrdb"),
        ("x.zarrdb", "x.zarrdb.zarrdb"),
    ],
)
def test_default_names(tmp_path: Path, name: str, expected: str) -> None:
    write_tree(tmp_path / "in" / name, STORE)
    imported(f"in/{name}")
    assert rows_of(tmp_path / "in" / expected) == STORE


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize("arguments", [["-o", "y.zarrdb", "s.zarr"], ["s.zarr", "y.zarrdb"]])
def test_a_named_file(tmp_path: Path, arguments: list[str]) -> None:
    imported(*arguments, "--verify")
    assert rows_of(tmp_path / "y.zarrdb") == STORE


@pytest.mark.usefixtures("store")
def test_several_sources_go_to_one_file_each(tmp_path: Path) -> None:
    write_tree(tmp_path / "t.zarr", STORE)
    result = imported("s.zarr", "t.zarr", "-d", "out")
    assert rows_of(tmp_path / "out/s.zarrdb") == rows_of(tmp_path / "out/t.zarrdb") == STORE
    assert result.lines[0].startswith("[1/2] s.zarrdb  17 keys  ")
    assert result.lines[2] == "2 sources: 2 written, 0 failed"


def test_a_dry_run_makes_no_directory(tmp_path: Path) -> None:
    write_tree(tmp_path / "s.zarr", STORE)
    imported("s.zarr", "-d", "new", "--dry-run")
    assert os.listdir(tmp_path) == ["s.zarr"]


def test_one_key_is_one_key(tmp_path: Path) -> None:
    write_tree(tmp_path / "one.zarr", {"zarr.json": GROUP})
    assert ": 1 key, " in imported("one.zarr").out


@pytest.mark.usefixtures("store")
def test_the_others_are_done_when_one_fails(tmp_path: Path) -> None:
    (tmp_path / "empty.zarr").mkdir()
    write_tree(tmp_path / "t.zarr", STORE)
    imported("t.zarr", "-d", "out")
    before = (tmp_path / "out/t.zarrdb").stat()
    result = imported("empty.zarr", "t.zarr", "s.zarr", "-d", "out", "--skip-existing", code=3)
    assert result.lines[-1] == "3 sources: 1 written, 1 skipped (exist), 1 failed: empty.zarr"
    assert "empty.zarr: holds no keys" in result.err
    assert sorted(os.listdir(tmp_path / "out")) == ["s.zarrdb", "t.zarrdb"]
    assert (tmp_path / "out/t.zarrdb").stat() == before
    result = imported("empty.zarr", "s.zarr", "-d", "two", "--fail-fast", code=3)
    assert result.lines[-1] == "2 sources: 0 written, 1 failed: empty.zarr, 1 not tried"
    assert os.listdir(tmp_path / "two") == []


@pytest.mark.usefixtures("store")
@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ([], "no source given"),
        (["s.zarr", "t.zarr", "u.zarrdb"], "import takes one destination; 3 names were given"),
        (["s.zarr", "t.zarr", "-o", "u.zarrdb"], "import takes one destination"),
        (["s.zarr", "-o", "x.zarrdb", "-d", "."], "-o and -d exclude each other"),
        (["s.zarr", "in/s.zarr", "-d", "."], "would both become ./s.zarrdb"),
        (["--merge", "s.zarr", "s.zarr"], "--merge needs the file to write"),
        (["s.zarr", "--on-conflict", "skip"], "--on-conflict is for --merge"),
        (["s.zarr", "--overwrite", "--skip-existing"], "exclude each other"),
        (["s.zarr", "--page-size", "1000"], "1000 is no page size"),
        (["-", "-o", "x.zarrdb", "--resume"], "standard input cannot be read from its middle"),
        (["-"], "add -o FILE"),
        (["s.zarr", "--temp-dir", "nowhere"], "nowhere is no directory"),
        (["s.zarr", "--include", "zzz"], "no key is left"),
        (["--files-from", "nowhere"], "no such file"),
        (["--files-from", os.devnull], "no name in it"),
        (["s.zarr", "-d", "new", "--page-size", "1000"], "1000 is no page size"),
        (["s.zarr", "-d", "new", "--codec", "nonsense"], "nonsense"),
        (["s.zarr", "-d", "new", "--timeout", "-1"], "--timeout"),
        (["s.zarr", "-d", "new", "--max-bytes", "-1"], "--max-bytes"),
        (["s.zarr", "-d", "new", "--path", "a//b"], "--path a//b: a name between slashes is empty"),
        (["s.zarr", "-d", "new", "--path", "../a"], "--path ../a: `..` is no name of a node"),
        (["s.zarr", "--path", "a/./b"], "`.` is no name of a node"),
        (["s.zarr", "-o", "s3://bucket/x.zarrdb"], "s3://bucket/x.zarrdb: a local file is wanted"),
    ],
)
def test_mistakes_on_the_command_line(tmp_path: Path, arguments: list[str], words: str) -> None:
    before = sorted(os.listdir(tmp_path))
    result = run_in_process("import", *arguments)
    assert result.code == 2, result.err
    assert words in result.err or words in result.err.replace("hint: ", "")
    assert result.out == ""
    assert sorted(os.listdir(tmp_path)) == before


@pytest.mark.usefixtures("store")
def test_names_from_a_file_or_a_pipe(tmp_path: Path) -> None:
    write_tree(tmp_path / "t\n.zarr", STORE)
    (tmp_path / "list").write_text("s.zarr\r\n\n")
    imported("--files-from", "list", "-d", "1")
    result = run_in_process(
        "import", "--files-from", "-", "-0", "-d", "2", stdin=b"s.zarr\0t\n.zarr\0"
    )
    assert result.code == 0
    assert os.listdir(tmp_path / "1") == ["s.zarrdb"]
    assert sorted(os.listdir(tmp_path / "2")) == ["s.zarrdb", "t\n.zarrdb"]


@pytest.mark.usefixtures("store")
def test_json(tmp_path: Path) -> None:
    found = json.loads(imported("s.zarr", "--json").out)
    assert next(iter(found)) == "schema"
    assert (found["schema"], found["status"], found["keys"]) == (1, "written", 17)
    assert found["bytes"] == sum(map(len, STORE.values()))
    planned = json.loads(imported("s.zarr", "-o", "2.zarrdb", "-n", "--json").out)
    assert (planned["status"], planned["dry_run"]) == ("planned", True)
    assert not (tmp_path / "2.zarrdb").exists()
    lines = imported("s.zarr", "no.zarr", "-d", "d", "--json", code=3).lines
    statuses = [json.loads(line).get("status") for line in lines]
    assert statuses == ["written", "failed", None]
    assert json.loads(lines[-1])["summary"] == {
        "sources": 2,
        "written": 1,
        "skipped": 0,
        "failed": 1,
    }


def test_junk_is_left_out_and_counted(tmp_path: Path, store: Path) -> None:
    junk = (".DS_Store", "a/.DS_Store", "a/c/._0", "a/zarr.json~")
    write_tree(store, dict.fromkeys(junk, b"junk"))
    write_tree(store, {"README.md": b"about", "a/c/0.bak": b"kept"})
    result = imported("s.zarr", "-v")
    assert "left out 4 (.DS_Store, zarr.json~, ._0)" in result.out
    assert all(f"left out {name}" in result.err for name in junk)
    assert set(rows_of(tmp_path / "s.zarrdb")) == {*STORE, "README.md", "a/c/0.bak"}
    imported("s.zarr", "-o", "all.zarrdb", "--keep-junk")
    assert set(rows_of(tmp_path / "all.zarrdb")) >= set(junk)


def test_links(tmp_path: Path, store: Path) -> None:
    (tmp_path / "elsewhere").write_bytes(b"far")
    (store / "a/c/20").symlink_to(tmp_path / "elsewhere")
    (store / "a/c/21").symlink_to("0")
    result = imported("s.zarr")
    assert "symbolic links that lead out of the store were followed: 1 (" in result.err
    assert rows_of(tmp_path / "s.zarrdb")["a/c/20"] == b"far"
    imported("s.zarr", "--links", "inside", "-o", "2.zarrdb", code=3)
    imported("s.zarr", "--links", "refuse", "-o", "2.zarrdb", code=3)
    (store / "a/c/20").unlink()
    imported("s.zarr", "--links", "inside", "-o", "2.zarrdb")
    assert rows_of(tmp_path / "2.zarrdb")["a/c/21"] == STORE["a/c/0"]


def test_special_files_and_odd_names_are_errors_and_nothing_hangs(
    tmp_path: Path, store: Path
) -> None:
    os.mkfifo(store / "a/c/30")
    Path(os.fsdecode(os.fsencode(store) + b"/bad\xff.bin")).write_bytes(b"x")
    result = imported("s.zarr", code=3)
    assert "a/c/30" in result.err
    assert "bad\\udcff.bin" in result.err or "bad\\xff.bin" in result.err
    assert not (tmp_path / "s.zarrdb").exists()


@pytest.mark.usefixtures("store")
def test_existing_files_are_refused_skipped_or_replaced(tmp_path: Path) -> None:
    (tmp_path / "s.zarrdb").write_bytes(b"my thesis")
    assert "exists already" in imported("s.zarr", code=3).err
    assert "exists, skipped" in imported("s.zarr", "--skip-existing").out
    assert "is no .zarrdb" in imported("s.zarr", "--overwrite", code=3).err
    assert (tmp_path / "s.zarrdb").read_bytes() == b"my thesis"
    (tmp_path / "s.zarrdb").write_bytes(b"")
    imported("s.zarr")
    write_tree(tmp_path / "s.zarr", {"a/c/0": b"new"})
    imported("s.zarr", "--overwrite")
    assert rows_of(tmp_path / "s.zarrdb")["a/c/0"] == b"new"


@pytest.mark.usefixtures("store")
def test_a_target_inside_the_source_is_no_part_of_it(tmp_path: Path) -> None:
    imported("s.zarr", "-o", "s.zarr/inside.zarrdb")
    imported("s.zarr", "-o", "s.zarr/inside.zarrdb", "--overwrite")
    assert rows_of(tmp_path / "s.zarr/inside.zarrdb") == STORE


@pytest.mark.usefixtures("store")
def test_source_and_destination_are_one_file() -> None:
    imported("s.zarr")
    assert "source and the destination" in imported("s.zarrdb", "-o", "s.zarrdb", code=2).err


@pytest.mark.usefixtures("store")
def test_merge_and_path(tmp_path: Path) -> None:
    write_tree(tmp_path / "t.zarr", {"zarr.json": GROUP, "c/zarr.json": GROUP})
    imported("--merge", "s.zarr", "t.zarr", "-o", "m.zarrdb")
    assert rows_of(tmp_path / "m.zarrdb") == {**STORE, "c/zarr.json": GROUP}
    write_tree(tmp_path / "t.zarr", {"a/c/0": b"other"})
    assert "a/c/0" in imported("--merge", "s.zarr", "t.zarr", "-o", "n.zarrdb", code=3).err
    imported("--merge", "s.zarr", "t.zarr", "-o", "n.zarrdb", "--on-conflict", "replace")
    assert rows_of(tmp_path / "n.zarrdb")["a/c/0"] == b"other"
    result = imported("s.zarr", "--path", "x", "-o", "p.zarrdb")
    assert "added zarr.json above --path" in result.err
    assert set(rows_of(tmp_path / "p.zarrdb")) == {"zarr.json", *(f"x/{key}" for key in STORE)}


@pytest.mark.usefixtures("store")
def test_a_tar_from_a_pipe(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "t.tar", "w") as tar:
        tar.add("s.zarr")
    result = run_in_process(
        "import", "-", "-o", "y.zarrdb", "--verify", stdin=(tmp_path / "t.tar").read_bytes()
    )
    assert result.code == 0, result.err
    assert "one outer folder" in result.err
    assert rows_of(tmp_path / "y.zarrdb") == STORE


@pytest.mark.usefixtures("store")
def test_quiet_drops_notes_but_no_result() -> None:
    result = imported("s.zarr", "--path", "x", "-q")
    assert result.err == ""
    assert "17 keys" not in result.out
    assert "18 keys" in result.out


def test_unreadable_files_are_all_listed(tmp_path: Path, store: Path) -> None:
    if os.getuid() == 0:
        pytest.skip("root reads everything")
    for number in (3, 7):
        (store / f"a/c/{number}").chmod(0)
    result = imported("s.zarr", code=3)
    assert "a/c/3" in result.err
    assert "a/c/7" in result.err
    assert not (tmp_path / "s.zarrdb").exists()


@pytest.mark.skipif(sys.platform == "win32", reason="symbolic links and pipes")
@pytest.mark.parametrize(
    ("patterns", "wanted"),
    [
        (["--exclude", "odd*"], None),
        (["--exclude", "odd*/**"], "odd"),
        (["--exclude", "odd*/*", "--exclude", "odd"], None),
        (["--exclude", "odd"], "odd.d/fifo"),
        (["--include", "a"], None),
        (["--include", "a", "--include", "odd"], "odd"),
        (["--include", "a", "--include", "odd*", "--exclude", "**/fifo"], "odd"),
    ],
)
def test_what_cannot_be_read_is_no_matter_where_it_is_left_out(
    tmp_path: Path, store: Path, patterns: list[str], wanted: str | None
) -> None:
    (store / "odd.d").mkdir()
    (store / "odd").symlink_to("nowhere")
    os.mkfifo(store / "odd.d" / "fifo")
    result = imported("s.zarr", *patterns, code=0 if wanted is None else 3)
    assert (tmp_path / "s.zarrdb").exists() is (wanted is None)
    if wanted is not None:
        unread, hint = result.err.splitlines()
        assert unread.startswith(f"zarrdb: s.zarr: {wanted}: ")
        assert hint.endswith("--exclude them")


@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143), (signal.SIGKILL, -9)]
)
def test_a_killed_import_leaves_no_result(tmp_path: Path, number: int, code: int) -> None:
    store = write_tree(tmp_path / "big.zarr", {"zarr.json": GROUP})
    for name in range(3000):
        (store / str(name)).write_bytes(b"x")
    os.mkfifo(tmp_path / "gate")
    script = (
        "import sys, zarrdb.transfer.read as read\n"
        "original = read.read_batch\n"
        "def slow(*a, **k):\n"
        "    print('reading', flush=True); sys.stdin.readline()\n"
        "    return original(*a, **k)\n"
        "import zarrdb.transfer.engine as engine; engine.read_batch = slow\n"
        "from zarrdb.cli.app import run; sys.exit(run(sys.argv[1:]))\n"
    )
    arguments = [sys.executable, "-c", script, "import", "big.zarr", "-o", "x.zarrdb"]
    process = subprocess.Popen(
        arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
    )
    with process:
        assert process.stdout is not None
        assert process.stdout.readline() == b"reading\n"
        started = time.monotonic()
        process.send_signal(number)
        process.wait(20)
        assert time.monotonic() - started < 10
    assert process.returncode == code
    assert not (tmp_path / "x.zarrdb").exists()
    if number != signal.SIGKILL:
        assert leftovers(tmp_path) == []
    imported("big.zarr", "-o", "x.zarrdb")
    assert leftovers(tmp_path) == []
    assert len(rows_of(tmp_path / "x.zarrdb")) == 3001


def test_the_private_file_of_a_running_import_is_left_alone(tmp_path: Path, store: Path) -> None:
    from zarrdb.db.private import PrivateFile

    running = PrivateFile(str(tmp_path / "s.zarrdb"))
    imported("s.zarr")
    assert Path(running.path).exists()
    running.remove()
    assert leftovers(tmp_path) == []


def test_memory_stays_flat(tmp_path: Path) -> None:
    store = write_tree(tmp_path / "large.zarr", {"zarr.json": GROUP})
    with open(store / "0", "wb") as file:
        file.truncate(300 << 20)
    for number in range(1, 100):
        with open(store / str(number), "wb") as file:
            file.truncate(1 << 20)
    for number in range(100, 160):
        with open(store / str(number), "wb") as file:
            file.truncate((4 << 20) - 1000)
    assert peak_memory("import", store, tmp_path / "x.zarrdb") < 150
    assert peak_memory("vacuum", "--force", tmp_path / "x.zarrdb") < 150
