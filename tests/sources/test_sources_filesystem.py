"""Directories and zips far away, as sources of keys and values."""

import io
import random
import tarfile
import threading
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

import fsspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers_http import RangeServer, serving
from helpers_s3 import bucket
from helpers_transport import Naps, counting_reader
from zarrdb.errors import (
    NotFoundError,
    RemoteForbiddenError,
    ShortAnswerError,
    TruncatedError,
    UnreachableError,
)
from zarrdb.keys import Child, Entry, KeySource
from zarrdb.location import parse
from zarrdb.sources.filesystem import FilesystemSource, open_folder
from zarrdb.sources.remote_zip import RemoteZipSource
from zarrdb.transport.opening import open_reader

STORE = {
    "zarr.json": b'{"zarr_format": 3, "node_type": "group"}',
    "a/zarr.json": b'{"zarr_format": 3, "node_type": "array"}',
    **{f"a/c/{i}/{j}": bytes([i, j]) * 50 for i in range(4) for j in range(12)},
    "a-b/.zarray": b"{}",
    **{f"a-b/{i}.0": b"x" * i for i in range(12)},
    "deep/er/still/zarr.json": b"{}",
    "läb el/zarr.json": b"{}",
    "big": bytes(range(256)) * 4000,
}
ENTRIES = [Entry(key, len(STORE[key])) for key in sorted(STORE)]


@pytest.fixture
def memory() -> Iterator[Any]:
    filesystem = fsspec.filesystem("memory")
    for key, value in STORE.items():
        filesystem.pipe_file(f"/stores/s.zarr/{key}", value)
    filesystem.pipe_file("/stores/other/zarr.json", b"not ours")
    yield filesystem
    filesystem.rm("/stores", recursive=True)


@pytest.fixture
def source(memory: Any) -> Iterator[FilesystemSource]:
    found = FilesystemSource(memory, "/stores/s.zarr", "memory://stores/s.zarr", sleep=Naps())
    yield found
    found.close()
    found.close()


def test_files_are_keys_in_order(source: FilesystemSource) -> None:
    assert isinstance(source, KeySource)
    assert list(source.entries()) == ENTRIES
    for prefix in ("a/", "a/c/1/", "a-b/", "deep/", "none/"):
        assert list(source.entries(prefix)) == [e for e in ENTRIES if e.key.startswith(prefix)]
    for after in ("a", "a/c/1/3", "a-b/3.0", "deep/er", "zz", ""):
        assert list(source.entries(after=after)) == [e for e in ENTRIES if e.key > after]
    assert list(source.remarks()) == []


def test_children_are_files_and_folders(source: FilesystemSource) -> None:
    names = ["a", "a-b", "big", "deep", "läb el", "zarr.json"]
    files = {"big", "zarr.json"}
    assert list(source.children()) == [Child(n, n in files, n not in files) for n in names]
    assert [child.name for child in source.children("a/c/")] == ["0", "1", "2", "3"]
    assert list(source.children("none/")) == []


def test_values_and_parts_of_them(source: FilesystemSource) -> None:
    keys = [*STORE, "none", "a", "a/c", "", "../other/zarr.json", "a//c"]
    assert list(source.get_many(keys)) == [(key, STORE.get(key)) for key in keys]
    assert source.get("big") == STORE["big"]
    assert source.size("big") == len(STORE["big"])
    assert source.size("a/c") is None
    assert source.size("none") is None
    for offset, length in [(0, 5), (-5, None), (-5, 2), (10**6, 5), (1_023_999, 10), (7, None)]:
        value = STORE["big"]
        start = max(0, len(value) + offset) if offset < 0 else offset
        expected = value[start:] if length is None else value[start : start + length]
        assert source.get_range("big", offset, length) == expected
    assert source.get_range("none", 0, 1) is None
    assert b"".join(source.stream("big", 100_000)) == STORE["big"]
    with pytest.raises(NotFoundError):
        list(source.stream("none"))


def test_what_is_no_part_of_a_store_is_left_out_and_told(memory: Any) -> None:
    memory.pipe_file("/stores/s.zarr/.DS_Store", b"junk")
    memory.pipe_file("/stores/s.zarr/a/c/._0", b"junk")
    source = FilesystemSource(memory, "/stores/s.zarr", "s")
    assert list(source.entries()) == ENTRIES
    assert sorted(remark.key for remark in source.remarks()) == [".DS_Store", "a/c/._0"]
    assert ".DS_Store" not in [child.name for child in source.children()]
    kept = FilesystemSource(memory, "/stores/s.zarr", "s", keep_junk=True)
    assert len(list(kept.entries())) == len(ENTRIES) + 2
    source.close()
    kept.close()


@settings(max_examples=40, deadline=None)
@given(
    st.sets(
        st.lists(
            st.sampled_from(["a", "a-", "b", "zarr.json", ".zarray", "c", "0", "é"]),
            min_size=1,
            max_size=4,
        ).map("/".join),
        max_size=12,
    )
)
def test_any_tree_lists_in_order_of_its_keys(paths: set[str]) -> None:
    filesystem = fsspec.filesystem("memory")
    keys = {p for p in paths if not any(q.startswith(p + "/") for q in paths)}
    try:
        for key in keys:
            filesystem.pipe_file(f"/tree/{key}", b"1")
        source = FilesystemSource(filesystem, "/tree", "tree")
        assert list(source.entries()) == [Entry(key, 1) for key in sorted(keys)]
        source.close()
    finally:
        if filesystem.exists("/tree"):
            filesystem.rm("/tree", recursive=True)


def test_values_are_fetched_several_at_a_time(memory: Any) -> None:
    together = threading.Barrier(8)

    class Slow:
        def cat_file(self, path: str, start: None, end: None) -> bytes:
            together.wait(10)
            return path.encode()

    source = FilesystemSource(Slow(), "/s", "s")
    keys = [f"k{i}" for i in range(16)]
    assert list(source.get_many(keys)) == [(key, f"/s/{key}".encode()) for key in keys]
    source.close()


def test_faults_are_asked_again_only_where_that_may_help(memory: Any) -> None:
    faults: list[Exception] = []

    class Failing:
        def cat_file(self, path: str, start: None, end: None) -> bytes:
            if faults:
                raise faults.pop(0)
            return b"value"

    naps = Naps()
    source = FilesystemSource(Failing(), "/s", "s3://s", sleep=naps)
    faults += [ConnectionResetError("reset"), TimeoutError()]
    assert source.get("key") == b"value"
    assert naps.seconds == [0.5, 2.0]
    faults += [PermissionError("no")]
    with pytest.raises(RemoteForbiddenError, match="s3://s"):
        source.get("key")
    faults += [ConnectionResetError("reset")] * 4
    with pytest.raises(UnreachableError):
        source.get("key")
    source.close()


def test_a_bucket_is_a_directory() -> None:
    with bucket() as s3:
        for key, value in STORE.items():
            s3.filesystem.pipe_file(f"{s3.name}/x/s.zarr/{key}", value)
        from zarrdb.location import parse

        assert open_folder(parse(f"s3://{s3.name}/x/none.zarr"), s3.options) is None
        source = open_folder(parse(f"s3://{s3.name}/x/s.zarr"), s3.options)
        assert source is not None
        assert source.name == f"s3://{s3.name}/x/s.zarr"
        assert list(source.entries()) == ENTRIES
        assert dict(source.get_many(STORE)) == STORE
        assert source.get_range("big", -10, 4) == STORE["big"][-10:-6]
        assert source.newest() is not None
        source.close()


# Zips


@pytest.fixture
def server() -> Iterator[RangeServer]:
    with serving() as running:
        yield running


def zipped(files: dict[str, bytes], *, compressed: bool = False, comment: bytes = b"") -> bytes:
    buffer = io.BytesIO()
    method = zipfile.ZIP_DEFLATED if compressed else zipfile.ZIP_STORED
    with zipfile.ZipFile(buffer, "w", method) as archive:
        for key, value in files.items():
            archive.writestr(key, value)
        archive.comment = comment
    return buffer.getvalue()


@pytest.mark.parametrize("compressed", [False, True])
def test_a_zip_on_a_server_is_a_source(server: RangeServer, compressed: bool) -> None:
    url = server.put("s.zip", zipped(STORE, compressed=compressed, comment=b"c" * 300))
    source = RemoteZipSource(open_reader(url))
    assert isinstance(source, KeySource)
    assert (source.kind, source.name) == ("zip", url)
    assert list(source.entries()) == ENTRIES
    assert dict(source.get_many([*STORE, "none"])) == {**STORE, "none": None}
    for offset, length in [(0, 5), (-5, None), (1000, 70_000), (10**7, 1)]:
        value = STORE["big"]
        start = max(0, len(value) + offset) if offset < 0 else offset
        expected = value[start:] if length is None else value[start : start + length]
        assert source.get_range("big", offset, length) == expected
    assert source.get_range("none", 0, 1) is None
    source.close()
    source.close()


def test_a_zip_costs_its_directory_and_one_round_for_members() -> None:
    files = {f"a/c/{i}": bytes([i % 251]) * 20_000 for i in range(400)}
    reader, filesystem = counting_reader(zipped({"zarr.json": b"{}", **files}))
    source = RemoteZipSource(reader)
    assert len(list(source.entries())) == 401
    assert len(filesystem.spans) == 1
    before = reader.traffic.rounds
    wanted = [f"a/c/{i}" for i in (3, 4, 5, 200, 399)]
    assert [value for _, value in source.get_many(wanted)] == [files[key] for key in wanted]
    assert reader.traffic.rounds == before + 1
    assert len(filesystem.spans) == 3
    assert source.get_range("a/c/100", 5000, 100) == files["a/c/100"][:100]
    assert filesystem.spans[-1][1] <= 2 * 4096
    source.close()


def test_zips_that_cannot_be_read(server: RangeServer) -> None:
    whole = zipped(STORE)
    url = server.put("cut.zip", whole[: len(whole) // 2])
    with pytest.raises(TruncatedError, match="ends before its directory"):
        RemoteZipSource(open_reader(url))
    server.put("cut.zip", whole)
    source = RemoteZipSource(open_reader(url, sleep=Naps()))
    server.body = "cut"
    with pytest.raises(ShortAnswerError):
        source.get("a/zarr.json")
    source.close()


@pytest.fixture(params=["zip", "tar"])
def archive(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    """The URL of an archive of large members that are not compressed."""
    path = tmp_path / f"x.{request.param}"
    if request.param == "zip":
        with zipfile.ZipFile(path, "w") as file:
            for name, value in MEMBERS.items():
                file.writestr(f"s/{name}", value)
    else:
        with tarfile.open(path, "w") as file:
            for name, value in MEMBERS.items():
                member = tarfile.TarInfo(f"s/{name}")
                member.size = len(value)
                file.addfile(member, io.BytesIO(value))
    return f"{request.param}://s::file://{path}"


MEMBERS = {f"c/{i}": random.Random(i).randbytes(60_000 + i) for i in range(8)}
SPANS = [(key, start) for key in MEMBERS for start in (0, 31_000, 59_000)]


def test_an_archive_may_be_read_by_many_threads(archive: str) -> None:
    """All of its files are read through one open file."""
    source = open_folder(parse(archive), {})
    assert source is not None
    with closing(source), ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            assert dict(source.get_many(MEMBERS)) == MEMBERS
            found = pool.map(lambda span: source.get_range(span[0], span[1], 900), SPANS)
            assert list(found) == [MEMBERS[key][start:][:900] for key, start in SPANS]


def test_files_of_an_archive_may_be_read_side_by_side(archive: str) -> None:
    """Readers do not know of each other, but fsspec gives them the same file system."""
    readers = {key: open_reader(archive.replace("//s:", f"//s/{key}:")) for key in MEMBERS}

    def read(key: str) -> list[bytes]:
        return readers[key].read_ranges([(start, 900) for start in range(0, 59_000, 8_000)])

    with ThreadPoolExecutor(8) as pool:
        for _ in range(10):
            for key, found in zip(MEMBERS, pool.map(read, MEMBERS), strict=True):
                assert found == [MEMBERS[key][s:][:900] for s in range(0, 59_000, 8_000)]
    for reader in readers.values():
        reader.close()
