"""Stores at URLs: what stands there, and what is said of what does not."""

import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import fsspec
import numpy as np
import pytest

from helpers_frame import frame_of
from helpers_http import RangeServer, serving
from helpers_remote import hierarchy, write_ordered
from helpers_s3 import bucket
from zarrdb.db.remote import RemoteDatabase
from zarrdb.detect import open_frame, open_source
from zarrdb.errors import (
    FrameError,
    NotAStoreError,
    RangeNotSupportedError,
    RemoteMissingError,
    TrafficLimitError,
)
from zarrdb.transport.options import RemoteOptions

ROWS = hierarchy(3000)
KEYS = sorted(key for key, _ in ROWS)


@pytest.fixture(scope="module")
def data(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("detect") / "x.zarrdb"
    write_ordered(str(path), ROWS)
    return path.read_bytes()


@pytest.fixture
def server(data: bytes) -> Iterator[RangeServer]:
    with serving() as running:
        running.put("x.zarrdb", data)
        yield running


def zipped() -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for key, value in ROWS:
            archive.writestr(key, value)
    return buffer.getvalue()


def test_a_database_on_a_server_opens_in_one_request(server: RangeServer) -> None:
    url = server.url("x.zarrdb") + "?token=SECRET"
    source = open_source(url)
    assert isinstance(source, RemoteDatabase)
    assert source.kind == "zarrdb"
    assert source.name == server.url("x.zarrdb") + "?…"
    assert source.get("zarr.json") == ROWS[0][1]
    assert [child.name for child in source.children()] == [
        "g0",
        "g1",
        "g2",
        "g3",
        "g4",
        "zarr.json",
    ]
    assert [(seen.method, seen.range) for seen in server.log] == [("GET", "bytes=0-163839")]
    source.close()


@pytest.mark.parametrize("name", ["s.zip", "s.zip?x=1", "anything"])
def test_a_zip_on_a_server(server: RangeServer, name: str) -> None:
    url = server.put(name.partition("?")[0], zipped())
    source = open_source(url + name[len(name.partition("?")[0]) :])
    assert source.kind == "zip"
    assert [entry.key for entry in source.entries()] == KEYS
    source.close()


def test_directories_and_files_of_a_file_system(data: bytes) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/kinds/x.zarrdb", data)
    memory.pipe_file("/kinds/s.zip", zipped())
    for key, value in ROWS[:80]:
        memory.pipe_file(f"/kinds/d.zarr/{key}", value)
        memory.pipe_file(f"/kinds/plain/{key}", value)
    try:
        for name, kind, count in [
            ("x.zarrdb", "zarrdb", len(ROWS)),
            ("s.zip", "zip", len(ROWS)),
            ("d.zarr", "remote", 80),
            ("plain", "remote", 80),
        ]:
            source = open_source(f"memory://kinds/{name}")
            assert source.kind == kind
            assert len(list(source.entries())) == count
            assert source.get("zarr.json") == ROWS[0][1]
            source.close()
        memory.pipe_file("/kinds/sparse.b2nd/chunks.b2frame", b"x")
        with pytest.raises(FrameError, match="a sparse frame"):
            open_source("memory://kinds/sparse.b2nd")
        for name in ("none", "none.zarr"):
            with pytest.raises(RemoteMissingError, match=f"memory://kinds/{name}"):
                open_source(f"memory://kinds/{name}")
    finally:
        memory.rm("/kinds", recursive=True)


def test_chained_urls(server: RangeServer) -> None:
    url = server.put("s.zip", zipped())
    source = open_source(f"zip://::{url}")
    assert [entry.key for entry in source.entries()] == KEYS
    source.close()
    source = open_source(f"zip://g1::{url}")
    assert next(source.entries()).key == "a0/c/0/0"
    source.close()


def test_a_bucket(data: bytes) -> None:
    with bucket() as s3:
        s3.filesystem.pipe_file(f"{s3.name}/x.zarrdb", data)
        s3.filesystem.pipe_file(f"{s3.name}/d/zarr.json", b"{}")
        remote = RemoteOptions(storage_options=s3.options)
        source = open_source(f"s3://{s3.name}/x.zarrdb", remote=remote)
        assert source.get("zarr.json") == ROWS[0][1]
        assert dict(source.get_many(KEYS)) == dict(ROWS)
        source.close()
        source = open_source(f"s3://{s3.name}/d", remote=remote)
        assert [entry.key for entry in source.entries()] == ["zarr.json"]
        source.close()


def test_what_is_no_store_is_said_so(server: RangeServer) -> None:
    for name, content, error, text in [
        ("page", b"<!DOCTYPE html><title>404</title>", NotAStoreError, "is an HTML page"),
        ("empty", b"", NotAStoreError, "is empty"),
        ("h.h5", b"\x89HDF\r\n\x1a\n" + bytes(600), NotAStoreError, "is an HDF5 file"),
        ("f.b2nd", b"\x9e\xa8b2frame\0" + bytes(600), FrameError, "are damaged"),
        ("g.b2nd", b"no frame\n", NotAStoreError, "is a text file"),
        ("t.txt", b"hello\n", NotAStoreError, "is a text file"),
    ]:
        with pytest.raises(error, match=text):
            open_source(server.put(name, content))
    with pytest.raises(RemoteMissingError, match="status 404"):
        open_source(server.url("none.zarrdb"))


@pytest.mark.parametrize(("name", "rounds"), [("f.b2nd", 1), ("anything", 2)])
def test_a_frame_on_a_server(server: RangeServer, name: str, rounds: int) -> None:
    items = np.random.default_rng(0).random(40_000)
    url = server.put(name, frame_of(items, chunks=(10_000,)))
    with pytest.raises(NotAStoreError, match="is a Blosc2 frame"):
        open_source(url)
    frame = open_frame(url)
    assert (frame.shape, frame.traffic.rounds) == ((40_000,), rounds)
    assert np.array_equal(frame.read(), items)
    frame.close()


def test_a_server_without_ranges_and_the_download(server: RangeServer, tmp_path: Path) -> None:
    server.ranges = "none"
    server.put("x.zarrdb", server.files["/x.zarrdb"] + bytes(0))
    with pytest.raises(RangeNotSupportedError) as caught:
        open_source(server.url("x.zarrdb"))
    assert str(caught.value.hint).startswith("--download fetches the whole file (")
    server.log.clear()
    source = open_source(
        server.url("x.zarrdb"), remote=RemoteOptions(download=True, temp_dir=str(tmp_path))
    )
    assert source.name == server.url("x.zarrdb")
    assert dict(source.get_many(KEYS)) == dict(ROWS)
    assert [seen.range for seen in server.log] == [None]
    assert len(os.listdir(tmp_path)) == 1
    source.close()
    assert os.listdir(tmp_path) == []


def test_the_cap_of_a_command(server: RangeServer) -> None:
    source = open_source(server.url("x.zarrdb"), remote=RemoteOptions(max_bytes=200_000))
    assert source.get("zarr.json") == ROWS[0][1]
    with pytest.raises(TrafficLimitError):
        list(source.get_many(KEYS))
    source.close()


def test_a_cap_below_what_opening_takes(server: RangeServer) -> None:
    source = open_source(server.url("x.zarrdb"), remote=RemoteOptions(max_bytes=60_000))
    assert server.log[0].range == "bytes=0-59999"
    source.close()
    server.put("small", b"{}")
    with pytest.raises(NotAStoreError):
        open_source(server.url("small"), remote=RemoteOptions(max_bytes=600))
