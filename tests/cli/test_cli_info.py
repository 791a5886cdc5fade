"""`zarrdb info`: what a file, a group and an array are said to be."""

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from helpers_cli import Result, write_store
from helpers_lint import CHUNK, GROUP2, array2, array3, group3, regular, write_database
from helpers_other import other_process
from zarrdb.cli.info_file import utc
from zarrdb.cli.info_node import conventions, ratio

Cli = Callable[..., Result]

TEMPERATURE = array3(
    shape=[5, 4],
    chunk_grid=regular(1, 4),
    data_type="float32",
    fill_value="NaN",
    codecs=[
        {"name": "transpose", "configuration": {"order": [1, 0]}},
        {"name": "bytes", "configuration": {"endian": "little"}},
        {"name": "zstd", "configuration": {"level": 3, "checksum": False}},
    ],
    dimension_names=["time", None],
    attributes={"units": "K", "standard_name": "air_temperature"},
)

FILES = {
    "zarr.json": group3(attributes={"Conventions": "CF-1.11"}),
    "t/zarr.json": TEMPERATURE,
    "t/c/0/0": b"1234567890",
    "t/c/3/0": b"1234567890",
    "t/c/5/0": b"outside",
    "g/zarr.json": group3(),
    "g/a/zarr.json": array3(),
    "g/a/c/0": CHUNK,
    "g/a/c/1": CHUNK,
    "notes.txt": b"text",
}


@pytest.fixture(params=["s.zarrdb", "s.zarr", "s.zip"])
def store(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    return write_store(tmp_path / request.param, FILES)


@pytest.fixture
def file(tmp_path: Path) -> Path:
    return write_store(tmp_path / "s.zarrdb", FILES)


def facts(result: Result) -> dict[str, str]:
    """The lines of the output by their labels; those that go on have none."""
    assert (result.code, result.err) == (0, "")
    found: dict[str, str] = {}
    label = ""
    for line in result.lines[1:]:
        head, _, text = line.partition("  ")
        label = head or label
        found[label] = f"{found[label]}; {text.strip()}" if not head else text.strip()
    return found


def test_an_array(cli: Cli, store: Path) -> None:
    result = cli("info", store, "t")
    assert result.lines[0] == "t   array, Zarr v3"
    assert {label: " ".join(text.split()) for label, text in facts(result).items()} == {
        "Data type": "float32",
        "Shape": "5 x 4 (time, -)",
        "Chunk shape": "1 x 4 16 B decoded",
        "Fill value": "NaN",
        "Filters": "transpose (order 1 x 0)",
        "Serializer": "bytes (little)",
        "Compressors": "zstd (level 3)",
        "Chunks initialized": "2 of 5 3 absent: c/1/0, c/2/0, c/4/0",
        "No. bytes": "80 B stored 20 B, ratio 4.0",
        "Other keys": "1 7 B",
        "Conventions": "CF",
        "Attributes": 'units = "K"; standard_name = "air_temperature"',
    }


def test_an_array_as_json(cli: Cli, store: Path) -> None:
    members = json.loads(cli("info", "--json", store, "t").out)
    assert next(iter(members)) == "schema"
    for name, value in {
        "schema": 1,
        "path": "t",
        "shape": [5, 4],
        "dimension_names": ["time", None],
        "fill_value": "NaN",
        "item_size": 4,
        "decoded_bytes": 80,
        "stored_bytes": 20,
        "chunks_present": 2,
        "chunks_total": 5,
        "absent": ["c/1/0", "c/2/0", "c/4/0"],
        "other_keys": 1,
        "other_bytes": 7,
        "conventions": ["CF"],
        "attributes": {"units": "K", "standard_name": "air_temperature"},
    }.items():
        assert members[name] == value
    assert members["codecs"][-1] == {"role": "compressor", "label": "zstd (level 3)"}


@pytest.mark.parametrize(
    ("chunks", "text"),
    [
        (range(4), "4 of 4"),
        ((), "0 of 4 none stored"),
        ((1, 2, 3), "3 of 4 1 absent: c/0"),
        ((3,), "1 of 4 3 absent: c/0, c/1, c/2"),
    ],
)
def test_which_chunks_are_absent(
    cli: Cli, tmp_path: Path, chunks: tuple[int, ...], text: str
) -> None:
    files = {"zarr.json": array3(shape=[8]), **{f"c/{number}": CHUNK for number in chunks}}
    file = write_store(tmp_path / "s.zarrdb", files)
    assert " ".join(facts(cli("info", file, "/"))["Chunks initialized"].split()) == text


def test_grids_that_are_too_large_to_look_through(cli: Cli, tmp_path: Path) -> None:
    shape = [2**70, 2**62]
    files = {"zarr.json": array3(shape=shape, chunk_grid=regular(1, 1)), "c/9/9": CHUNK}
    file = write_store(tmp_path / "s.zarrdb", files)
    rows = facts(cli("info", file, "/"))
    assert rows["Shape"] == f"{2**70} x {2**62}"
    assert rows["Chunks initialized"].split()[:3] == ["1", "of", str(2**132)]
    assert "c/0/0, c/0/1, c/0/2, …" in rows["Chunks initialized"]
    members = json.loads(cli("info", "--json", file, "/").out)
    assert members["chunks_total"] == 2**132
    assert members["decoded_bytes"] == 2**134
    assert cli("info", file).code == 0


def test_a_group(cli: Cli, store: Path) -> None:
    result = cli("info", store, "g/")
    assert result.lines[0] == "g   group, Zarr v3"
    assert facts(result)["No. members"].split(maxsplit=1) == ["1", "1 array, 0 groups"]


def test_v2_with_dimension_names_and_both_formats(cli: Cli, tmp_path: Path) -> None:
    files = {
        ".zgroup": GROUP2,
        "a/.zarray": array2(compressor={"id": "zlib", "level": 1}, fill_value=None),
        "a/.zattrs": {"_ARRAY_DIMENSIONS": ["x"]},
        "a/zarr.json": array3(),
    }
    result = cli("info", write_store(tmp_path / "s.zarrdb", files), "a")
    three, two = result.out.split("a   array, Zarr v")[1:]
    assert three.startswith("3")
    assert two.startswith("2")
    assert "(x)" in two
    assert "Fill value          null" in two
    assert "Compressors         zlib (level 1)" in two


def test_chunks_that_both_formats_describe_count_once(cli: Cli, tmp_path: Path) -> None:
    same = {"name": "v2", "configuration": {"separator": "."}}
    files = {".zarray": array2(), "zarr.json": array3(chunk_key_encoding=same), "0": CHUNK}
    rows = facts(cli("info", write_store(tmp_path / "s.zarrdb", files)))
    assert rows["hierarchy"].startswith("Zarr v2 and v3, 0 groups, 2 arrays, 3 keys: 2 documents")
    assert rows["hierarchy"].endswith(", 1 chunk (8 B)")
    assert rows["data"] == "16 B decoded, ratio 2.0, 1 chunk absent"


def test_a_group_without_a_document(cli: Cli, tmp_path: Path) -> None:
    file = write_store(tmp_path / "s.zarrdb", {"g/a/zarr.json": array3()})
    assert cli("info", file, "g").lines[0] == "g   implicit group"
    assert facts(cli("info", file))["hierarchy"].startswith(
        "Zarr v3, 0 groups, 1 array, 2 implicit groups, 1 key: 1 document"
    )


def test_a_broken_node(cli: Cli, tmp_path: Path) -> None:
    file = write_store(tmp_path / "s.zarrdb", {"a/zarr.json": b"{"})
    rows = facts(cli("info", file, "a"))
    assert list(rows) == ["Problem"]
    assert rows["Problem"].startswith("zarr.json is not JSON (1:")
    assert "1 broken node" in facts(cli("info", file))["hierarchy"]


class TestAttributes:
    """The first of them on a terminal, all of them elsewhere."""

    @pytest.fixture
    def file(self, tmp_path: Path) -> Path:
        attributes = {f"name{number}": "é" * 100 for number in range(50)}
        return write_store(tmp_path / "s.zarrdb", {"zarr.json": group3(attributes=attributes)})

    def test_on_a_terminal(self, cli: Cli, file: Path) -> None:
        lines = cli("info", file, "/", terminal=True, env={"NO_COLOR": "1"}).lines
        shown = [line for line in lines if "name" in line]
        assert len(shown) == 20
        assert all(len(line) == 80 and line.endswith("é…") for line in shown)
        assert lines[-1].strip() == "30 more (-v)"

    @pytest.mark.parametrize(("options", "terminal"), [([], False), (["-v"], True)])
    def test_in_full(self, cli: Cli, file: Path, options: list[str], terminal: bool) -> None:
        lines = cli("info", *options, file, "/", terminal=terminal).lines
        assert sum(line.endswith('é"') for line in lines) == 50


def test_a_file(cli: Cli, file: Path) -> None:
    result = cli("info", file)
    rows = facts(result)
    assert result.lines[0] == f"{file}   SQLiteStore 1.0"
    assert rows["file"].endswith("KiB, page size 4096, UTF-8, self-contained, no free pages")
    assert rows["hierarchy"].startswith("Zarr v3, 2 groups, 2 arrays, 10 keys: 4 documents (")
    assert rows["hierarchy"].endswith("), 4 chunks (36 B), 2 others (11 B)")
    assert rows["data"] == "96 B decoded, ratio 2.7, 3 chunks absent"
    assert rows["largest"] == "t 20 B, g/a 16 B"
    assert rows["declares"] == "CF"


@pytest.mark.parametrize(("name", "kind"), [("s.zarr", "directory store"), ("s.zip", "zip store")])
def test_other_kinds(cli: Cli, tmp_path: Path, name: str, kind: str) -> None:
    store = write_store(tmp_path / name, FILES)
    result = cli("info", store)
    assert result.lines[0] == f"{store}   {kind}"
    assert "file" not in facts(result)
    members = json.loads(cli("info", "--json", store).out)
    assert members["kind"] == kind.split()[0]
    assert members["container"] is None


def test_a_file_as_json(cli: Cli, file: Path) -> None:
    members = json.loads(cli("info", "--json", file).out)
    assert members["schema"] == 1
    assert members["container"]["version"] == "1.0"
    assert members["container"]["bytes"] == file.stat().st_size
    assert members["container"]["problems"] == []
    assert members["hierarchy"] == {
        "zarr_formats": [3],
        "groups": 2,
        "arrays": 2,
        "implicit_groups": 0,
        "broken": 0,
        "keys": 10,
        "documents": 4,
        "document_bytes": sum(
            len(json.dumps(value)) for key, value in FILES.items() if key.endswith("zarr.json")
        ),
        "chunks": 4,
        "chunk_bytes": 36,
        "other_keys": 2,
        "other_bytes": 11,
    }
    assert members["largest"][0] == {"path": "t", "stored_bytes": 20}


def records(**given: str) -> list[tuple[str, str]]:
    required = {"sqlitestore_version": "1.3", "compatible_flags": "", "incompatible_flags": ""}
    return list({**required, **given}.items())


def test_what_the_records_say(cli: Cli, tmp_path: Path) -> None:
    given = records(
        created_by="x\x1b[31m\n 1",
        modified_at="2026-11-30T06:30:00.500+02:30",
        compatible_flags="faster",
    )
    file = write_database(str(tmp_path / "s.zarrdb"), records=given)
    result = cli("info", file)
    assert result.lines[0] == (
        f"{file}   SQLiteStore 1.3, written by x\\x1b[31m\\x0a 1 at 2026-11-30T04:00:00Z, "
        "flags faster"
    )
    container = json.loads(cli("info", "--json", file).out)["container"]
    assert container["created_by"] == "x\x1b[31m\n 1"
    assert container["modified_at"] == "2026-11-30T04:00:00.500000Z"


@pytest.mark.parametrize(
    ("time", "expected"),
    [
        ("2026-11-30T04:00:00Z", "2026-11-30T04:00:00Z"),
        ("2026-11-30T04:00:00", "2026-11-30T04:00:00Z"),
        ("2026-11-30 23:00:00-05:00", "2026-12-01T04:00:00Z"),
        ("0001-01-01T00:00:00+10:00", "0001-01-01T00:00:00+10:00"),
        ("yesterday", "yesterday"),
        ("", ""),
    ],
)
def test_times_are_utc(time: str, expected: str) -> None:
    assert utc(time) == expected


def test_free_pages_and_wal(cli: Cli, tmp_path: Path) -> None:
    file = write_store(tmp_path / "s.zarrdb", {"a": bytes(100_000), "b": b"1"})
    connection = sqlite3.connect(file, isolation_level=None)
    connection.execute("DELETE FROM zarr WHERE k = 'a'")
    connection.execute("PRAGMA journal_mode = WAL")
    connection.close()
    rows = facts(cli("info", file))
    assert "WAL mode, self-contained, 9" in rows["file"]
    assert rows["file"].endswith(" KiB in free pages")
    assert "wal-mode" in rows["problems"]


def test_an_empty_store(cli: Cli, tmp_path: Path) -> None:
    assert facts(cli("info", write_store(tmp_path / "s.zarrdb", {})))["hierarchy"] == (
        "no node, 0 keys"
    )


@pytest.mark.parametrize(
    ("attributes", "expected"),
    [
        (None, []),
        ({}, []),
        ({"units": "m"}, []),
        ({"ome": {}}, ["OME-NGFF"]),
        ({"multiscales": []}, ["OME-NGFF"]),
        ({"encoding-type": "anndata"}, ["AnnData"]),
        ({"proj:code": "EPSG:1", "Conventions": 1}, ["CF", "GeoZarr"]),
    ],
)
def test_conventions_by_name(attributes: dict[str, object] | None, expected: list[str]) -> None:
    assert conventions(attributes) == expected


@pytest.mark.parametrize(
    ("decoded", "stored", "expected"),
    [(0, 0, None), (0, 5, None), (5, 0, None), (23, 10, "2.3"), (2**2000, 2**1999, "2.0")],
)
def test_ratio(decoded: int, stored: int, expected: str | None) -> None:
    assert ratio(decoded, stored) == expected


def test_a_file_that_is_being_written_is_said_to_be(cli: Cli, file: Path) -> None:
    with other_process(file) as writer:
        writer.run("BEGIN IMMEDIATE")
        writer.run("INSERT INTO zarr VALUES ('open', x'02')")
        found = facts(cli("info", file))
        assert ", being written, " in found["file"]
        assert found["remote"] == "not known while it is being written"
        assert "problems" not in found
        assert json.loads(cli("info", "--json", file).out)["container"]["self_contained"] is False
        writer.run("ROLLBACK")
    assert ", self-contained, " in facts(cli("info", file))["file"]
