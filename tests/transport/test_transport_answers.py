"""Answers to ranged requests, whatever is in their header fields and bodies."""

from contextlib import suppress

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from zarrdb.errors import PartsMissingError, RangeError, ShortAnswerError
from zarrdb.transport.http_answer import parts, placed

NUMBER = st.integers(0, 2**70)
FIELDS = st.dictionaries(
    st.sampled_from(["Content-Range", "Content-Length", "Content-Encoding", "ETag", "Retry-After"]),
    st.text(max_size=40) | NUMBER.map(str),
)


@given(st.integers(100, 999), FIELDS, st.integers(0, 10**6), st.integers(1, 10**6))
@example(206, {"Content-Range": "bytes 5-4/10"}, 5, 1)
@example(206, {"Content-Range": "bytes 0-9/*"}, 0, 10)
@example(416, {"Content-Range": "bytes */0"}, 0, 10)
@example(200, {"Content-Length": "-1"}, 0, 10)
@example(503, {"Retry-After": "²"}, 0, 10)
def test_any_answer_is_placed_or_an_error(
    status: int, fields: dict[str, str], offset: int, size: int
) -> None:
    with suppress(RangeError):
        place = placed("file", status, fields, f"{offset}-{offset + size - 1}")
        assert status in (200, 206, 416)
        if status == 206:
            assert place.offset == offset
            assert 0 < place.length <= size


@given(st.integers(0, 500), st.integers(1, 500), st.integers(1, 1000), st.integers(-2, 2))
def test_a_range_is_taken_only_where_it_was_asked_for(
    offset: int, size: int, total: int, shift: int
) -> None:
    last = min(offset + size, total) - 1
    if offset >= total:
        return
    told = f"bytes {offset + shift}-{last + shift}/{total}"
    if shift == 0:
        place = placed("file", 206, {"Content-Range": told}, f"{offset}-{offset + size - 1}")
        assert place == (offset, last - offset + 1, total, None)
    else:
        with pytest.raises(RangeError):
            placed("file", 206, {"Content-Range": told}, f"{offset}-{offset + size - 1}")


@given(st.integers(1, 500), st.integers(1, 1000))
def test_a_range_from_the_end_is_taken_where_it_ends_with_the_file(count: int, total: int) -> None:
    first = max(0, total - count)
    told = f"bytes {first}-{total - 1}/{total}"
    place = placed("file", 206, {"Content-Range": told}, f"-{count}")
    assert place == (first, total - first, total, None)
    with pytest.raises(RangeError):
        placed(
            "file", 206, {"Content-Range": f"bytes {first}-{total - 1}/{total + 1}"}, f"-{count}"
        )


@given(st.text(max_size=30), st.binary(max_size=400))
@example("multipart/byteranges; boundary=x", b"--x\r\ncontent-range: bytes 0-3/9\r\n\r\nab")
def test_any_body_is_taken_apart_or_an_error(kind: str, body: bytes) -> None:
    with suppress(PartsMissingError, ShortAnswerError):
        for answer in parts("file", {"Content-Type": kind}, body):
            assert len(answer.data) <= len(body)


@given(
    st.lists(st.tuples(st.integers(0, 10**6), st.binary(min_size=1, max_size=60)), max_size=6),
    st.sampled_from(
        ["boundary=zz", 'boundary="zz"', 'charset=x; Boundary = "zz"', "boundary=zz; x"]
    ),
)
def test_parts_come_out_as_they_went_in(wanted: list[tuple[int, bytes]], boundary: str) -> None:
    body = b"".join(
        b"--zz\r\nX: y\r\nContent-Range: bytes %d-%d/2000000\r\n\r\n%s\r\n"
        % (offset, offset + len(data) - 1, data)
        for offset, data in wanted
    )
    fields = {"Content-Type": f"multipart/byteranges; {boundary}", "ETag": "e"}
    found = parts("file", fields, body + b"--zz--\r\n")
    assert [(answer.offset, answer.data) for answer in found] == wanted
    assert all((answer.size, answer.stamp) == (2_000_000, "e") for answer in found)
