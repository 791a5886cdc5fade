"""`-o FILE` of `cat` and `info`, and `--json` of `cat`."""

import base64
import json
import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers_cli import Result, write_store
from helpers_lint import CHUNK, array3, group3

Cli = Callable[..., Result]

LONG = bytes(range(256)) * 20_000
VALUES = {
    "zarr.json": group3(attributes={"é": 1}),
    "a/zarr.json": array3(attributes={"units": "K"}),
    "a/c/0": CHUNK,
    "a/c/1": CHUNK,
    "text": "gü\n".encode(),
    "empty": b"",
    "long": LONG,
}

COMMANDS = [
    ["cat", "{}", "a/c/0", "zarr.json"],
    ["cat", "{}", "long", "--range", "100:5000000"],
    ["cat", "{}", "text", "long", "--json"],
    ["cat", "{}", "--attributes", "a"],
    ["cat", "{}", "a", "--slice", "::-1"],
    ["cat", "{}", "a", "--slice", ":", "--format", "npy"],
    ["info", "{}"],
    ["info", "{}", "a", "--json"],
]


@pytest.fixture(params=["s.zarr", "s.zarrdb", "s.zip"])
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, request: pytest.FixtureRequest) -> str:
    monkeypatch.chdir(tmp_path)
    name: str = request.param
    write_store(tmp_path / name, VALUES)
    return name


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.chdir(tmp_path)
    write_store(tmp_path / "s.zarrdb", VALUES)
    return "s.zarrdb"


@pytest.mark.parametrize("words", COMMANDS, ids=" ".join)
def test_the_file_holds_what_would_be_printed(cli: Cli, store: str, words: list[str]) -> None:
    given = [word.format(store) for word in words]
    printed = cli(*given)
    assert cli(*given, "-o", "x") == Result(0, b"", b"")
    assert Path("x").read_bytes() == printed.stdout
    again = cli(*given, "-o", "x")
    assert (again.code, again.out) == (3, "")
    assert again.err.startswith("zarrdb: x: exists already\nhint: --overwrite")
    assert cli(*given, "-o", "x", "--skip-existing", "-q") == Result(0, b"", b"")
    assert cli(*given, "-o", "x", "--skip-existing").err == "note: x: exists, skipped\n"
    Path("x").write_bytes(b"old")
    assert cli(*given, "-o", "x", "--overwrite") == Result(0, b"", b"")
    assert Path("x").read_bytes() == printed.stdout
    assert sorted(os.listdir()) == sorted([store, "x"])


def test_binary_data_goes_to_a_file_from_a_terminal_too(cli: Cli, file: str) -> None:
    assert cli("cat", file, "a/c/0", "-o", "x", terminal=True).code == 0
    assert cli("info", file, "-o", "y", terminal=True, env={"FORCE_COLOR": "1"}).code == 0
    assert cli("info", file, "-o", "z", "--color", "always").code == 0
    assert Path("x").read_bytes() == CHUNK
    assert b"\x1b" not in Path("y").read_bytes()
    assert b"\x1b" in Path("z").read_bytes()


def test_a_replaced_file_keeps_its_mode_and_a_link_stays(cli: Cli, file: str) -> None:
    Path("x").write_text("old")
    Path("x").chmod(0o640)
    Path("link").symlink_to("x")
    assert cli("cat", file, "text", "-o", "link", "--overwrite").code == 0
    assert Path("link").is_symlink()
    assert Path("x").read_bytes() == VALUES["text"]
    assert stat.S_IMODE(Path("x").stat().st_mode) == 0o640


def test_an_empty_file_is_nothing(cli: Cli, file: str) -> None:
    Path("x").touch()
    assert cli("info", file, "-o", "x").code == 0
    assert Path("x").stat().st_size


@pytest.mark.parametrize(
    ("words", "code", "message"),
    [
        (["no", "-o", "x"], 1, "no key `no`"),
        (["a/c/0", "no", "-o", "x"], 1, "no key `no`"),
        (["a", "--slice", "9", "-o", "x"], 2, "9"),
        (["text", "-o", "s.zarrdb", "--overwrite"], 2, "-o names FILE itself"),
        (["text", "-o", "other.zarrdb", "--overwrite"], 3, "is a SQLite database"),
        (["text", "-o", "folder", "--overwrite"], 3, "folder: is a directory"),
        (["text", "-o", os.devnull, "--overwrite"], 3, "is no regular file"),
        (["text", "-o", "no/x"], 3, "no such file or directory"),
        (["text", "-o", "s3://bucket/x"], 2, "a local file is wanted here"),
        (["text", "--overwrite"], 2, "are for -o"),
        (["text", "-o", "x", "--overwrite", "--skip-existing"], 2, "exclude each other"),
        (["a", "--slice", ":", "--json", "--format", "csv"], 2, "--json and --format"),
    ],
)
def test_what_is_refused_leaves_nothing(
    cli: Cli, file: str, words: list[str], code: int, message: str
) -> None:
    os.mkdir("folder")
    write_store(Path("other.zarrdb"), {"zarr.json": group3()})
    before = {name: os.stat(name).st_mtime_ns for name in os.listdir()}
    result = cli("cat", file, *words)
    assert (result.code, result.out) == (code, "")
    assert message in result.err
    assert result.err.count("\n") == 2
    assert {name: os.stat(name).st_mtime_ns for name in os.listdir()} == before


@pytest.mark.skipif(sys.platform == "win32", reason="needs a limit on file sizes")
def test_a_limit_on_file_sizes(file: str) -> None:
    script = f"ulimit -f 100; {sys.executable} -m zarrdb cat {file} long -o x 2>&1 | cat"
    done = subprocess.run(["bash", "-c", script], capture_output=True, timeout=60, check=False)
    assert done.stdout.startswith(b"zarrdb: x: past the limit on the size of files; nothing was")
    assert os.listdir() == [file]


def decoded(line: dict[str, object]) -> bytes:
    value = str(line["value"])
    return base64.b64decode(value) if line["encoding"] == "base64" else value.encode()


@pytest.mark.parametrize("part", [None, "0:2", "1:", "-3:2", "5:4194304", "3:4194305"])
def test_values_as_json(cli: Cli, store: str, part: str | None) -> None:
    keys = ["a/c/0", "text", "empty", "long"]
    words = [] if part is None else ["--range", part]
    lines = [json.loads(line) for line in cli("cat", store, *keys, "--json", *words).lines]
    assert [line["key"] for line in lines] == keys
    for line in lines:
        value = VALUES[line["key"]]
        assert isinstance(value, bytes)
        members = ["schema", "key", "bytes", "offset", "encoding", "value"]
        assert list(line) == members
        assert (line["schema"], line["bytes"]) == (1, len(value))
        data = cli("cat", store, line["key"], *words).stdout
        assert decoded(line) == data
        assert value[line["offset"] :].startswith(data)
    if part is None:
        assert [line["encoding"] for line in lines] == ["utf-8", "utf-8", "utf-8", "base64"]


def test_json_is_shown_on_a_terminal(cli: Cli, file: str) -> None:
    assert json.loads(cli("cat", file, "a/c/0", "--json", terminal=True).out)["bytes"] == len(CHUNK)


def test_attributes_and_items_as_json(cli: Cli, store: str) -> None:
    assert json.loads(cli("cat", store, "--attributes", "a", "--json").out) == {
        "schema": 1,
        "path": "a",
        "attributes": {"units": "K"},
    }
    assert json.loads(cli("cat", store, "a", "--slice", ":", "--json").out) == [1, 2, 1, 2]
