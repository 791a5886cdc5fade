"""Frames over HTTP and over file systems of fsspec, by the sources that are ready to use."""

from collections.abc import Iterator

import blosc2  # type: ignore[import-untyped]
import fsspec
import numpy as np
import pytest

from helpers_frame import frame_of, parameters
from helpers_http import RangeServer, serving
from helpers_s3 import bucket
from zarrdb import frame
from zarrdb.errors import FrameError, MissingError, RemoteMissingError, StampChangedError
from zarrdb.frame import FsspecNDSource, HttpNDSource, NotRanged
from zarrdb.transport.opening import open_reader
from zarrdb.transport.reader import Traffic

ITEMS = np.cumsum(np.random.default_rng(1).normal(size=(1024, 1024)), axis=1)
DATA = frame_of(ITEMS, chunks=(512, 512), blocks=(32, 64), cparams=parameters("LZ4"))
"""Four chunks of 1.8 MB with 128 blocks each."""
KEY = np.s_[500:520, 100:300]


@pytest.fixture
def server() -> Iterator[RangeServer]:
    with serving() as running:
        yield running


@pytest.fixture
def url(server: RangeServer) -> str:
    return server.put("a.b2nd", DATA)


def ranges(server: RangeServer) -> list[str | None]:
    return [seen.range for seen in server.log]


def test_a_frame_at_a_url(server: RangeServer, url: str) -> None:
    reader = open_reader(url)
    found = frame.open(reader)
    assert sorted(map(str, ranges(server))) == ["bytes=-65536", "bytes=0-8191"]
    assert (found[KEY] == ITEMS[KEY]).all()
    assert reader.traffic.rounds <= 3
    assert reader.traffic.bytes < len(DATA) // 4
    reader.close()


@pytest.mark.parametrize("source_class", [FsspecNDSource, HttpNDSource])
def test_sources_open_in_one_round(
    server: RangeServer, url: str, source_class: type[FsspecNDSource]
) -> None:
    source = source_class(url)
    assert source.traffic.rounds == 1
    assert (source[KEY] == ITEMS[KEY]).all()
    assert source.stamp == server.etag(DATA)
    assert source.read_range(len(DATA) - 5, 100) == DATA[-5:]
    source.close()


@pytest.mark.parametrize("source_class", [FsspecNDSource, HttpNDSource])
def test_sources_serve_a_proxy(url: str, source_class: type[FsspecNDSource]) -> None:
    source = source_class(url)
    assert (blosc2.Proxy(source)[KEY] == ITEMS[KEY]).all()
    assert source.traffic.bytes < len(DATA) // 4
    source.close()


def test_several_ranges_go_in_one_request_where_the_server_takes_them(
    server: RangeServer, url: str
) -> None:
    key = np.s_[::70, 50]
    counts = {}
    for multipart in ("all", "none"):
        server.multipart = multipart
        server.log.clear()
        source = HttpNDSource(url)
        assert (source[key] == ITEMS[key]).all()
        assert (source[key] == ITEMS[key]).all()
        counts[multipart] = len(server.log)
        source.close()
    assert counts["all"] < counts["none"]


@pytest.mark.parametrize("multipart", ["missing", "first", "reversed", "garbled"])
def test_answers_without_all_parts_are_made_up_for(
    server: RangeServer, url: str, multipart: str
) -> None:
    server.multipart = multipart
    source = HttpNDSource(url)
    assert (source[::70, 50] == ITEMS[::70, 50]).all()
    assert (blosc2.Proxy(source)[::70, 50:51] == ITEMS[::70, 50:51]).all()
    source.close()


def test_header_fields_are_sent(server: RangeServer, url: str) -> None:
    server.required = ("Cookie", "token=secret")
    source = HttpNDSource(url, headers={"Cookie": "token=secret"})
    assert (source[:2, :2] == ITEMS[:2, :2]).all()
    source.close()
    with pytest.raises(PermissionError):
        HttpNDSource(url)


def test_a_server_that_sends_the_whole_file_refuses_ranges(server: RangeServer, url: str) -> None:
    source = HttpNDSource(url)
    source.written_chunks()
    server.ranges = "none"
    with pytest.raises(NotRanged) as caught:
        source.read_range(0, 100)
    assert not caught.value.transient
    source.close()


def test_a_busy_server_may_answer_another_time(
    server: RangeServer, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrdb.transport.retry.FIRST_DELAY", 0)
    source = HttpNDSource(url)
    server.failures = [(503, {})] * 20
    with pytest.raises(NotRanged) as caught:
        source.read_range(0, 100)
    assert (caught.value.status, caught.value.transient) == (503, True)
    server.failures = []
    assert source.read_range(0, 100) == DATA[:100]
    source.close()


def test_a_frame_that_is_replaced_is_noticed(server: RangeServer, url: str) -> None:
    source = FsspecNDSource(url)
    server.put("a.b2nd", frame_of(-ITEMS, chunks=(512, 512), blocks=(32, 64)))
    with pytest.raises(StampChangedError):
        _ = source[900, 900]
    source.invalidate_index()
    assert source[900, 900] == -ITEMS[900, 900]
    source.close()


def test_what_is_not_there() -> None:
    with pytest.raises(MissingError):
        FsspecNDSource("no-such-file.b2nd")
    with pytest.raises(RemoteMissingError):
        FsspecNDSource("memory://no-such-file.b2nd")


def test_a_frame_in_a_file_system_of_fsspec() -> None:
    fsspec.filesystem("memory").pipe("/frames/a.b2nd", DATA)
    traffic = Traffic()
    source = FsspecNDSource("memory://frames/a.b2nd", traffic=traffic)
    assert (source[KEY] == ITEMS[KEY]).all()
    assert source.traffic is traffic
    assert traffic.rounds <= 3
    assert (blosc2.Proxy(source)[KEY] == ITEMS[KEY]).all()
    source.close()


def test_a_frame_inside_a_zip(tmp_path: object) -> None:
    import zipfile

    with zipfile.ZipFile(f"{tmp_path}/a.zip", "w") as file:
        file.writestr("inner/a.b2nd", DATA)
    source = FsspecNDSource(f"zip://inner/a.b2nd::file://{tmp_path}/a.zip")
    assert (source[KEY] == ITEMS[KEY]).all()
    source.close()


def test_no_frame_at_the_url(server: RangeServer) -> None:
    with pytest.raises(FrameError) as caught:
        FsspecNDSource(server.put("page.html", b"<html>" * 10_000))
    assert caught.value.reason == "unreadable"
    assert "page.html" in caught.value.message


def test_a_frame_in_a_bucket() -> None:
    with bucket() as s3:
        s3.filesystem.pipe_file(f"{s3.name}/frames/a.b2nd", DATA)
        url = f"s3://{s3.name}/frames/a.b2nd"
        source = FsspecNDSource(url, storage_options=s3.options)
        assert source.traffic.rounds == 1
        assert (source[KEY] == ITEMS[KEY]).all()
        assert source.traffic.rounds <= 3
        assert source.traffic.bytes < len(DATA) // 4
        assert (blosc2.Proxy(source)[KEY] == ITEMS[KEY]).all()
        source.close()
