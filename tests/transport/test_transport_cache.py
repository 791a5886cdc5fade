"""The block cache: bounded, each block fetched once, whatever several threads want."""

import threading
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_transport import counting_reader
from zarrdb.errors import RemoteBusyError
from zarrdb.transport.cache import BlockCache
from zarrdb.transport.rangefile import RangeFile
from zarrdb.transport.remote import RemoteReader

DATA = bytes(i * 31 % 256 for i in range(100_050))


def cached(unit: int = 1000, limit: int = 1 << 20) -> tuple[BlockCache, RemoteReader]:
    reader, _ = counting_reader(DATA)
    return BlockCache(reader, unit, len(DATA), limit=limit), reader


def test_blocks_are_fetched_in_one_round_and_kept() -> None:
    cache, reader = cached()
    cache.load([range(3, 6), range(50, 51), range(100, 200)])
    assert [cache.get(n) for n in (3, 5, 50)] == [
        DATA[n * 1000 : n * 1000 + 1000] for n in (3, 5, 50)
    ]
    # The last block is shorter, and past it there is none.
    assert cache.get(100) == DATA[100_000:]
    assert cache.get(101) is None
    assert reader.traffic.rounds == 1
    cache.load([range(2, 7)])
    assert reader.traffic.bytes == 3000 + 1000 + 50 + 2000


def test_bytes_from_elsewhere_fill_whole_blocks_only() -> None:
    cache, reader = cached()
    cache.put(1500, DATA[1500:5500])
    assert [n in cache for n in range(7)] == [False, False, True, True, True, False, False]
    cache.put(99_500, DATA[99_500:])
    assert cache.get(100) == DATA[100_000:]
    assert 99 not in cache
    assert reader.traffic.requests == 0


def test_what_was_used_least_recently_is_dropped() -> None:
    cache, _ = cached(limit=5000)
    cache.load([range(5)])
    assert cache.get(0) is not None
    cache.load([range(10, 12)])
    assert [n for n in range(12) if n in cache] == [0, 3, 4, 10, 11]


@given(st.lists(st.tuples(st.integers(0, 99), st.integers(1, 12)), max_size=12), st.integers(1, 30))
def test_the_bound_holds_and_nothing_wrong_is_kept(
    runs: list[tuple[int, int]], blocks: int
) -> None:
    cache, _ = cached(limit=blocks * 1000)
    for start, length in runs:
        cache.load([range(start, start + length)])
        here = [n for n in range(101) if n in cache]
        assert len(here) <= blocks
        assert all(cache.get(n) == DATA[n * 1000 : n * 1000 + 1000] for n in here)


def test_threads_that_want_the_same_blocks_fetch_them_once() -> None:
    class Waiting(RemoteReader):
        def read_ranges(self, spans: Sequence[tuple[int, int]]) -> list[bytes]:
            arrived.set()
            go_on.wait(10)
            return super().read_ranges(spans)

    arrived, go_on = threading.Event(), threading.Event()
    reader = Waiting(counting_reader(DATA)[0]._link)
    cache = BlockCache(reader, 1000, len(DATA))
    threads = [threading.Thread(target=cache.load, args=([range(5, 9)],)) for _ in range(6)]
    for thread in threads:
        thread.start()
    arrived.wait(10)
    go_on.set()
    for thread in threads:
        thread.join()
    assert all(n in cache for n in range(5, 9))
    assert (reader.traffic.requests, reader.traffic.bytes) == (1, 4000)


def test_a_fetch_that_fails_leaves_the_blocks_to_the_next_one() -> None:
    cache, reader = cached()

    def fail(spans: Sequence[tuple[int, int]]) -> list[bytes]:
        raise RemoteBusyError("busy")

    read_ranges = reader.read_ranges
    reader.read_ranges = fail  # type: ignore[method-assign]
    with pytest.raises(RemoteBusyError):
        cache.load([range(3)])
    reader.read_ranges = read_ranges  # type: ignore[method-assign]
    cache.load([range(3)])
    assert cache.get(1) == DATA[1000:2000]


@given(
    st.lists(
        st.tuples(st.integers(-50, 100_100), st.sampled_from([0, 1, 2]), st.integers(-1, 9000))
    )
)
def test_a_range_file_reads_like_any_file(moves: list[tuple[int, int, int]]) -> None:
    import io

    file, plain = RangeFile(counting_reader(DATA)[0], tail=500), io.BytesIO(DATA)
    for offset, whence, size in moves:
        place = max(0, (0, plain.tell(), len(DATA))[whence] + offset)
        assert file.seek(offset, whence) == plain.seek(place)
        assert file.read(size) == plain.read(size)
        assert file.tell() == plain.tell()
    assert file.readable()
    assert file.seekable()
    file.close()
    file.close()


def test_a_range_file_fetches_ahead_in_one_round() -> None:
    reader, filesystem = counting_reader(DATA)
    with RangeFile(reader, tail=9000) as file:
        file.prefetch([(0, 100), (50_000, 9000)])
        before = len(filesystem.spans)
        assert file.read_at(50_500, 8000) == DATA[50_500:58_500]
        assert file.read_at(10, 50) == DATA[10:60]
        assert file.read_at(99_900, 500) == DATA[99_900:]
        assert len(filesystem.spans) == before
        assert reader.traffic.rounds == 3
