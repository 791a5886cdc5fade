"""`zarrdb cat`: the bytes, exactly, and what a terminal is spared."""

import json
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_cli import Result, peak_memory, write_store
from helpers_lint import CHUNK, GROUP2, array2, array3, group3
from zarrdb.cli.pretty import indented
from zarrdb.cli.values import is_binary
from zarrdb.db import Database

Cli = Callable[..., Result]

VALUES = {
    "crlf": b"a\r\nb\r\n",
    "no-newline": b"x",
    "nul": b"\0\0",
    "empty": b"",
    "all": bytes(range(256)),
    "latin": b"\xe9\xff",
    "text": "µ\n\ttext".encode(),
    "escape": b"\x1b[2J",
    "dir/x": b"1",
    "-n": b"dash",
    "zarr.json": group3(attributes={"title": "µ", "list": [1, 2]}),
    "a/zarr.json": array3(attributes={"x": 1}),
    "a/c/0": CHUNK,
    "v2/.zgroup": GROUP2,
    "v2/.zattrs": b'{"nan": NaN}',
    "v2/a/.zarray": array2(),
    "bad/zarr.json": b"{",
}


@pytest.fixture(params=["s.zarrdb", "s.zarr", "s.zip"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write_store(tmp_path / request.param, VALUES)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_store(tmp_path / "s.zarrdb", {**VALUES, "": b"root"})


def written(key: str) -> bytes:
    value = VALUES[key]
    return value if isinstance(value, bytes) else json.dumps(value).encode()


@pytest.mark.parametrize("key", [key for key in VALUES if key != "-n"])
def test_bytes_are_exact(cli: Cli, store: Path, key: str) -> None:
    result = cli("cat", store, key)
    assert (result.code, result.err) == (0, "")
    assert (
        json.loads(result.out) == VALUES[key]
        if isinstance(VALUES[key], dict)
        else (result.stdout == VALUES[key])
    )


def test_several_keys_without_a_separator(cli: Cli, store: Path) -> None:
    assert cli("cat", store, "all", "empty", "nul", "all").stdout == (
        bytes(range(256)) + b"\0\0" + bytes(range(256))
    )


def test_keys_that_look_like_options(cli: Cli, file: Path) -> None:
    assert cli("cat", file, "--", "-n", "crlf") == Result(0, b"dasha\r\nb\r\n", b"")
    assert cli("cat", "--", file, "-n").stdout == b"dash"


def test_the_empty_key(cli: Cli, file: Path) -> None:
    assert cli("cat", file, "") == Result(0, b"root", b"")


@pytest.mark.parametrize("value", [b"", b"0123456789"])
@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("0:3", slice(0, 3)),
        ("3:", slice(3, None)),
        (":2", slice(0, 2)),
        (":", slice(None)),
        ("-3:2", slice(-3, -1)),
        ("-3:", slice(-3, None)),
        ("-99:4", slice(0, 4)),
        ("9:5", slice(9, 14)),
        ("10:5", slice(10, 15)),
        ("99:", slice(99, None)),
        ("2:0", slice(2, 2)),
    ],
)
def test_range(cli: Cli, tmp_path: Path, value: bytes, text: str, part: slice) -> None:
    file = write_store(tmp_path / "s.zarrdb", {"k": value})
    assert cli("cat", file, "k", "k", "--range", text) == Result(0, value[part] * 2, b"")


@pytest.mark.parametrize("text", ["", "3", "x:", "0:-1", "0x1:2", "1:2:3"])
def test_bad_range(cli: Cli, file: Path, text: str) -> None:
    result = cli("cat", file, "all", "--range", text)
    assert (result.code, result.stdout) == (2, b"")
    assert result.err.startswith(f"zarrdb: --range: `{text}` is not START:LENGTH\n")


@pytest.mark.parametrize(
    ("key", "hint"),
    [
        ("dir", "other keys begin with it: `zarrdb ls --keys "),
        ("a", "it is an array; `zarrdb cat {} a/zarr.json` prints its document"),
        ("a/", "it is an array; `zarrdb cat {} a/zarr.json` prints its document"),
        ("v2", "it is a group; `zarrdb cat {} v2/.zgroup` prints its document"),
        ("v2/a", "it is an array; `zarrdb cat {} v2/a/.zarray` prints its document"),
        ("a/c/1", "`zarrdb ls --keys {}` lists them"),
        ("zarr.jsn", "did you mean `zarr.json`?"),
        ("q", "`zarrdb ls --keys {}` lists them"),
    ],
)
def test_no_such_key(cli: Cli, store: Path, key: str, hint: str) -> None:
    result = cli("cat", store, "all", key)
    assert (result.code, result.stdout) == (1, b"")
    first, second = result.err.splitlines()
    assert first == f"zarrdb: {store}: no key `{key}`"
    assert second.startswith(f"hint: {hint.format(store)}")


@pytest.mark.parametrize(
    ("node", "expected"),
    [
        ("/", {"title": "µ", "list": [1, 2]}),
        ("", {"title": "µ", "list": [1, 2]}),
        ("a", {"x": 1}),
        ("/v2/", {"nan": "NaN"}),
        ("v2/a", {}),
    ],
)
def test_attributes(cli: Cli, store: Path, node: str, expected: object) -> None:
    result = cli("cat", store, "--attributes", node)
    assert (result.code, result.err) == (0, "")
    assert json.loads(result.out) == expected


def test_attributes_that_cannot_be_read(cli: Cli, store: Path) -> None:
    result = cli("cat", store, "--attributes", "bad")
    assert (result.code, result.stdout) == (1, b"")
    assert "no attributes of `bad`: zarr.json is not JSON" in result.err
    assert cli("cat", store, "--attributes", "nope").code == 1


@pytest.mark.parametrize(
    "arguments",
    [[], ["a", "--attributes", "a"]],
    ids=["no key", "key and attributes"],
)
def test_usage(cli: Cli, file: Path, arguments: list[str]) -> None:
    result = cli("cat", file, *arguments)
    assert (result.code, result.stdout) == (2, b"")
    assert result.err.count("\n") == 2


class TestOnATerminal:
    """What is not for eyes is refused; documents are indented."""

    @pytest.mark.parametrize("key", ["nul", "all", "latin", "escape", "a/c/0"])
    def test_binary_is_refused(self, cli: Cli, file: Path, key: str) -> None:
        result = cli("cat", file, key, terminal=True)
        assert (result.code, result.stdout) == (2, b"")
        assert result.err.startswith(f"zarrdb: `{key}` holds binary data")
        assert cli("cat", file, key, "--force", terminal=True).stdout == written(key)

    @pytest.mark.parametrize("key", ["crlf", "text", "empty"])
    def test_text_is_shown(self, cli: Cli, file: Path, key: str) -> None:
        assert cli("cat", file, key, terminal=True) == Result(0, written(key), b"")

    def test_documents_are_indented(self, cli: Cli, file: Path) -> None:
        assert cli("cat", file, "zarr.json", terminal=True).lines == [
            "{",
            '  "zarr_format": 3,',
            '  "node_type": "group",',
            '  "attributes": {',
            '    "title": "\\u00b5",',
            '    "list": [1, 2]',
            "  }",
            "}",
        ]

    def test_a_range_of_a_document_is_not(self, cli: Cli, file: Path) -> None:
        assert cli("cat", file, "v2/.zattrs", "--range", "0:6", terminal=True).out == '{"nan"'


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.floats(),
        lambda inner: (
            st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4)
        ),
        max_leaves=20,
    ),
    st.integers(1, 80),
)
def test_indenting_keeps_the_value_and_fits(value: object, width: int) -> None:
    text = indented(json.dumps(value), width)
    assert repr(json.loads(text)) == repr(value)
    assert indented(text, width) == text


@given(st.text(alphabet='[]{},:" \\\n1ax', max_size=40))
def test_indenting_keeps_mistakes(text: str) -> None:
    shown = indented(text, 20)
    assert "".join(shown.split()) == "".join(text.split())


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '{"a": 1.10, "a": NaN, "b": [[]]}',
            '{\n  "a": 1.10,\n  "a": NaN,\n  "b": [\n    []\n  ]\n}',
        ),
        ('{"a":[1,2,3]}', '{\n  "a": [1, 2, 3]\n}'),
        ("[]", "[]"),
        ("", ""),
        ('{"a": ]', '{\n  "a": \n]'),
    ],
)
def test_indented(text: str, expected: str) -> None:
    assert indented(text, 70) == expected


@pytest.mark.parametrize("cut", range(1, 5))
def test_a_character_cut_in_two_is_still_text(cut: int) -> None:
    assert not is_binary("x\U0001f600".encode()[:cut])
    assert is_binary("\U0001f600x".encode()[1:])


@pytest.mark.skipif(sys.platform != "linux", reason="measures with Linux's units")
def test_large_values_pass_through_flat_memory(tmp_path: Path) -> None:
    size = 200 << 20
    file = tmp_path / "large.zarrdb"
    with Database.open(file, mode="create") as database:
        database.set_stream("k", size, (bytes(1 << 20) for _ in range(200)))
    for extra in ([], ["--range", "1000:"]):
        assert peak_memory("cat", file, "k", *extra) < 80
