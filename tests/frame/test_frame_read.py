"""Every kind of frame gives the items that were written, by every way of reading."""

import tracemalloc
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from struct import pack
from typing import Any

import blosc2  # type: ignore[import-untyped]
import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nst

from helpers_frame import (
    CODECS,
    DTYPES,
    FILTERS,
    Kind,
    MemoryReader,
    edited,
    filters,
    frame_of,
    items_of,
    opened,
    parameters,
    plain_kinds,
    special_kinds,
    updated_kinds,
)
from zarrdb import frame
from zarrdb.errors import FrameError, SelectionError
from zarrdb.frame import plan, policy, state

KINDS = [*plain_kinds(), *special_kinds(), *updated_kinds()]


@pytest.fixture(params=KINDS, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


@pytest.fixture
def blocks_always(monkeypatch: pytest.MonkeyPatch) -> None:
    """Every chunk that can be taken apart is, however small."""
    monkeypatch.setattr(policy, "MIN_CHUNK", 0)
    monkeypatch.setattr(policy, "RANGE", 0)
    monkeypatch.setattr(policy, "ROUND_TRIP", 0)
    monkeypatch.setattr(policy, "MAX_FRACTION", 1)


def same(found: Any, expected: Any) -> bool:
    """Byte for byte: NaNs, signs of zeros and padding included."""
    assert found.dtype == expected.dtype
    assert found.shape == expected.shape
    return bool(found.tobytes() == expected.tobytes())


def middle(shape: tuple[int, ...]) -> tuple[slice, ...]:
    return tuple(slice(n // 3, max(n // 3 + 1, 2 * n // 3)) for n in shape)


def test_the_header_tells_what_the_array_is(kind: Kind) -> None:
    found = opened(kind.data)
    theirs = blosc2.ndarray_from_cframe(kind.data)
    assert found.shape == theirs.shape == kind.items.shape
    assert (found.chunks, found.blocks) == (theirs.chunks, theirs.blocks)
    assert found.dtype == theirs.dtype == kind.items.dtype
    assert found.nchunks == theirs.schunk.nchunks


def test_the_whole_array(kind: Kind) -> None:
    assert same(opened(kind.data).read(), kind.items)


@pytest.mark.usefixtures("blocks_always")
def test_the_whole_array_block_by_block(kind: Kind) -> None:
    assert same(opened(kind.data).read(), kind.items)


def test_a_slice(kind: Kind) -> None:
    key = middle(kind.items.shape)
    assert same(opened(kind.data)[key], kind.items[key])


@pytest.mark.usefixtures("blocks_always")
def test_a_slice_block_by_block(kind: Kind) -> None:
    key = middle(kind.items.shape)
    assert same(opened(kind.data)[key], kind.items[key])


def test_chunk_by_chunk(kind: Kind) -> None:
    found = opened(kind.data)
    for nchunk in range(found.nchunks):
        assert same(found.read_chunk(nchunk), kind.items[found.region(nchunk)])


def test_written_chunks_are_those_that_were_written(kind: Kind) -> None:
    found = opened(kind.data)
    expected = kind.written or [True] * found.nchunks
    assert [found.written(nchunk) for nchunk in range(found.nchunks)] == expected
    chunks = dict(found.written_chunks())
    assert list(chunks) == [n for n, written in enumerate(expected) if written]
    assert all(same(items, kind.items[found.region(n)]) for n, items in chunks.items())


def test_the_bytes_behind_the_frame_are_not_its() -> None:
    items = items_of("<i4", (60, 70))
    data = frame_of(items, chunks=(20, 20), blocks=(5, 5))
    other = frame_of(items[::-1].copy() ** 3, chunks=(20, 20), blocks=(5, 5))
    for tail in (b"\0" * 1000, data, other, b"\0" * 100_000):
        assert same(opened(data + tail).read(), items)


@pytest.mark.parametrize("size", [20_000, 100_000])
def test_a_header_of_any_length(size: int) -> None:
    items = items_of("<i4", (60, 70))
    noise = np.random.default_rng(5).integers(0, 255, size, dtype="u1").tobytes()
    data = frame_of(items, chunks=(20, 20), blocks=(5, 5), meta={"noise": noise, "tag": [1]})
    found = opened(data)
    assert same(found.read(), items)
    assert {"noise", "tag", "b2nd"} == set(found.header.metalayers)


@pytest.mark.parametrize("tail", [40, 100, 400, 4000])
def test_an_index_of_any_length(tail: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(plan, "TAIL", tail)
    monkeypatch.setattr(state, "TAIL", tail)
    items = items_of("<i4", (30_000,)) * np.arange(30_000, dtype="<i4")
    reader = MemoryReader(frame_of(items, chunks=(100,), blocks=(50,)))
    found = frame.open(reader)
    assert found[29_999] == items[29_999]
    assert reader.rounds <= 4
    assert same(found.read(), items)


@pytest.mark.parametrize("name", ["NDLZ", "ZFP_PREC"])
def test_codecs_that_ask_for_the_shape(name: str) -> None:
    items = items_of("<f8", (60, 80)) if name == "ZFP_PREC" else items_of("u1", (60, 80))
    items = np.nan_to_num(items, posinf=1, neginf=-1)
    options = parameters(name, codec_meta=24 if name == "ZFP_PREC" else 4, **filters("none"))
    data = frame_of(items, chunks=(20, 40), blocks=(10, 20), cparams=options)
    assert same(opened(data).read(), blosc2.ndarray_from_cframe(data)[...])


@pytest.mark.parametrize(("name", "meta"), [("NDCELL", 4), ("NDMEAN", 4), ("TRUNC_PREC", 20)])
def test_filters_that_ask_for_the_shape_or_lose_digits(name: str, meta: int) -> None:
    items = np.nan_to_num(items_of("<f4", (60, 80)), posinf=1, neginf=-1)
    options = {"filters": [getattr(blosc2.Filter, name)], "filters_meta": [meta]}
    data = frame_of(items, chunks=(20, 40), blocks=(10, 20), cparams=options)
    assert same(opened(data).read(), blosc2.ndarray_from_cframe(data)[...])


@pytest.mark.parametrize(
    "dtype", ["V5", np.dtype([("a", "u1"), ("b", "<f8")], align=True)], ids=["bytes", "aligned"]
)
def test_types_that_blosc2_stores_as_others_keep_their_bytes(dtype: Any) -> None:
    items = items_of(dtype, (40,))
    data = frame_of(items)
    found = opened(data).read()
    assert found.dtype == blosc2.ndarray_from_cframe(data).dtype
    assert found.tobytes() == items.tobytes()


def test_big_endian_text_decides_the_bytes() -> None:
    items = np.arange(6, dtype=">i4")
    assert opened(frame_of(items)).read().tobytes() == items.tobytes()


def test_runs_of_nan_have_the_bytes_that_blosc2_writes() -> None:
    for dtype in ("<c8", ">f8"):
        data = bytes(blosc2.nans((20,), dtype=dtype, chunks=(10,), blocks=(5,)).to_cframe())
        theirs = blosc2.ndarray_from_cframe(data)[...]
        assert opened(data).read().tobytes() == theirs.tobytes()


@pytest.mark.parametrize("nchunk", [-1, 6])
def test_a_chunk_that_is_not_there(nchunk: int) -> None:
    found = opened(frame_of(np.arange(60), chunks=(10,), blocks=(5,)))
    for read in (found.read_chunk, found.written, found.region):
        with pytest.raises(SelectionError, match="no chunk"):
            read(nchunk)


def of_runs(make: Any, shape: tuple[int, ...], path: Path, **options: Any) -> bytes:
    """A frame of any size without stored chunks; only through a file is that quick."""
    make(shape, urlpath=str(path), mode="w", **options)
    return path.read_bytes()


def test_more_items_than_memory_are_refused_and_slices_are_read(tmp_path: Path) -> None:
    shape, chunks = (1 << 24, 1 << 24), (1 << 14, 1 << 13)
    data = of_runs(blosc2.zeros, shape, tmp_path / "huge.b2nd", dtype="f8", chunks=chunks)
    found = opened(data)
    with pytest.raises(SelectionError, match="more than the memory") as caught:
        found.read()
    assert caught.value.hint == "read it in slices"
    assert found[1 << 21, -3:].tolist() == [0, 0, 0]


def test_an_index_of_one_run_takes_no_memory_for_its_chunks(tmp_path: Path) -> None:
    options = {"dtype": "u1", "chunks": (1 << 16,), "blocks": (1 << 12,)}
    data = of_runs(blosc2.uninit, (1 << 40,), tmp_path / "never.b2nd", **options)
    found = opened(data)
    assert found.nchunks == 1 << 24
    tracemalloc.start()
    assert not found.written(12_345)
    assert found[1 << 39] == 0
    assert tracemalloc.get_traced_memory()[1] < 1 << 20
    tracemalloc.stop()


def test_too_many_chunks_are_an_error_of_their_own() -> None:
    never = blosc2.uninit((1 << 30,), dtype="u1", chunks=(1 << 20,), blocks=(1 << 16,))
    data = bytes(never.to_cframe())
    lying = data.replace(pack(">q", 1 << 30), pack(">q", 1 << 45))
    with pytest.raises(FrameError, match="chunks are more than") as caught:
        opened(lying).read_chunk(0)
    assert caught.value.reason == "bad-index"


@st.composite
def random_frames(draw: st.DrawFn) -> tuple[Any, bytes, str]:
    """Items, the frame blosc2 makes of them, and the name of the filters."""
    dtype = np.dtype(draw(st.sampled_from(DTYPES)))
    shape = draw(nst.array_shapes(min_dims=1, max_dims=4, min_side=1, max_side=9))
    chunks = tuple(draw(st.integers(1, 2 * n)) for n in shape)
    blocks = tuple(draw(st.integers(1, c)) for c in chunks)
    items = items_of(dtype, shape, seed=draw(st.integers(0, 9)))
    if draw(st.booleans()):
        items = items.copy()
        items[: shape[0] // 2] = np.zeros((), dtype)
    name = draw(st.sampled_from(sorted(FILTERS)))
    assume(dtype.itemsize < 256 or "bytedelta" not in name)
    options = parameters(
        draw(st.sampled_from(CODECS)),
        clevel=draw(st.integers(0, 9)),
        splitmode=draw(st.sampled_from(list(blosc2.SplitMode))),
        **filters(name),
    )
    return items, frame_of(items, chunks=chunks, blocks=blocks, cparams=options), name


@pytest.mark.usefixtures("blocks_always")
@given(random_frames(), st.data())
def test_any_frame_and_any_index_agree_with_blosc2(
    made: tuple[Any, bytes, str], data: st.DataObject
) -> None:
    items, stored, filtered = made
    found = opened(stored)
    # blosc2 slices the filter delta wrong, and fails on some uncompressed items of 300 bytes.
    if "delta" not in filtered and items.dtype.itemsize < 256:
        assert same(blosc2.ndarray_from_cframe(stored)[...], items)
    assert same(found.read(), items)
    key = data.draw(nst.basic_indices(items.shape, allow_newaxis=True))
    assert same(found[key], np.asarray(items[key], items.dtype))


def test_slices_of_the_filter_delta_need_block_0() -> None:
    items = np.cumsum(np.random.default_rng(7).integers(0, 999, (512, 512)), axis=1)
    data = frame_of(
        items,
        chunks=(512, 512),
        blocks=(64, 128),
        cparams=parameters("LZ4", **filters("delta")),
    )
    reader = MemoryReader(data)
    assert same(frame.open(reader)[200:210, 300:310], items[200:210, 300:310])
    assert reader.fetched < len(data) // 2


def test_a_frame_is_read_from_many_threads_at_once() -> None:
    items = items_of("<i8", (100, 100))
    found = opened(frame_of(items, chunks=(10, 10), blocks=(5, 5)))
    with ThreadPoolExecutor(8) as pool:
        chunks = list(pool.map(found.read_chunk, range(found.nchunks)))
    assert all(same(chunk, items[found.region(n)]) for n, chunk in enumerate(chunks))


def test_attributes_are_decoded_without_running_anything() -> None:
    values = {
        "units": "m/s",
        "nested": {"a": None, "b": [True, 1.5, "x"]},
        "raw": b"\x00\xff",
        "pair": (1, 2),
        "complex": 1 - 2j,
        "set": {1, 2},
        "array": np.arange(6, dtype=">i2").reshape(2, 3),
    }
    data = frame_of(np.arange(10), vlmeta={**values, "inner": blosc2.asarray(np.arange(3))})
    found = opened(data).attributes
    inner = found.pop("inner")
    array = found.pop("array")
    assert (array == values.pop("array")).all()  # type: ignore[attr-defined]
    assert found == values
    assert isinstance(inner, tuple)
    assert inner[0] == 42


def test_attributes_for_json() -> None:
    kept, left_out = frame.as_json(
        {
            "a": (1, 2.5, {"b": None}),
            "b": b"raw",
            "c": [1j, float("nan"), float("-inf")],
            "d": {2, 1},
            "e": np.ones((1, 2)),
            "f": {1: 2},
        }
    )
    assert kept == {
        "a": [1, 2.5, {"b": None}],
        "c": [[0.0, 1.0], "NaN", "-Infinity"],
        "d": [1, 2],
        "e": [[1.0, 1.0]],
    }
    assert left_out == ["b", "f"]


@pytest.mark.parametrize("size", [20_000, 200_000])
def test_attributes_of_any_length(size: int) -> None:
    noise = np.random.default_rng(8).integers(0, 255, size, dtype="u1").tobytes()
    data = frame_of(np.arange(1000), chunks=(100,), vlmeta={"noise": noise, "title": "t"})
    found = opened(data)
    assert found.attributes == {"noise": noise, "title": "t"}
    assert found[999] == 999


def test_a_frame_before_2_0_holds_bytes() -> None:
    data = frame_of(np.arange(40, dtype="u1"), chunks=(10,), blocks=(5,))
    at = data.index(b"\x97\x00\x01\x91")
    older = edited(data, at, b"\x95")
    assert opened(older).dtype == np.dtype("u1")
