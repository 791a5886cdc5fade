"""`zarrdb check` on URLs: what it finds, what it leaves out, and what it fetches."""

import json
import random
from collections.abc import Callable, Iterator
from pathlib import Path

import fsspec
import pytest

from helpers_cli import Result, write_store
from helpers_http import RangeServer, serving
from helpers_lint import CHUNK, array3, group3
from helpers_remote import write_ordered
from zarrdb.db import pager

Cli = Callable[..., Result]

BAD = {
    "zarr.json": group3(attributes={"title": "far"}),
    "t/zarr.json": array3(fill_value="no number"),
    "t/c/0": CHUNK,
    "t/c/7/7/7": b"astray",
    ".DS_Store": b"junk",
    "pad": bytes(1 << 20),
}


@pytest.fixture
def server() -> Iterator[RangeServer]:
    with serving() as running:
        yield running


def rules(result: Result) -> list[tuple[str, str]]:
    (file,) = json.loads(result.out)["files"]
    return [(found["rule"], found["key"]) for found in file["findings"]]


@pytest.mark.parametrize("name", ["x.zarrdb", "x.zip", "x.zarr"])
def test_the_findings_are_those_of_the_file(
    cli: Cli, server: RangeServer, tmp_path: Path, name: str
) -> None:
    path = write_store(tmp_path / name, BAD)
    if name == "x.zarr":
        fsspec.filesystem("memory").put(str(path), "/far/x.zarr", recursive=True)
        url = "memory://far/x.zarr"
    else:
        url = server.put(name, path.read_bytes())
    here, there = cli("check", "--json", path), cli("check", "--json", url)
    assert (there.code, there.err) == (here.code, "")
    assert rules(there) == rules(here)
    assert len(rules(here)) > 2
    (file,) = json.loads(there.out)["files"]
    assert (file["file"], file["status"]) == (url, "checked")
    assert file["integrity_checked"] is (False if name == "x.zarrdb" else None)
    assert (
        "1 file read from afar: pages and beginnings of values not checked (--download)"
        in cli("check", url).out
    )


def test_a_file_that_is_fetched_is_read_whole(
    cli: Cli, server: RangeServer, tmp_path: Path
) -> None:
    data = bytearray(write_store(tmp_path / "x.zarrdb", BAD).read_bytes())
    url = server.put("x.zarrdb", bytes(data))
    result = cli("check", "--json", "--download", "--temp-dir", tmp_path, url)
    assert json.loads(result.out)["files"][0]["integrity_checked"] is True
    assert rules(result) == rules(cli("check", "--json", tmp_path / "x.zarrdb"))
    assert "from afar" not in cli("check", "--download", url).out
    assert sorted(p.name for p in tmp_path.iterdir()) == ["x.zarrdb"]
    # The freelist's first page and count: only a pass over the pages notices them.
    data[32:40] = bytes([0, 0, 0, 3, 0, 0, 0, 1])
    url = server.put("y.zarrdb", bytes(data))
    assert "container/corrupt" in cli("check", "--download", url).out
    assert "container/corrupt" not in cli("check", url).out


def many(count: int) -> list[tuple[str, bytes]]:
    numbers = random.Random(4)
    document = array3(shape=[count], chunk_shape=[1])
    chunks = [(f"t/c/{n}", numbers.randbytes(9000)) for n in range(count)]
    rows = {"zarr.json": group3(), "t/zarr.json": document}
    return [(key, json.dumps(value).encode()) for key, value in rows.items()] + chunks


def test_rows_are_read_in_waves(cli: Cli, server: RangeServer, tmp_path: Path) -> None:
    write_ordered(str(tmp_path / "x.zarrdb"), many(2000))
    url = server.put("x.zarrdb", (tmp_path / "x.zarrdb").read_bytes())
    result = cli("check", "--json", url)
    (file,) = json.loads(result.out)["files"]
    assert (file["keys"], file["sizes_checked"]) == (2002, True)
    size = (tmp_path / "x.zarrdb").stat().st_size
    read = sum(_length(seen.range) for seen in server.log)
    assert read < size
    assert len(server.log) < 2000 // 3


def test_sizes_that_cost_too_much_are_left_out(
    cli: Cli, server: RangeServer, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrdb.db.remote.INDEX_BYTES", 1 << 20)
    assert pager.INDEX_BYTES > 1 << 20
    rows = [*many(2000), ("t/c/9999", b"outside")]
    write_ordered(str(tmp_path / "x.zarrdb"), rows)
    url = server.put("x.zarrdb", (tmp_path / "x.zarrdb").read_bytes())
    result = cli("check", "--json", url)
    (file,) = json.loads(result.out)["files"]
    assert (file["keys"], file["sizes_checked"]) == (2003, False)
    assert ("chunk/outside-grid", "") in [(rule, "") for rule, _ in rules(result)]
    assert len(server.log) <= 6
    server.log.clear()
    assert "sizes of values in 1 file not looked at" in cli("check", url).out


def _length(text: str | None) -> int:
    spans = [span.split("-") for span in (text or "").removeprefix("bytes=").split(",") if span]
    return sum(int(stop) - int(start) + 1 for start, stop in spans)


def test_what_cannot_be_read(cli: Cli, server: RangeServer, tmp_path: Path) -> None:
    data = write_store(tmp_path / "x.zarrdb", BAD).read_bytes()
    good = server.put("good.zarrdb", data)
    result = cli("check", server.url("none.zarrdb"), good)
    assert result.code == 3
    assert "cannot be read: " in result.out
    assert "2 files: 0 clean, 1 with findings" in result.out
    cut = server.put("cut.zarrdb", data[: len(data) // 2])
    result = cli("check", "--json", cut)
    assert result.code == 1
    assert rules(result)[0][0] == "container/truncated"
    assert cli("check", server.put("page", b"<!doctype html>")).code == 3
    assert cli("check", good, "--max-bytes", "1000").code == 3


def test_secrets_stay_secret(cli: Cli, server: RangeServer, tmp_path: Path) -> None:
    url = server.put("x.zarrdb", write_store(tmp_path / "x.zarrdb", BAD).read_bytes())
    for arguments in (
        ["-v"],
        ["--json"],
        ["--format", "sarif"],
        ["--fix"],
        ["--progress", "plain"],
    ):
        for path in (url, server.url("none.zarrdb")):
            result = cli("check", f"{path}?Signature=SECRET", *arguments)
            assert "SECRET" not in result.out + result.err
            assert result.code in (1, 3)


def test_data_is_decoded_from_afar(cli: Cli, server: RangeServer, tmp_path: Path) -> None:
    files = {"zarr.json": group3(), "t/zarr.json": array3(), "t/c/0": b"short"}
    path = write_store(tmp_path / "x.zarrdb", files)
    url = server.put("x.zarrdb", path.read_bytes())
    here, there = (cli("check", "--data", "--json", place) for place in (path, url))
    assert rules(here) == rules(there)
    assert json.loads(there.out)["files"][0]["data_checked"] is True
