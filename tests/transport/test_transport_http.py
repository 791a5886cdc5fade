"""HTTP: every way in which a server answers something else than what was asked for."""

import io
import os
import zipfile
from collections.abc import Iterator
from pathlib import Path

import fsspec
import pytest
from fsspec.registry import known_implementations

from helpers_http import RangeServer, serving
from helpers_transport import Naps
from zarrdb.errors import (
    DependencyError,
    EncodedAnswerError,
    RangeError,
    RangeNotSupportedError,
    RangeOutsideError,
    RedirectError,
    RemoteBusyError,
    RemoteForbiddenError,
    RemoteMissingError,
    RemoteTimeoutError,
    ShortAnswerError,
    StampChangedError,
    TrafficLimitError,
    UnreachableError,
    UsageError,
)
from zarrdb.transport.download import download
from zarrdb.transport.opening import open_reader
from zarrdb.transport.reader import RangeReader

BIG = bytes(i * 131 % 253 for i in range(3 << 20))
SMALL = BIG[:5000]


@pytest.fixture
def server() -> Iterator[RangeServer]:
    with serving() as running:
        running.put("big", BIG)
        running.put("small", SMALL)
        running.put("empty", b"")
        yield running


@pytest.fixture
def naps() -> Naps:
    return Naps()


@pytest.fixture
def reader(server: RangeServer, naps: Naps) -> Iterator[RangeReader]:
    opened = open_reader(server.url("big"), sleep=naps)
    yield opened
    opened.close()


def test_ranges_are_read_with_the_size_from_the_first_answer(
    server: RangeServer, reader: RangeReader
) -> None:
    wanted = [(1 << 20, 300), (0, 100), (2 << 20, 50)]
    assert reader.read_ranges(wanted) == [BIG[o : o + n] for o, n in wanted]
    assert reader.size == len(BIG)
    assert reader.stamp == server.etag(BIG)
    assert reader.head_tail(10, 20) == (BIG[:10], BIG[-20:])
    assert {seen.method for seen in server.log} == {"GET"}
    assert (reader.traffic.requests, reader.traffic.rounds) == (len(server.log), 2) == (5, 2)
    assert reader.traffic.bytes == 480


def test_opening_asks_nothing(server: RangeServer, reader: RangeReader) -> None:
    assert server.log == []
    assert reader.name == server.url("big")


def test_head_and_tail_of_an_unknown_size_are_one_round(
    server: RangeServer, reader: RangeReader
) -> None:
    assert reader.head_tail(1000, 500) == (BIG[:1000], BIG[-500:])
    assert sorted(str(seen.range) for seen in server.log) == ["bytes=-500", "bytes=0-999"]
    assert reader.traffic.rounds == 1


def test_a_server_without_ranges_from_the_end_is_asked_by_place(
    server: RangeServer, reader: RangeReader
) -> None:
    server.ranges = "no-suffix"
    assert reader.head_tail(1000, 500) == (BIG[:1000], BIG[-500:])


def test_a_server_without_ranges_is_refused_before_the_body(
    server: RangeServer, reader: RangeReader, naps: Naps
) -> None:
    server.ranges = "none"
    with pytest.raises(RangeNotSupportedError, match="answered 200 to a range") as caught:
        reader.read_ranges([(100, 50)])
    assert caught.value.hint == "--download fetches the whole file (3.0 MiB) once"
    assert not caught.value.transient
    assert reader.traffic.bytes == 0
    assert naps.seconds == []


def test_a_small_file_is_taken_whole_from_a_server_without_ranges(server: RangeServer) -> None:
    server.ranges = "none"
    reader = open_reader(server.url("small"))
    assert reader.head_tail(100, 100) == (SMALL[:100], SMALL[-100:])
    assert reader.read_ranges([(700, 9), (4000, 1000)]) == [SMALL[700:709], SMALL[4000:]]
    assert len(server.log) <= 2
    reader.close()


@pytest.mark.parametrize("ranges", ["all", "none"])
def test_an_empty_file_is_empty(server: RangeServer, ranges: str) -> None:
    server.ranges = ranges
    reader = open_reader(server.url("empty"))
    assert reader.head_tail(100, 100) == (b"", b"")
    assert reader.size == 0
    reader.close()


@pytest.mark.parametrize("ranges", ["shifted", "starless"])
def test_another_range_is_refused(server: RangeServer, reader: RangeReader, ranges: str) -> None:
    server.ranges = ranges
    with pytest.raises(RangeNotSupportedError, match="another range"):
        reader.read_ranges([(100, 50)])


@pytest.mark.parametrize(
    ("body", "chunked", "error"),
    [
        ("cut", False, ShortAnswerError),
        ("cut", True, ShortAnswerError),
        ("short", False, ShortAnswerError),
        ("short", True, ShortAnswerError),
        ("long", False, RangeNotSupportedError),
        ("long", True, RangeNotSupportedError),
    ],
)
def test_bodies_of_another_length_are_refused(
    server: RangeServer, reader: RangeReader, body: str, chunked: bool, error: type[RangeError]
) -> None:
    server.body, server.chunked = body, chunked
    with pytest.raises(error) as caught:
        reader.read_ranges([(100, 5000)])
    assert caught.value.transient is (error is ShortAnswerError)


def test_a_cut_answer_is_asked_for_again(server: RangeServer) -> None:
    server.body = "cut"
    reader = open_reader(server.url("big"), sleep=lambda _: setattr(server, "body", "whole"))
    assert reader.read_ranges([(100, 5000)]) == [BIG[100:5100]]
    assert reader.traffic.retries == 1
    reader.close()


def test_compressed_answers_are_refused(server: RangeServer, reader: RangeReader) -> None:
    server.encoding = "gzip"
    with pytest.raises(EncodedAnswerError, match="gzip") as caught:
        reader.read_ranges([(100, 50)])
    assert not caught.value.transient
    assert server.log[0].headers["accept-encoding"] == "identity"


@pytest.mark.parametrize(
    ("status", "error", "transient"),
    [
        (401, RemoteForbiddenError, False),
        (403, RemoteForbiddenError, False),
        (404, RemoteMissingError, False),
        (410, RemoteMissingError, False),
        (416, RangeOutsideError, False),
        (418, RangeError, False),
        (300, RedirectError, False),
        (408, RemoteTimeoutError, True),
        (429, RemoteBusyError, True),
        (500, RemoteBusyError, True),
        (501, RemoteBusyError, False),
        (503, RemoteBusyError, True),
        (504, RemoteTimeoutError, True),
    ],
)
def test_each_status_has_its_error(
    server: RangeServer,
    reader: RangeReader,
    naps: Naps,
    status: int,
    error: type[RangeError],
    transient: bool,
) -> None:
    server.failures = [(status, {})] * 4
    with pytest.raises(error, match="/big: ") as caught:
        reader.read_ranges([(0, 10)])
    assert type(caught.value) is error
    assert (caught.value.status, caught.value.transient) == (status, transient)
    assert naps.seconds == ([0.5, 2.0, 8.0] if transient else [])


def test_a_busy_server_is_left_alone_for_as_long_as_it_asks(
    server: RangeServer, reader: RangeReader, naps: Naps
) -> None:
    server.failures = [
        (503, {"Retry-After": "3"}),
        (429, {"Retry-After": "Wed, 21 Oct 2015 07:28:00 GMT"}),
    ]
    assert reader.read_ranges([(0, 10)]) == [BIG[:10]]
    assert naps.seconds == [3.0, 2.0]


@pytest.mark.parametrize("etags", [True, False])
def test_a_file_that_is_replaced_between_two_reads_is_noticed(
    server: RangeServer, reader: RangeReader, etags: bool
) -> None:
    server.etags = etags
    reader.read_ranges([(0, 10)])
    server.put("big", BIG[:-1] + (b"" if not etags else b"x"))
    with pytest.raises(StampChangedError):
        reader.read_ranges([(100_000, 10)])


def test_weak_tags_serve_as_stamps(server: RangeServer, reader: RangeReader) -> None:
    server.weak_etags = True
    assert str(reader.stamp).startswith('W/"')
    assert reader.read_ranges([(5, 5)]) == [BIG[5:10]]


def test_no_answer_in_time(server: RangeServer, naps: Naps) -> None:
    server.stall = True
    reader = open_reader(server.url("big"), timeout=0.05, sleep=naps)
    with pytest.raises(RemoteTimeoutError, match=r"within 0.05 s") as caught:
        reader.read_ranges([(0, 10)])
    assert caught.value.transient
    reader.close()


def test_nobody_listens(naps: Naps) -> None:
    with serving() as server:
        url = server.url("big")
    reader = open_reader(url, sleep=naps)
    with pytest.raises(UnreachableError, match="cannot be reached"):
        reader.read_ranges([(0, 10)])
    reader.close()


def test_redirects_are_followed_and_remembered(server: RangeServer, naps: Naps) -> None:
    server.redirects = {"/a": (302, "/b"), "/b": (307, server.url("big"))}
    reader = open_reader(server.url("a"), sleep=naps)
    assert reader.read_ranges([(7, 10)]) == [BIG[7:17]]
    assert reader.read_ranges([(70, 10)]) == [BIG[70:80]]
    assert [seen.path for seen in server.log] == ["/a", "/b", "/big", "/big"]
    assert reader.traffic.requests == 4
    # The place it led to is gone: the first one is asked again.
    server.put("other", BIG)
    del server.files["/big"]
    server.redirects["/b"] = (302, "/other")
    assert reader.read_ranges([(700, 10)]) == [BIG[700:710]]
    reader.close()


def test_with_credentials_the_first_server_is_asked_each_time(server: RangeServer) -> None:
    server.redirects = {"/a": (302, "/big")}
    reader = open_reader(
        server.url("a"), storage_options={"headers": {"Authorization": "Bearer x"}}
    )
    reader.read_ranges([(7, 10)])
    reader.read_ranges([(70, 10)])
    assert [seen.path for seen in server.log] == ["/a", "/big", "/a", "/big"]
    reader.close()


@pytest.mark.parametrize("place", ["/loop", "ftp://127.0.0.1/x", "http://[bad/"])
def test_redirects_to_nowhere(server: RangeServer, place: str) -> None:
    server.redirects = {"/loop": (302, place)}
    reader = open_reader(server.url("loop"))
    with pytest.raises(RedirectError) as caught:
        reader.read_ranges([(0, 10)])
    assert not caught.value.transient
    reader.close()


def test_header_fields_of_the_caller_are_sent(server: RangeServer) -> None:
    server.required = ("Cookie", "session=1")
    reader = open_reader(server.url("big"))
    with pytest.raises(RemoteForbiddenError) as caught:
        reader.read_ranges([(0, 10)])
    assert "--storage-option" in str(caught.value.hint)
    reader.close()
    reader = open_reader(server.url("big"), storage_options={"headers": {"Cookie": "session=1"}})
    assert reader.read_ranges([(0, 10)]) == [BIG[:10]]
    reader.close()


def test_a_signed_url_is_sent_as_it_is_and_never_shown(server: RangeServer) -> None:
    query = "?X-Amz-Credential=AKIA%2F2026%2f&Sig=a%2Bb%3D%3d&plus=a+b"
    reader = open_reader(server.url("big") + query + "#fragment")
    assert reader.read_ranges([(0, 10)]) == [BIG[:10]]
    assert server.log[0].path == "/big" + query
    server.failures = [(403, {})]
    with pytest.raises(RemoteForbiddenError) as caught:
        reader.read_ranges([(10, 10)])
    assert "AKIA" not in str(caught.value) + reader.name
    reader.close()


def test_a_path_with_other_letters_is_written_as_urls_are(server: RangeServer) -> None:
    server.files["/%C3%A4%20b"] = SMALL
    reader = open_reader(server.url("ä b"))
    assert reader.read_ranges([(0, 10)]) == [SMALL[:10]]
    reader.close()


def test_the_cap_counts_what_is_asked_for(server: RangeServer) -> None:
    reader = open_reader(server.url("big"), max_bytes=1000)
    reader.read_ranges([(0, 1000)])
    with pytest.raises(TrafficLimitError):
        reader.read_ranges([(5000, 1)])
    assert len(server.log) == 1
    reader.close()


MANY = [(i * 100_000, 40) for i in range(30)]


@pytest.mark.parametrize(
    ("multipart", "requests"),
    [("all", 1), ("reversed", 1), ("none", 31), ("first", 31), ("garbled", 31), ("missing", 2)],
)
def test_several_ranges_in_one_request_where_the_server_can(
    server: RangeServer, reader: RangeReader, multipart: str, requests: int
) -> None:
    server.multipart = multipart
    assert reader.read_ranges(MANY) == [BIG[o : o + n] for o, n in MANY]
    assert len(server.log) == requests
    assert reader.traffic.requests == requests
    assert reader.traffic.rounds == 1


def test_parts_that_are_cut_are_asked_for_again(
    server: RangeServer, reader: RangeReader, naps: Naps
) -> None:
    server.multipart, server.body, server.chunked = "all", "cut", True
    with pytest.raises(ShortAnswerError):
        reader.read_ranges(MANY)
    assert len(naps.seconds) == 3


def test_a_boundary_within_the_bytes_does_not_matter(server: RangeServer) -> None:
    data = b"\r\n--zz\r\nContent-Range: bytes 0-1/2\r\n\r\n--zz--" * 30_000
    server.multipart = "all"
    reader = open_reader(server.put("tricky", data))
    wanted = [(i * 90_000, 200) for i in range(12)]
    assert reader.read_ranges(wanted) == [data[o : o + n] for o, n in wanted]
    assert len(server.log) == 1
    reader.close()


def test_a_download_is_one_request_to_a_file_that_goes_with_the_reader(
    server: RangeServer, tmp_path: Path
) -> None:
    server.ranges = "none"
    folder = str(tmp_path)
    reader = download(server.url("big"), temp_dir=folder)
    assert reader.read_ranges([(100, 50)]) == [BIG[100:150]]
    assert reader.size == len(BIG)
    assert reader.name == server.url("big")
    assert len(server.log) == 1
    assert len(os.listdir(folder)) == 1
    reader.close()
    assert os.listdir(folder) == []


@pytest.mark.parametrize("cap", [100, 3 << 20])
def test_a_download_past_the_cap_leaves_nothing(
    server: RangeServer, tmp_path: Path, cap: int
) -> None:
    folder = str(tmp_path)
    server.put("big", BIG + b"1")
    server.chunked = cap > 100
    with pytest.raises(TrafficLimitError):
        download(server.url("big"), temp_dir=folder, max_bytes=cap)
    assert os.listdir(folder) == []


def test_a_download_that_breaks_begins_again(server: RangeServer, tmp_path: Path) -> None:
    server.body = "cut"

    def mend(_: float) -> None:
        server.body = "whole"

    reader = download(server.url("big"), temp_dir=str(tmp_path), sleep=mend)
    assert reader.read_ranges([(0, len(BIG))]) == [BIG]
    reader.close()


def test_unknown_schemes_and_missing_drivers() -> None:
    with pytest.raises(UsageError, match="nosuch"):
        open_reader("nosuch://host/x")
    known_implementations["lacking"] = {"class": "lackingfs.core.FS", "err": "Install it"}
    try:
        with pytest.raises(DependencyError) as caught:
            open_reader("lacking://bucket/x?key=SECRET")
    finally:
        del known_implementations["lacking"]
    assert caught.value.message == "lacking://bucket/x?…: needs lackingfs, which is not installed"
    assert caught.value.hint == "pip install lackingfs"


def test_memory_and_chained_urls_are_read(server: RangeServer) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe_file("/some/file", BIG)
    reader = open_reader("memory://some/file")
    assert reader.head_tail(10, 10) == (BIG[:10], BIG[-10:])
    assert reader.size == len(BIG)
    memory.rm_file("/some/file")
    with pytest.raises(RemoteMissingError):
        reader.read_ranges([(0, 10)])

    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        archive.writestr("inner/file", BIG)
    chained = open_reader("zip://inner/file::" + server.put("a.zip", buffer.getvalue()))
    assert chained.read_ranges([(2 << 20, 100)]) == [BIG[2 << 20 :][:100]]
    chained.close()
