"""Blosc2 frames in every command that looks at files or copies them."""

import csv
import io
import json
import os
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import blosc2  # type: ignore[import-untyped]
import fsspec
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nst

import zarrdb
from helpers_cli import Result, peak_memory, run_in_process
from helpers_frame import frame_of, items_of
from helpers_http import RangeServer, serving
from helpers_lint_frames import garbled, sparse
from helpers_transfer import leftovers, require_sound
from zarrdb.frame.geometry import Geometry

Cli = Callable[..., Result]

# zarr-python warns about data types that have no specification yet.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")

ITEMS = np.arange(365 * 18 * 36, dtype="<f4").reshape(365, 18, 36)
ATTRIBUTES: dict[str, Any] = {"units": "K", "long_name": "temperature", "range": [0, 1.5]}
FRAME = frame_of(ITEMS, chunks=(50, 18, 36), blocks=(10, 18, 36), vlmeta=ATTRIBUTES)


@pytest.fixture
def frame(tmp_path: Path) -> Path:
    path = tmp_path / "t.b2nd"
    path.write_bytes(FRAME)
    return path


@pytest.fixture
def server() -> Iterator[RangeServer]:
    with serving() as running:
        yield running


def array_of(path: Path, node: str = "") -> Any:
    return zarrdb.open_array(path, path=node)


# Looking


def test_ls_lists_the_one_array(cli: Cli, frame: Path) -> None:
    assert cli("ls", frame).lines == ["t.b2nd"]
    assert cli("ls", "-R", frame).lines == ["t.b2nd"]
    (row,) = cli("ls", "-l", frame).lines
    stored = str(len(FRAME) - 1)
    kind, data_type, shape, chunks, present, stored, name, problem = row.split("\t")
    assert (kind, data_type, name, problem) == ("array", "float32", "t.b2nd", "")
    assert (shape, chunks, present) == ("365 x 18 x 36", "50 x 18 x 36", "8/8")
    assert 0 < int(stored) < len(FRAME)
    assert "365 x 18 x 36  8/8 chunks" in cli("ls", "--tree", frame).out
    assert json.loads(cli("ls", "--attributes", frame).out.split("\t")[-1]) == ATTRIBUTES


def test_ls_as_json_has_the_members_of_other_arrays(cli: Cli, frame: Path, tmp_path: Path) -> None:
    found = json.loads(cli("ls", "--json", frame).out)
    assert cli("import", frame, "-q", "-o", tmp_path / "t.zarrdb").code == 0
    array = json.loads(cli("ls", "--json", tmp_path / "t.zarrdb").out)
    for member in ("zarr_format", "stored_bytes"):
        del found[member], array[member]
    assert found == array
    assert next(iter(found)) == "schema"


def test_never_written_chunks_are_not_present(cli: Cli, tmp_path: Path) -> None:
    made = blosc2.uninit((40,), dtype="<i4", chunks=(10,))
    made[10:20] = 7
    (tmp_path / "x.b2nd").write_bytes(made.to_cframe())
    found = json.loads(cli("ls", "--json", tmp_path / "x.b2nd").out)
    assert (found["chunks_present"], found["chunks_total"]) == (1, 4)
    found = json.loads(cli("info", "--json", tmp_path / "x.b2nd").out)["chunks"]
    assert found == {
        "total": 4, "written": 1, "stored": 1, "zeros": 0, "nan": 0, "unwritten": 3
    }  # fmt: skip


def test_info_tells_what_the_container_is(cli: Cli, frame: Path) -> None:
    result = cli("info", frame)
    assert result.lines[0] == f"{frame}   Blosc2 frame, version 2, contiguous"
    rows = {line[:11].strip(): line[11:] for line in result.lines[1:]}
    assert rows["remote"] == "ready: opens in 1 round trip (2 requests), a chunk in 1 more"
    assert rows["data type"] == "float32"
    assert rows["shape"] == "365 x 18 x 36, chunks 50 x 18 x 36, blocks 10 x 18 x 36"
    assert rows["codec"] == "shuffle, zstd (level 5)"
    assert rows["chunks"] == "8 of 8 written"
    assert rows["attributes"] == 'units = "K"'
    found = json.loads(cli("info", "--json", frame).out)
    assert (found["schema"], found["kind"], found["attributes"]) == (1, "frame", ATTRIBUTES)
    assert found["container"]["bytes"] == len(FRAME)
    assert found["container"]["filters"] == ["shuffle"]
    assert found["array"]["block_shape"] == [10, 18, 36]
    for node in ("/", "."):
        assert cli("info", frame, node).out == result.out


def test_special_chunks_and_what_follows_the_frame_are_told(cli: Cli, tmp_path: Path) -> None:
    items = np.zeros((60, 40), ">f8")
    items[:10] = 5
    (tmp_path / "x.b2nd").write_bytes(frame_of(items, chunks=(10, 40)) + bytes(2048))
    result = cli("info", tmp_path / "x.b2nd")
    assert "6 of 6 written; without bytes of their own: 5 zeros" in result.out
    assert "float64, big-endian" in result.out
    assert "2.0 KiB behind the frame" in result.out
    assert "opens in 2 round trips (3 requests)" in result.out


@pytest.mark.parametrize("text", ["", "3", "5:100:7, 0, ::-5", "-1, ..., 2:4", "10:10"])
def test_cat_prints_what_was_selected(cli: Cli, frame: Path, text: str) -> None:
    expected = ITEMS[eval(f"np.s_[{text}]") if text else ...]
    assert cli("cat", frame, "--slice", text, "--format", "raw").stdout == expected.tobytes()
    found = np.load(io.BytesIO(cli("cat", frame, "--slice", text, "--format", "npy").stdout))
    assert np.array_equal(found, expected)
    found = json.loads(cli("cat", frame, "/", "--slice", text, "--format", "json").out)
    assert np.array_equal(np.array(found, "f4").reshape(expected.shape), expected)
    if expected.ndim > 1 and expected.size:
        rows = list(csv.reader(cli("cat", frame, "--slice", text, "--format", "csv").lines))
        assert np.array_equal(np.array(rows, "f4").ravel(), expected.ravel())


def test_cat_prints_the_attributes(cli: Cli, frame: Path) -> None:
    for node in ("/", "", "."):
        assert json.loads(cli("cat", frame, "--attributes", node).out) == ATTRIBUTES


@pytest.mark.parametrize(
    "arguments",
    [
        ("cat", "c/0"),
        ("cat", "zarr.json"),
        ("cat", "--attributes", "a"),
        ("cat", "a", "--slice", "0"),
        ("ls", "--keys"),
        ("ls", "a"),
        ("info", "a"),
    ],
    ids=" ".join,
)
def test_a_frame_has_no_keys_and_no_other_node(
    cli: Cli, frame: Path, arguments: tuple[str, ...]
) -> None:
    command, *rest = arguments
    result = cli(command, frame, *rest)
    assert (result.code, result.out) == (1, "")
    first, second = result.err.splitlines()
    assert first.startswith(f"zarrdb: {frame}: ")
    assert second.startswith("hint: ")


@pytest.mark.parametrize("text", ["1, 2, 3, 4", "365", "a:b"])
def test_a_slice_that_does_not_fit_is_a_mistake(cli: Cli, frame: Path, text: str) -> None:
    assert cli("cat", frame, "--slice", text).code == 2
    assert cli("import", frame, "--slice", text).code == 2
    assert sorted(os.listdir(frame.parent)) == ["t.b2nd"]


def test_an_unexpected_frame_is_named(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.zarrdb").write_bytes(FRAME)
    result = cli("ls", tmp_path / "x.zarrdb")
    assert result.lines == ["x.zarrdb"]
    assert result.err == f"note: {tmp_path / 'x.zarrdb'} is a Blosc2 frame\n"


def test_broken_attributes_hide_nothing_else(cli: Cli, tmp_path: Path) -> None:
    at = FRAME.rindex(b"units")
    (tmp_path / "x.b2nd").write_bytes(FRAME[:at] + b"\xff" + FRAME[at + 1 :])
    found = json.loads(cli("ls", "--json", tmp_path / "x.b2nd").out)
    assert found["attributes"] is None
    assert "metalayer" in found["problem"]
    assert "problem" in cli("info", tmp_path / "x.b2nd").out


@pytest.mark.parametrize("command", ["ls", "info", "import", "export", "cat"])
def test_a_sparse_frame_is_named_by_every_command(cli: Cli, command: str, tmp_path: Path) -> None:
    def incomplete(path: str) -> None:
        os.unlink(os.path.join(path, "00000001.chunk"))

    path = sparse(incomplete)(str(tmp_path))
    more = ["--slice", "0"] if command == "cat" else []
    result = cli(command, path, *more)
    assert result.code == 3
    assert "a sparse frame, a directory with a file for each chunk; 1 missing" in result.err
    assert "hint: " in result.err
    assert os.listdir(tmp_path) == ["x.b2nd"]


@pytest.mark.parametrize("command", ["ls", "info", "import", "export"])
@pytest.mark.parametrize("package", ["blosc2", "msgpack"])
def test_without_its_packages_the_extra_is_named(
    cli: Cli, frame: Path, command: str, package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    if package == "blosc2" and command == "ls":
        assert cli("ls", frame).code == 0
        return
    result = cli(command, frame)
    assert result.code == 3
    first, second = result.err.splitlines()
    assert f"needs the package {package}" in first
    assert second == "hint: pip install 'zarrdb[blosc2]'"
    assert os.listdir(frame.parent) == ["t.b2nd"]


# Importing and exporting


@pytest.mark.parametrize("options", [(), ("--zarr-format", "2"), ("--codec", "blosc:9")])
def test_import_writes_the_same_array(
    cli: Cli, frame: Path, tmp_path: Path, options: tuple[str, ...]
) -> None:
    result = cli("import", frame, "--verify", *options)
    assert result.code == 0
    assert result.out.endswith(", verified\n")
    require_sound(tmp_path / "t.zarrdb")
    array = array_of(tmp_path / "t.zarrdb")
    assert (array.shape, array.dtype, array.chunks) == (ITEMS.shape, ITEMS.dtype, (50, 18, 36))
    assert array.attrs.asdict() == ATTRIBUTES
    assert np.array_equal(array[...], ITEMS)
    assert sorted(os.listdir(tmp_path)) == ["t.b2nd", "t.zarrdb"]
    assert cli("check", "--data", tmp_path / "t.zarrdb").code == 0


def test_the_codec_is_the_one_that_was_named(cli: Cli, frame: Path, tmp_path: Path) -> None:
    sizes = {}
    for codec in ("none", "zstd", "zstd:19", "gzip:9", "blosc"):
        target = tmp_path / "x.zarrdb"
        assert cli("import", frame, target, "--codec", codec, "--overwrite").code == 0
        document = json.loads(cli("cat", target, "zarr.json").out)
        names = [step["name"] for step in document["codecs"]]
        assert names == ["bytes", *([codec.partition(":")[0]] if codec != "none" else [])]
        sizes[codec] = target.stat().st_size
    assert max(sizes, key=lambda codec: sizes[codec]) == "none"
    assert cli("import", frame, target, "--codec", "lzma").code == 2


def test_a_part_is_imported(cli: Cli, frame: Path, tmp_path: Path) -> None:
    result = cli("import", frame, "-o", tmp_path / "p.zarrdb", "--slice", "40:130:2, 3, ::-1")
    assert result.code == 0
    array = array_of(tmp_path / "p.zarrdb")
    assert np.array_equal(array[...], ITEMS[40:130:2, 3, ::-1])
    assert array.chunks == (50, 36)


def test_a_frame_goes_where_it_is_told(cli: Cli, frame: Path, tmp_path: Path) -> None:
    assert cli("import", frame, "-o", tmp_path / "x.zarrdb", "--path", "a/t").code == 0
    assert cli("ls", "-R", tmp_path / "x.zarrdb").lines == ["a/", "a/t"]
    assert np.array_equal(array_of(tmp_path / "x.zarrdb", "a/t")[...], ITEMS)


def test_import_and_its_rules_for_what_exists(cli: Cli, frame: Path, tmp_path: Path) -> None:
    target = tmp_path / "t.zarrdb"
    target.write_bytes(b"something")
    result = cli("import", frame)
    assert (result.code, "exists already" in result.err) == (3, True)
    assert cli("import", frame, "--skip-existing").out == f"{target}: exists, skipped\n"
    assert target.read_bytes() == b"something"
    target.unlink()
    result = cli("import", frame, "-n")
    assert result.code == 0
    assert "would copy 9 keys, 1,013.2 KiB" in result.out
    assert "sizes are those of decoded chunks" in result.err
    assert os.listdir(tmp_path) == ["t.b2nd"]
    assert cli("import", frame).code == 0
    first = target.read_bytes()
    assert cli("import", frame, "--overwrite", "-j", "3").code == 0
    assert target.read_bytes() == first


def test_temporary_data_goes_where_it_is_told(cli: Cli, frame: Path, tmp_path: Path) -> None:
    (tmp_path / "temporary").mkdir()
    options = ("--temp-dir", tmp_path / "temporary")
    assert cli("import", frame, *options).code == 0
    assert os.listdir(tmp_path / "temporary") == []
    assert leftovers(tmp_path) == []


def test_options_of_frames_do_not_fit_stores(cli: Cli, frame: Path, tmp_path: Path) -> None:
    assert cli("export", frame, tmp_path / "s.zarr").code == 0
    for option in (("--slice", "0"), ("--codec", "none"), ("--zarr-format", "2")):
        result = cli("import", tmp_path / "s.zarr", *option)
        assert (result.code, "are for Blosc2 frames" in result.err) == (2, True)


def test_a_damaged_frame_leaves_nothing(cli: Cli, tmp_path: Path) -> None:
    (tmp_path / "x.b2nd").write_bytes(garbled())
    result = cli("import", tmp_path / "x.b2nd")
    assert (result.code, "chunk 2" in result.err) == (3, True)
    assert os.listdir(tmp_path) == ["x.b2nd"]


def test_several_frames_at_once(cli: Cli, tmp_path: Path) -> None:
    for number in range(3):
        (tmp_path / f"{number}.b2nd").write_bytes(frame_of(np.arange(number + 1)))
    (tmp_path / "3.b2nd").write_bytes(b"no frame")
    result = cli("import", *sorted(tmp_path.glob("*.b2nd")), "-d", tmp_path / "out")
    assert result.code == 3
    assert result.lines[-1].startswith("4 sources: 3 written, 1 failed")
    assert array_of(tmp_path / "out" / "2.zarrdb")[...].tolist() == [0, 1, 2]


@pytest.mark.parametrize("kind", ["zarr", "zip", "zarrdb", "tar"])
def test_a_frame_is_exported_as_any_store(cli: Cli, frame: Path, tmp_path: Path, kind: str) -> None:
    target = tmp_path / f"x.{kind}"
    assert cli("export", frame, target, "--verify").code == 0
    if kind != "tar":
        assert cli("cat", target, "/", "--slice", "", "--format", "raw").stdout == ITEMS.tobytes()
    assert leftovers(tmp_path) == []


def test_a_frame_is_exported_to_a_url_and_to_standard_output(
    cli: Cli, frame: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    memory = fsspec.filesystem("memory")
    try:
        assert cli("export", frame, "memory://frames/t.zarr").code == 0
        assert cli("export", frame, "memory://frames/t.zarrdb").code == 0
        raw = ("--slice", "", "--format", "raw")
        for name in ("t.zarr", "t.zarrdb"):
            assert cli("cat", f"memory://frames/{name}", "/", *raw).stdout == ITEMS.tobytes()
        url = "memory://frames/t.b2nd"
        assert cli("export", "memory://frames/t.zarrdb", url, "--verify").code == 0
        assert cli("cat", url, *raw).stdout == ITEMS.tobytes()
    finally:
        memory.rm("/frames", recursive=True)
    assert b"zarr.json" in cli("export", frame, "-").stdout
    assert os.listdir(tmp_path / "here") == []


def test_export_writes_what_blosc2_reads(cli: Cli, frame: Path, tmp_path: Path) -> None:
    store = tmp_path / "x.zarrdb"
    assert cli("import", frame, "-o", store, "--path", "a/t").code == 0
    target = tmp_path / "again.b2nd"
    result = cli("export", store, target, "--path", "a/t", "--verify")
    assert result.code == 0
    assert "8 chunks, " in result.out
    found = blosc2.open(str(target), mode="r")
    assert (found.shape, found.chunks, found.dtype) == (ITEMS.shape, (50, 18, 36), ITEMS.dtype)
    assert dict(found.schunk.vlmeta[:]) == ATTRIBUTES
    assert np.array_equal(found[...], ITEMS)
    result = cli("export", store, target, "--path", "a/t")
    assert (result.code, "exists already" in result.err) == (3, True)
    assert cli("export", store, target, "--path", "a/t", "--overwrite").code == 0
    report = json.loads(
        cli("export", store, tmp_path / "n.b2nd", "--path", "a/t", "-n", "--json").out
    )
    assert (report["status"], report["keys"]) == ("planned", 8)
    assert sorted(os.listdir(tmp_path)) == ["again.b2nd", "t.b2nd", "x.zarrdb"]


def test_export_wants_one_array(cli: Cli, tmp_path: Path) -> None:
    zarr.create_group(tmp_path / "x.zarr").create_array("a", shape=(3,), dtype="i4")
    for path, word in (("", "is a group"), ("b", "no node")):
        result = cli("export", tmp_path / "x.zarr", tmp_path / "x.b2nd", "--path", path)
        assert result.code == 1
        assert word in result.err
        assert "hint: " in result.err
    assert os.listdir(tmp_path) == ["x.zarr"]


def test_what_a_frame_has_no_place_for_is_told(cli: Cli, tmp_path: Path) -> None:
    zarr.create_array(
        tmp_path / "x.zarr",
        shape=(3, 2),
        dtype="i4",
        dimension_names=["y", "x"],
        attributes={"short": 1, "a name of more than thirty-one bytes": 2},
    )
    result = cli("export", tmp_path / "x.zarr", tmp_path / "x.b2nd")
    assert result.code == 0
    assert "attributes that cannot be kept: a name of more than thirty-one bytes" in result.err
    assert "no place for dimension names" in result.err


def test_only_a_frame_is_replaced_by_one(cli: Cli, frame: Path, tmp_path: Path) -> None:
    assert cli("import", frame).code == 0
    (tmp_path / "notes.b2nd").write_text("not to be lost")
    result = cli("export", tmp_path / "t.zarrdb", tmp_path / "notes.b2nd", "--overwrite")
    assert (result.code, "is a text file" in result.err) == (3, True)
    assert cli("export", frame, tmp_path / "u.b2nd").code == 2


@settings(max_examples=25)
@given(data=st.data())
def test_any_frame_makes_the_way_there_and_back(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("way")
    dtype = np.dtype(data.draw(st.sampled_from(["?", "<i2", ">i4", "<f8", ">f4", "S3", "<U2"])))
    shape = data.draw(nst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=8))
    chunks = tuple(data.draw(st.integers(1, n + 2)) for n in shape) if all(shape) else None
    zarr_format = data.draw(st.sampled_from(["2", "3"]))
    attributes = data.draw(
        st.dictionaries(
            st.text("abcé", min_size=1, max_size=8),
            st.recursive(
                st.none() | st.booleans() | st.integers(-(2**63), 2**63) | st.text("xyé"),
                lambda inner: st.lists(inner, max_size=3),
                max_leaves=4,
            ),
            max_size=4,
        )
    )
    items = items_of(dtype, shape)
    made = blosc2.uninit(shape, dtype=dtype, chunks=chunks)
    written = []
    if all(shape):
        cells = Geometry(shape, made.chunks, made.chunks, dtype.itemsize)
        written = data.draw(st.lists(st.integers(0, cells.nchunks - 1), unique=True))
        expected = np.zeros(shape, dtype)
        for number in written:
            part: Any = (*cells.region(number), ...)
            expected[part] = items[part]
            made[part] = np.ascontiguousarray(items[part])
    else:
        expected = items
    for name, value in attributes.items():
        made.schunk.vlmeta[name] = value
    (folder / "a.b2nd").write_bytes(made.to_cframe())
    result = run_in_process("import", folder / "a.b2nd", "--zarr-format", zarr_format, "--verify")
    assert result.code == 0, result.err
    array = array_of(folder / "a.zarrdb")
    assert array.attrs.asdict() == attributes
    assert np.asarray(array[...], dtype).tobytes() == expected.tobytes()
    listed = run_in_process("ls", "--json", folder / "a.zarrdb").out
    assert json.loads(listed)["chunks_present"] == len(written)
    result = run_in_process("export", folder / "a.zarrdb", folder / "b.b2nd", "--verify")
    assert result.code == 0, result.err
    back = blosc2.open(str(folder / "b.b2nd"), mode="r")
    assert (back.shape, back.dtype) == (shape, dtype)
    assert back[...].tobytes() == expected.tobytes()
    assert dict(back.schunk.vlmeta[:]) == attributes


@pytest.mark.skipif(sys.platform != "linux", reason="memory is counted on Linux only")
def test_memory_does_not_grow_with_the_array(tmp_path: Path) -> None:
    peaks = {}
    for name, length in (("small", 32), ("large", 320)):
        items = np.arange(length << 18, dtype="<u4").reshape(length, 512, 512)
        blosc2.asarray(
            items, chunks=(1, 512, 512), urlpath=str(tmp_path / f"{name}.b2nd"), mode="w"
        )
        del items
        source, target = tmp_path / f"{name}.b2nd", tmp_path / f"{name}.zarrdb"
        there = peak_memory("import", source, "-o", target, "-j", "2")
        back = peak_memory("export", target, tmp_path / f"{name}2.b2nd", "-j", "2")
        peaks[name] = (there, back)
    # 288 MiB more of items.
    for small, large in zip(peaks["small"], peaks["large"], strict=True):
        assert large < small + 64, peaks


# From afar


def test_every_command_takes_a_url(cli: Cli, server: RangeServer, tmp_path: Path) -> None:
    url = server.put("t.b2nd", FRAME)
    assert cli("ls", url).lines == ["t.b2nd"]
    assert cli("info", url).lines[0].startswith(url)
    assert cli("cat", url, "--slice", "7, 3, :2").out == "{:.1f}\n{:.1f}\n".format(*ITEMS[7, 3, :2])
    assert json.loads(cli("cat", url, "--attributes", "/").out) == ATTRIBUTES
    assert cli("check", "--data", url).code == 0
    assert cli("import", url, "-o", tmp_path / "x.zarrdb", "--verify").code == 0
    assert np.array_equal(array_of(tmp_path / "x.zarrdb")[...], ITEMS)
    assert {seen.method for seen in server.log} == {"GET"}


def test_only_what_is_touched_is_fetched(cli: Cli, server: RangeServer) -> None:
    items = np.random.default_rng(1).random((64, 256, 256), "f4")
    data = frame_of(items, chunks=(2, 256, 256), blocks=(1, 64, 256))
    url = server.put("t.b2nd", data)
    result = cli("cat", url, "--slice", "10:12, ::64, 0", "-v")
    assert np.array_equal(np.array(result.out.split(), "f4").reshape(2, 4), items[10:12, ::64, 0])
    # Head and tail, then one chunk of the 32.
    assert len(server.log) <= 3
    fetched = int(float(result.err.split("requests, ")[1].split(" KiB")[0]) * 1024)
    assert fetched < len(data) // 16
    server.log.clear()
    assert cli("ls", "-l", url).code == 0
    assert len(server.log) == 2


def test_an_import_reads_neighbours_together(cli: Cli, server: RangeServer, tmp_path: Path) -> None:
    items = np.random.default_rng(1).random((64, 256, 256), "f4")
    url = server.put("t.b2nd", frame_of(items, chunks=(1, 64, 128)))
    assert cli("import", url, "-o", tmp_path / "x.zarrdb").code == 0
    # 512 chunks: head and tail, then two runs of 8 MiB.
    assert len(server.log) <= 6
    server.log.clear()
    options = ("--slice", "::4, 10:100", "-o", tmp_path / "y.zarrdb")
    assert cli("import", url, *options).code == 0
    assert np.array_equal(array_of(tmp_path / "y.zarrdb")[...], items[::4, 10:100])
    # 16 planes of two rows of chunks, which are neighbours in the frame.
    assert len(server.log) <= 2 + 2 * 16


def test_a_signed_url_stays_secret(cli: Cli, server: RangeServer, tmp_path: Path) -> None:
    url = server.put("t.b2nd", FRAME) + "?Signature=SECRET"
    for arguments in (
        ("ls", "-l", url),
        ("ls", "--json", url),
        ("info", "--json", "-vv", url),
        ("cat", url, "key"),
        ("import", url, "-o", tmp_path / "x.zarrdb", "--json"),
        ("check", url),
    ):
        result = cli(*arguments)
        assert "SECRET" not in result.out + result.err, arguments
    assert cli("ls", url).lines == ["t.b2nd"]


def test_a_server_without_ranges_wants_a_download(
    cli: Cli, server: RangeServer, tmp_path: Path
) -> None:
    server.ranges = "none"
    url = server.put("t.b2nd", FRAME + bytes(1 << 20))
    result = cli("ls", url)
    assert result.code == 3
    assert "hint: --download fetches the whole file" in result.err
    (tmp_path / "temporary").mkdir()
    options = ("--download", "--temp-dir", tmp_path / "temporary")
    assert cli("ls", url, *options).lines == ["t.b2nd"]
    assert cli("cat", url, "--slice", "0, 0, 1", *options).out == "1.0\n"
    assert os.listdir(tmp_path / "temporary") == []
