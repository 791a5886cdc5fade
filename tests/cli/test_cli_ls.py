"""`zarrdb ls`: what is listed, how, and what broken nodes do to it (nothing)."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_cli import Result, peak_memory, write_store
from helpers_lint import CHUNK, GROUP2, array2, array3, group3, regular, write_database
from zarrdb.cli.output import text_width
from zarrdb.keys import is_valid, printable

Cli = Callable[..., Result]

FILES = {
    "zarr.json": group3(attributes={"title": "t"}),
    "a/zarr.json": array3(attributes={"x": float("nan"), "é": 2**70}),
    "a/c/0": CHUNK,
    "a/c/1": CHUNK,
    "a/c/7": b"outside",
    "bad/zarr.json": b'{\n "zarr_format": 3\n ]',
    "g/zarr.json": group3(),
    "g/deep/zarr.json": group3(),
    "g/deep/x/zarr.json": array3(
        shape=[2**70, 3], chunk_grid=regular(1, 3), dimension_names=["t", None]
    ),
    "g/deep/x/c/12/0": b"12",
    "g.2/zarr.json": group3(),
    "notes/README.md": b"text",
}

NAMES = ["a", "bad", "g/", "g.2/"]
PATHS = ["a", "bad", "g/", "g/deep/", "g/deep/x", "g.2/"]


@pytest.fixture(params=["s.zarrdb", "s.zarr", "s.zip"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write_store(tmp_path / request.param, FILES)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_store(tmp_path / "s.zarrdb", FILES)


def ok(result: Result) -> Result:
    assert (result.code, result.err) == (0, "")
    return result


@pytest.mark.parametrize("terminal", [False, True])
def test_bare_names(cli: Cli, store: Path, terminal: bool) -> None:
    assert sorted(ok(cli("ls", store, terminal=terminal)).lines) == sorted(NAMES)


def test_full_paths(cli: Cli, store: Path) -> None:
    assert sorted(ok(cli("ls", "-R", store)).lines) == sorted(PATHS)


@pytest.mark.parametrize(
    ("depth", "paths"),
    [("1", NAMES), ("2", [*NAMES, "g/deep/"]), ("3", PATHS), ("9", PATHS)],
)
def test_depth(cli: Cli, file: Path, depth: str, paths: list[str]) -> None:
    assert sorted(ok(cli("ls", "--depth", depth, file)).lines) == sorted(paths)


@pytest.mark.parametrize("node", ["g", "g/", "/g"])
def test_a_node(cli: Cli, file: Path, node: str) -> None:
    assert ok(cli("ls", file, node)).lines == ["deep/"]
    assert ok(cli("ls", "-R", file, node)).lines == ["g/deep/", "g/deep/x"]


def test_an_array_is_listed_itself(cli: Cli, file: Path) -> None:
    assert ok(cli("ls", file, "g/deep/x")).lines == ["g/deep/x"]


def test_paths_are_taken_as_they_are_shown(cli: Cli, file: Path) -> None:
    for path in ok(cli("ls", "-R", file)).lines:
        assert cli("info", file, path).code == 0
    for key in ok(cli("ls", "--keys", file)).lines:
        assert cli("cat", file, key).code == 0


def test_long_on_a_pipe(cli: Cli, store: Path) -> None:
    rows = [line.split("\t") for line in ok(cli("ls", "-lR", store)).lines]
    assert sorted(rows, key=lambda row: row[6]) == [
        ["array", "int32", "4", "2", "2/2", "16", "a", ""],
        ["?", "", "", "", "", "22", "bad", "zarr.json is not JSON (3:2)"],
        ["group", "", "", "", "", str(len(json.dumps(group3()))), "g.2/", ""],
        ["group", "", "", "", "", str(len(json.dumps(group3()))), "g/", ""],
        ["group", "", "", "", "", str(len(json.dumps(group3()))), "g/deep/", ""],
        [
            *("array", "int32", "1180591620717411303424 x 3", "1 x 3"),
            *("1/1180591620717411303424", "2", "g/deep/x", ""),
        ],
    ]


def test_long_on_a_terminal(cli: Cli, file: Path) -> None:
    heading, *lines = ok(cli("ls", "-l", "--color", "never", file, terminal=True)).lines
    assert heading.split() == [
        "kind",
        "data",
        "type",
        "shape",
        "chunks",
        "present",
        "stored",
        "name",
    ]
    at = heading.index("name")
    assert [line[at:].split()[0] for line in lines] == NAMES
    assert lines[1].endswith("bad   zarr.json is not JSON (3:2)")
    assert lines[0].split() == ["array", "int32", "4", "2", "2/2", "16", "B", "a"]


def test_tree(cli: Cli, file: Path) -> None:
    assert ok(cli("ls", "--tree", file)).lines == [
        str(file),
        "├── a  int32  4  2/2 chunks  16 B",
        "├── bad  ?  zarr.json is not JSON (3:2)",
        "├── g",
        "│   └── deep",
        "│       └── x  int32  1180591620717411303424 x 3  1/1180591620717411303424 chunks  2 B",
        "└── g.2",
    ]
    assert ok(cli("ls", "--tree", "--depth", "1", file, "g")).lines == ["g", "└── deep"]


def test_tree_without_the_characters(run_cli: Cli, file: Path) -> None:
    result = ok(run_cli("ls", "--tree", file, "g", env={"PYTHONIOENCODING": "ascii"}))
    assert result.lines[:2] == ["g", "`-- deep"]
    assert result.lines[2].startswith("    `-- x  int32")


def test_json(cli: Cli, store: Path) -> None:
    lines = ok(cli("ls", "-R", "--json", store)).lines
    nodes = {node["path"]: node for node in map(json.loads, lines)}
    assert all(line.startswith('{"schema": 1, "path": ') and line.isascii() for line in lines)
    assert sorted(nodes) == sorted(path.rstrip("/") for path in PATHS)
    assert nodes["a"] == {
        "schema": 1,
        "path": "a",
        "kind": "array",
        "zarr_format": 3,
        "data_type": "int32",
        "shape": [4],
        "dimension_names": None,
        "chunk_shape": [2],
        "shard_shape": None,
        "chunks_present": 2,
        "chunks_total": 2,
        "stored_bytes": 16,
        "attributes": {"x": "NaN", "é": 2**70},
        "problem": None,
    }
    assert nodes["g/deep/x"]["dimension_names"] == ["t", None]
    assert nodes["g/deep/x"]["chunks_total"] == 2**70
    assert nodes["bad"]["problem"] == "zarr.json is not JSON (3:2)"


def test_attributes(cli: Cli, file: Path) -> None:
    rows = dict(line.split("\t\t") for line in ok(cli("ls", "--attributes", file, "g")).lines)
    assert rows == {"deep/": "{}"}
    row = ok(cli("ls", "-l", "--attributes", file, "a")).lines[0]
    assert json.loads(row.split("\t")[-1]) == {"x": "NaN", "é": 2**70}


def test_keys(cli: Cli, store: Path) -> None:
    assert ok(cli("ls", "--keys", store)).lines == sorted(FILES)
    assert ok(cli("ls", "--keys", store, "a")).lines == ["a/c/0", "a/c/1", "a/c/7", "a/zarr.json"]
    assert ok(cli("ls", "--keys", store, "notes")).lines == ["notes/README.md"]
    assert ok(cli("ls", "--keys", "-l", store, "notes")).lines == ["4\tnotes/README.md"]
    assert json.loads(ok(cli("ls", "--keys", "--json", store, "notes")).out) == {
        "schema": 1,
        "key": "notes/README.md",
        "bytes": 4,
    }


def test_nul(cli: Cli, file: Path) -> None:
    assert ok(cli("ls", "-0", file)).stdout == b"".join(f"{name}\0".encode() for name in NAMES)
    assert ok(cli("ls", "--keys", "--null", file, "notes")).stdout == b"notes/README.md\0"


@pytest.mark.parametrize(
    ("node", "hint"),
    [
        ("gg", "did you mean `g`?"),
        ("g/deeep", "did you mean `g/deep`?"),
        ("zzz", "`zarrdb ls "),
        ("a/zarr.json", "it is a key: `zarrdb cat "),
        ("notes", "only keys: `zarrdb ls --keys "),
        ("a/c", "only keys: `zarrdb ls --keys "),
    ],
)
def test_no_such_node(cli: Cli, store: Path, node: str, hint: str) -> None:
    for command in ("ls", "info"):
        result = cli(command, store, node)
        assert (result.code, result.stdout) == (1, b"")
        first, second = result.err.splitlines()
        assert first.endswith(f": no node `{node}`")
        assert second.startswith(f"hint: {hint}")


def test_nothing_of_that_name(cli: Cli, file: Path) -> None:
    assert cli("ls", "--keys", file, "zzz").code == 1


@pytest.mark.parametrize("option", ["--tree", "--attributes"])
def test_keys_exclude(cli: Cli, file: Path, option: str) -> None:
    assert cli("ls", "--keys", option, file).code == 2


def test_a_root_array(cli: Cli, tmp_path: Path) -> None:
    file = write_store(tmp_path / "s.zarrdb", {".zarray": array2(), "0": CHUNK})
    assert ok(cli("ls", file)).lines == ["/"]
    assert ok(cli("ls", "-l", file)).lines == ["array\tint32\t4\t2\t1/2\t8\t/\t"]
    assert ok(cli("ls", "--tree", file)).lines == [f"{file}  int32  4  1/2 chunks  8 B"]
    assert ok(cli("info", file, "/")).lines[0] == "/   array, Zarr v2"


def test_only_foreign_keys(cli: Cli, tmp_path: Path) -> None:
    file = write_store(tmp_path / "s.zarrdb", {"a.txt": b"1", "b/c.txt": b"2"})
    result = cli("ls", file)
    assert (result.code, result.stdout) == (0, b"")
    assert result.err == f"note: no node in it, but keys: `zarrdb ls --keys {file}`\n"
    assert ok(cli("ls", "--keys", file)).lines == ["a.txt", "b/c.txt"]


@pytest.mark.parametrize(
    ("made", "name", "note"),
    [
        ("s.zarrdb", "s.db", "a .zarrdb file"),
        ("s.zarrdb", "s", "a .zarrdb file"),
        ("s.zip", "s.zarr", "a zip store"),
        ("s.ZIP", "t.Zip", None),
        ("s.zip", "s.ozx", None),
        ("s.zarr", "anything", None),
    ],
)
def test_what_an_unexpected_file_is(
    cli: Cli, tmp_path: Path, made: str, name: str, note: str | None
) -> None:
    store = tmp_path / name
    write_store(tmp_path / made.lower(), FILES).rename(store)
    for command in ("ls", "info"):
        result = cli(command, store)
        assert result.code == 0
        assert result.err == ("" if note is None else f"note: {store} is {note}\n")
        assert cli(command, "-q", store) == Result(0, result.stdout, b"")


def test_an_empty_store(cli: Cli, tmp_path: Path) -> None:
    file = write_store(tmp_path / "s.zarrdb", {})
    assert cli("ls", file) == Result(0, b"", b"")
    assert cli("ls", "--keys", file) == Result(0, b"", b"")


def test_both_formats_at_one_path(cli: Cli, tmp_path: Path) -> None:
    files = {
        ".zgroup": GROUP2,
        "zarr.json": group3(),
        "a/.zarray": array2(),
        "a/zarr.json": array3(),
    }
    file = write_store(tmp_path / "s.zarrdb", files)
    nodes = [json.loads(line) for line in ok(cli("ls", "--json", file)).lines]
    assert [(node["path"], node["zarr_format"]) for node in nodes] == [("a", 3), ("a", 2)]


def test_same_content_same_output(cli: Cli, tmp_path: Path) -> None:
    one = write_database(str(tmp_path / "1.zarrdb"), FILES)
    other = write_database(
        str(tmp_path / "2.zarrdb"), dict(reversed(FILES.items())), after=["VACUUM"]
    )
    for arguments in (["-R", "--json"], ["-lR"], ["--keys", "--json"]):
        assert ok(cli("ls", one, *arguments)) == ok(cli("ls", other, *arguments))


def test_names_cannot_steer_a_terminal(cli: Cli, tmp_path: Path) -> None:
    name = "x\x1b]0;\x07\u202e\n"
    file = write_store(tmp_path / "s.zarrdb", {f"{name}/zarr.json": group3()})
    for arguments in ([], ["-l"], ["--tree"], ["-R"], ["--keys"]):
        text = ok(cli("ls", file, *arguments, "--color", "never", terminal=True)).out
        assert all(line.isprintable() for line in text.split("\n"))
        assert "x\\x1b]0;\\x07\\u202e\\x0a" in text
    assert ok(cli("ls", "-0", file)).stdout == f"{name}/\0".encode()


@given(st.sets(st.text(min_size=1, max_size=6).filter(is_valid), max_size=8))
def test_keys_survive_listing(keys: set[str]) -> None:
    import tempfile

    from helpers_cli import run_in_process

    # A lone surrogate is no Unicode, a NUL ends the text of other SQLite clients.
    names = {k for k in keys if "\0" not in k and k.isprintable() and not k.endswith("zarr.json")}
    with tempfile.TemporaryDirectory() as folder:
        file = write_store(Path(folder, "s.zarrdb"), dict.fromkeys(names, b"1"))
        listed = run_in_process("ls", "--keys", "-0", file)
        assert listed.code == 0
        assert listed.stdout.decode().split("\0")[:-1] == sorted(names)
        shown = run_in_process("ls", "--keys", file, terminal=True).out.split("\n")[:-1]
        assert shown == [printable(name) for name in sorted(names)]
        assert all(text_width(line) >= 0 for line in shown)


@pytest.mark.skipif(sys.platform != "linux", reason="measures with Linux's units")
def test_many_keys_stream_in_flat_memory(tmp_path: Path) -> None:
    files = {f"a/c/{number}": b"" for number in range(200_000)}
    file = write_store(tmp_path / "s.zarrdb", {**files, "a/zarr.json": array3(shape=[400_000])})
    for arguments in (["-lR"], ["--keys"], ["--keys", "--json"], ["--tree"]):
        assert peak_memory("ls", file, *arguments) < 80
