"""Writing behind: in order, whatever goes wrong told, usable again after each end."""

import errno
import os
import threading
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.db import flusher
from zarrdb.db.flusher import Flusher

parts = st.lists(st.binary(max_size=40), min_size=1, max_size=8)


@given(runs=st.lists(st.tuples(parts, st.integers(0, 200), st.booleans()), max_size=12))
def test_runs_are_written_in_order_and_ends_change_nothing(
    tmp_path_factory: pytest.TempPathFactory, runs: list[tuple[list[bytes], int, bool]]
) -> None:
    path = tmp_path_factory.mktemp("flusher") / "x"
    expected = bytearray()
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT)
    writer = Flusher(descriptor)
    for pieces, offset, end in runs:
        data = b"".join(pieces)
        writer.write(pieces, len(data), offset)
        if data:
            expected += bytes(max(0, offset - len(expected)))
            expected[offset : offset + len(data)] = data
        if end:
            writer.finish()
    writer.finish()
    writer.finish()
    os.close(descriptor)
    assert path.read_bytes() == expected


def test_parts_of_every_size_and_number(tmp_path: Path) -> None:
    descriptor = os.open(tmp_path / "x", os.O_RDWR | os.O_CREAT)
    writer = Flusher(descriptor)
    runs = [[b"a" * 10] * 5000, [b"b" * 5000] * 2100, [b"c" * (3 << 20)] * 2, [b""]]
    offset = 0
    for run in runs:
        size = sum(map(len, run))
        writer.write(run, size, offset)
        offset += size
    writer.finish()
    os.close(descriptor)
    assert (tmp_path / "x").read_bytes() == b"".join(map(b"".join, runs))


def test_a_short_write_is_continued(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write

    def short(descriptor: int, data: bytes) -> int:
        return write(descriptor, data[:7])

    def short_of_parts(descriptor: int, pieces: list[bytes]) -> int:
        return write(descriptor, b"".join(pieces)[:7])

    monkeypatch.setattr(os, "write", short)
    monkeypatch.setattr(os, "writev", short_of_parts)
    descriptor = os.open(tmp_path / "x", os.O_RDWR | os.O_CREAT)
    writer = Flusher(descriptor)
    writer.write([bytes(range(200))] * 3, 600, 0)
    writer.finish()
    os.close(descriptor)
    assert (tmp_path / "x").read_bytes() == bytes(range(200)) * 3


@pytest.mark.parametrize("call", ["writev", "fdatasync"])
def test_an_error_is_told_by_the_end_at_the_latest(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    def fail(*_: object) -> None:
        raise OSError(errno.EDQUOT, "quota")

    monkeypatch.setattr(os, call, fail)
    monkeypatch.setattr(flusher, "SYNC_BYTES", 10)
    descriptor = os.open(tmp_path / "x", os.O_RDWR | os.O_CREAT)
    writer = Flusher(descriptor)

    def write_much() -> None:
        for number in range(100):
            writer.write([b"x" * 10_000], 10_000, number * 10_000)
        writer.finish()

    with pytest.raises(OSError, match="quota"):
        write_much()
    writer.abandon()
    os.close(descriptor)


def test_no_thread_is_left(tmp_path: Path) -> None:
    before = set(threading.enumerate())
    descriptor = os.open(tmp_path / "x", os.O_RDWR | os.O_CREAT)
    writer = Flusher(descriptor)
    writer.write([b"x"], 1, 0)
    writer.abandon()
    writer.abandon()
    assert set(threading.enumerate()) <= before
    os.close(descriptor)
