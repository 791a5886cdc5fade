"""The interface of blosc2's ByteRangeNDSource, member by member, and as a source of its Proxy."""

import asyncio
import threading
from pathlib import Path
from typing import Any

import blosc2  # type: ignore[import-untyped]
import numpy as np
import pytest

from helpers_frame import (
    BatchingSource,
    Kind,
    MemorySource,
    edited,
    filters,
    frame_of,
    parameters,
    plain_kinds,
    special_kinds,
    updated_kinds,
)
from zarrdb.errors import (
    FrameError,
    SelectionError,
    UsageError,
)
from zarrdb.frame import ByteRangeNDSource, FsspecNDSource
from zarrdb.transport.reader import Traffic

KINDS = [*plain_kinds(), *special_kinds(), *updated_kinds()]
ITEMS = np.cumsum(np.random.default_rng(1).integers(0, 99, (256, 512)), axis=1)
BLOCKS = frame_of(ITEMS, chunks=(128, 256), blocks=(16, 32), cparams=parameters("LZ4"))
"""Four chunks of 64 blocks."""


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def test_a_subclass_needs_read_range_and_nothing_else() -> None:
    assert {name for name in vars(MemorySource) if not name.startswith("_")} == {"read_range"}
    with pytest.raises(TypeError):
        ByteRangeNDSource("x")  # type: ignore[abstract]


def test_opening_is_one_small_read() -> None:
    source = MemorySource(BLOCKS)
    assert source.asked == [(0, 8192)]
    assert (source.shape, source.chunks, source.blocks) == ((256, 512), (128, 256), (16, 32))
    assert source.dtype == ITEMS.dtype
    assert source.asked == [(0, 8192)]


def test_the_attributes_of_the_class() -> None:
    source = MemorySource(BLOCKS)
    assert source.max_ranges == 1
    assert source.serves_blocks is True
    assert source.wants_wave is True
    assert source.stamp is None
    assert source.urlpath == "memory.b2nd"
    assert source.max_concurrency == 8
    assert source.blocks_per_chunk == 64


def test_cparams_are_those_of_the_frame() -> None:
    given = {"codec": blosc2.Codec.LZ4, "clevel": 7, "splitmode": blosc2.SplitMode.NEVER_SPLIT}
    source = MemorySource(frame_of(ITEMS, chunks=(128, 256), cparams=given))
    found: Any = source.cparams
    assert isinstance(found, blosc2.CParams)
    assert {name: getattr(found, name) for name in given} == given
    assert found.typesize == 8
    assert found.filters[-1] == blosc2.Filter.SHUFFLE


def test_traffic_is_counted() -> None:
    traffic = Traffic()
    source = MemorySource(BLOCKS, traffic=traffic)
    assert source.traffic is traffic
    source.get_chunk(0)
    assert traffic.requests == len(source.asked)
    assert traffic.bytes == sum(len(BLOCKS[at : at + size]) for at, size in source.asked)


def test_a_counter_of_blosc2_is_charged_by_what_reads(tmp_path: Path) -> None:
    class Charging(MemorySource):
        def read_range(self, offset: int, size: int) -> bytes:
            data = super().read_range(offset, size)
            self.traffic.charge(len(data))
            return data

    path = tmp_path / "a.b2nd"
    path.write_bytes(BLOCKS)
    ours, theirs = blosc2.Traffic(), blosc2.Traffic()
    file = FsspecNDSource(str(path), 8, theirs)
    for source, traffic in ((Charging(BLOCKS, traffic=ours), ours), (file, theirs)):
        assert source.traffic is traffic
        opening = traffic.nbytes
        assert opening > 0
        source.get_chunk(0)
        assert traffic.requests > 1
        assert traffic.nbytes > opening
    file.close()


def test_get_chunk_gives_what_blosc2_gives(kind: Kind) -> None:
    source = MemorySource(kind.data)
    array = blosc2.ndarray_from_cframe(kind.data)
    theirs = array.schunk
    for nchunk in range(theirs.nchunks):
        chunk = source.get_chunk(nchunk)
        if kind.written is None or kind.written[nchunk]:
            if "delta" not in kind.name or "bytedelta" in kind.name:
                assert chunk == theirs.get_chunk(nchunk)
            assert blosc2.decompress2(chunk) == theirs.decompress_chunk(nchunk)
        else:
            assert not any(blosc2.decompress2(chunk))


def test_written_chunks(kind: Kind) -> None:
    found = MemorySource(kind.data).written_chunks()
    assert found.dtype == bool
    assert found.tolist() == (kind.written or [True] * len(found))


def test_written_chunks_cost_one_read_once() -> None:
    source = MemorySource(BLOCKS)
    source.written_chunks()
    assert len(source.asked) == 2
    source.written_chunks()
    source.get_chunk(1)
    assert len(source.asked) == 3


def test_aget_chunk_does_not_block_the_loop() -> None:
    gate = threading.Event()

    class Slow(MemorySource):
        def read_range(self, offset: int, size: int) -> bytes:
            if self.asked:
                assert gate.wait(10)
            return super().read_range(offset, size)

    source = Slow(BLOCKS)

    async def both() -> bytes:
        waiting = asyncio.ensure_future(source.aget_chunk(3))
        await asyncio.sleep(0)
        gate.set()
        return await waiting

    assert asyncio.run(both()) == MemorySource(BLOCKS).get_chunk(3)


@pytest.mark.parametrize("nchunk", [-1, 4])
def test_a_chunk_that_is_not_there(nchunk: int) -> None:
    source = MemorySource(BLOCKS)
    for ask in (source.get_chunk, source.chunk_layout, lambda n: source.wants_blocks(n, 1)):
        with pytest.raises(SelectionError):
            ask(nchunk)


# Blocks


def test_layouts_say_where_blocks_are() -> None:
    source = MemorySource(BLOCKS)
    layout = source.chunk_layout(2)
    assert layout is not None
    header, starts, extents = layout
    chunk = source.get_chunk(2)
    assert header == chunk[:32]
    assert len(starts) == len(extents) == 64
    ordered = sorted(zip(starts.tolist(), extents.tolist(), strict=True))
    ends = [start + extent for start, extent in ordered]
    assert ordered[0][0] == 32 + 4 * 64
    assert ends == [*(start for start, _ in ordered[1:]), len(chunk)]


def test_layouts_of_several_chunks_come_together_and_once() -> None:
    source = BatchingSource(BLOCKS)
    source.written_chunks()
    source.batches.clear()
    assert all(layout is not None for layout in source.chunk_layouts([3, 1, 2]))
    assert source.batches == [3]
    again = source.chunk_layouts([1, 3])
    assert source.batches == [3]
    assert again[1] is not None
    assert again[1][0] == source.get_chunk(3)[:32]


@pytest.mark.parametrize(
    "data",
    [
        frame_of(ITEMS, chunks=(128, 256), blocks=(128, 256)),
        frame_of(ITEMS, chunks=(128, 256), blocks=(16, 32), cparams={"clevel": 0}),
        bytes(blosc2.full((64, 64), 7, chunks=(32, 32), blocks=(8, 8)).to_cframe()),
        bytes(blosc2.zeros((64, 64), chunks=(32, 32), blocks=(8, 8)).to_cframe()),
        bytes(blosc2.uninit((64, 64), chunks=(32, 32), blocks=(8, 8)).to_cframe()),
        frame_of(
            ITEMS.astype("i4"),
            chunks=(128, 256),
            blocks=(4, 32),
            cparams=parameters("ZSTD", use_dict=True),
        ),
        frame_of(
            ITEMS, chunks=(128, 256), blocks=(16, 32), cparams=parameters("LZ4", **filters("delta"))
        ),
        frame_of(
            (ITEMS % 250).astype("u1"),
            chunks=(128, 256),
            blocks=(16, 32),
            cparams=parameters("NDLZ", codec_meta=4, **filters("none")),
        ),
    ],
    ids=["one-block", "memcpyed", "value", "zeros", "never", "dictionary", "delta", "plugin"],
)
def test_chunks_that_have_to_come_whole(data: bytes) -> None:
    source = MemorySource(data)
    assert source.chunk_layouts([0, 1]) == [None, None]
    with pytest.raises(UsageError, match="cannot be taken apart"):
        source.block_plan(0, [0])


def test_a_dictionary_chunk_really_has_one() -> None:
    options = parameters("ZSTD", use_dict=True)
    data = frame_of(ITEMS.astype("i4"), chunks=(128, 256), blocks=(4, 32), cparams=options)
    assert MemorySource(data).get_chunk(0)[31] & 1


def test_variable_blocks_and_short_headers_are_not_taken_apart() -> None:
    source = MemorySource(BLOCKS)
    at = source.block_plan(0, [0])[0][0] - int(source.chunk_layouts([0])[0][1][0])  # type: ignore[index]
    variable = MemorySource(edited(BLOCKS, at + 30, b"\x01"))
    with pytest.raises(FrameError, match="variable"):
        variable.chunk_layout(0)
    short = MemorySource(edited(BLOCKS, at + 2, bytes([BLOCKS[at + 2] & ~5])))
    assert short.chunk_layout(0) is None


@pytest.mark.parametrize("wanted", [[0], [5, 6, 7], [0, 63], [7, 3, 4], list(range(64))])
def test_plans_cover_the_blocks(wanted: list[int]) -> None:
    source = MemorySource(BLOCKS)
    layout = source.chunk_layout(1)
    assert layout is not None
    chunk = source.get_chunk(1)
    found = {}
    plan = source.block_plan(1, wanted)
    for offset, size, members in plan:
        data = source.read_range(offset, size)
        for nblock, at, length in members:
            found[nblock] = data[at : at + length]
    assert sorted(found) == sorted(wanted)
    for nblock, data in found.items():
        start = int(layout[1][nblock])
        assert data == chunk[start : start + len(data)]
        assert len(data) == int(layout[2][nblock])


def test_near_blocks_share_a_range() -> None:
    source = MemorySource(BLOCKS)
    assert len(source.block_plan(0, range(8))) == 1
    assert len(source.block_plan(0, [0, 63])) == 2


def test_wanting_blocks_is_decided_without_reading() -> None:
    noise = np.random.default_rng(2).integers(0, 2**62, (512, 512))
    data = frame_of(noise, chunks=(512, 512), blocks=(32, 64))
    source = MemorySource(data)
    source.written_chunks()
    before = len(source.asked)
    assert source.wants_blocks(0, 1)
    assert source.wants_blocks(0, 1, None, 1)
    assert not source.wants_blocks(0, 128)
    assert not source.wants_blocks(0, 65)
    assert not source.wants_blocks(0, 40, None, 40)
    assert len(source.asked) == before
    assert not MemorySource(BLOCKS).wants_blocks(0, 1)


def test_a_wave_is_weighed_together_where_ranges_share_a_request() -> None:
    noise = np.random.default_rng(2).integers(0, 2**62, (1024, 1024))
    data = frame_of(noise, chunks=(128, 128), blocks=(16, 16))
    wave = dict.fromkeys(range(64), 2)
    source = BatchingSource(data)
    assert source.wants_blocks(0, 2, wave)
    assert not source.wants_blocks(0, 2, {0: 2})
    assert not source.wants_blocks(0, 60, dict.fromkeys(range(64), 60))
    assert not MemorySource(data).wants_blocks(0, 2, wave)


@pytest.mark.parametrize(("nchunk", "nwanted"), [(0, 33), (3, 64)])
def test_what_the_shape_decides_costs_no_read(nchunk: int, nwanted: int) -> None:
    source = MemorySource(BLOCKS)
    assert not source.wants_blocks(nchunk, nwanted)
    assert source.asked == [(0, 8192)]


def test_a_chunk_asked_for_twice_is_read_once() -> None:
    source = BatchingSource(BLOCKS)
    source.written_chunks()
    source.batches.clear()
    first, second, third = source.chunk_layouts([2, 1, 2])
    assert source.batches == [2]
    assert first is not None
    assert second is not None
    assert first == third


@pytest.mark.parametrize("nblock", [-1, 64])
def test_a_block_that_is_not_there(nblock: int) -> None:
    with pytest.raises(SelectionError, match=f"no block {nblock}"):
        MemorySource(BLOCKS).block_plan(0, [0, nblock])


def test_a_damaged_chunk_is_not_handed_on() -> None:
    source = MemorySource(BLOCKS)
    (offset, *_), layout = source.block_plan(1, [0])[0], source.chunk_layout(1)
    assert layout is not None
    for at in (offset, offset - int(layout[1][0]) + 32):
        damaged = MemorySource(edited(BLOCKS, at, b"\xff\xff\xff\x7f"))
        with pytest.raises(FrameError, match="chunk 1"):
            damaged.get_chunk(1)
        assert damaged.get_chunk(0) == source.get_chunk(0)


def test_runs_never_want_blocks() -> None:
    source = MemorySource(
        bytes(blosc2.zeros((4096, 1024), chunks=(2048, 1024), blocks=(64, 64)).to_cframe())
    )
    assert not source.wants_blocks(1, 1)


# Frames that grow


def test_a_frame_that_grows_is_looked_at_again_only_when_told(tmp_path: Path) -> None:
    path = tmp_path / "grows.b2nd"
    array = blosc2.uninit(
        (40,), dtype="<i8", chunks=(10,), blocks=(5,), urlpath=str(path), mode="w"
    )

    class Source(ByteRangeNDSource):
        reads = 0

        def read_range(self, offset: int, size: int) -> bytes:
            self.reads += 1
            with open(path, "rb") as file:
                file.seek(offset)
                return file.read(size)

    source = Source("grows.b2nd")
    assert source.written_chunks().tolist() == [False] * 4
    array[10:20] = np.arange(10)
    assert source.written_chunks().tolist() == [False] * 4
    before = source.reads
    source.invalidate_index()
    assert source.reads == before
    assert source.written_chunks().tolist() == [False, True, False, False]
    assert source[8:22].tolist() == [0, 0, *range(10), 0, 0]
    array.resize((60,))
    array[50:] = 7
    source.invalidate_index()
    assert source.shape == (60,)
    assert source[...].tolist()[48:52] == [0, 0, 7, 7]


def test_truncated_while_reading_is_a_frame_error() -> None:
    source = MemorySource(BLOCKS)
    source.written_chunks()
    source.data = BLOCKS[: len(BLOCKS) // 2]
    with pytest.raises(FrameError, match="ends at byte") as caught:
        _ = source[...]
    assert caught.value.reason == "truncated"
