"""Frames that are written: read back by us and by blosc2, and as blosc2 writes them."""

import os
from collections.abc import Iterator
from pathlib import Path
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
    filters,
    items_of,
    opened,
    parameters,
    plain_kinds,
    special_kinds,
)
from zarrdb import frame
from zarrdb.errors import TargetError, TargetExistsError, UsageError
from zarrdb.frame.geometry import Geometry

PLAIN = plain_kinds()


def chunks_of(items: Any, chunks: tuple[int, ...]) -> Iterator[tuple[int, Any]]:
    geometry = Geometry(items.shape, chunks, chunks, items.dtype.itemsize)
    for nchunk in range(geometry.nchunks):
        key: Any = (*geometry.region(nchunk), ...)
        yield nchunk, items[key]


def write(path: Path, items: Any, chunks: tuple[int, ...], **options: Any) -> bytes:
    frame.write_frame(
        path,
        chunks_of(items, chunks),
        shape=items.shape,
        dtype=items.dtype,
        chunks=chunks,
        **options,
    )
    return path.read_bytes()


@pytest.fixture(params=PLAIN, ids=lambda kind: kind.name)
def kind(request: pytest.FixtureRequest) -> Kind:
    found: Kind = request.param
    return found


def test_a_frame_that_is_written_again_has_the_same_bytes(kind: Kind, tmp_path: Path) -> None:
    source = opened(kind.data)
    given = source.compression.parameters()
    del given["typesize"]
    frame.write_frame(
        tmp_path / "again.b2nd",
        source.written_chunks(),
        shape=source.shape,
        dtype=source.dtype,
        chunks=source.chunks,
        blocks=source.blocks,
        attributes=source.attributes,
        cparams=given,
    )
    again = (tmp_path / "again.b2nd").read_bytes()
    assert opened(again).read().tobytes() == kind.items.tobytes()
    if kind.name != "blocks-in-any-order" and kind.items.dtype.itemsize < 256:
        # But for the number of threads in byte 64, which is of no meaning. In memory blosc2
        # makes large items of one byte each.
        assert again[:64] + again[65:] == kind.data[:64] + kind.data[65:]


@pytest.mark.parametrize("kind", special_kinds(), ids=lambda kind: kind.name)
def test_runs_and_never_written_chunks_stay_what_they_are(kind: Kind, tmp_path: Path) -> None:
    source = opened(kind.data)
    path = tmp_path / "again.b2nd"
    frame.write_frame(
        path,
        source.written_chunks(),
        shape=source.shape,
        dtype=source.dtype,
        chunks=source.chunks,
        blocks=source.blocks,
    )
    again = opened(path.read_bytes())
    assert again.read().tobytes() == kind.items.tobytes()
    assert [again.written(n) for n in range(again.nchunks)] == (
        kind.written or [True] * again.nchunks
    )
    assert blosc2.open(str(path), mode="r").schunk.nchunks == again.nchunks


@pytest.mark.parametrize(
    "dtype", ["V5", np.dtype([("a", "u1"), ("b", "<f8")], align=True)], ids=["bytes", "aligned"]
)
def test_types_that_blosc2_writes_as_others(dtype: Any, tmp_path: Path) -> None:
    items = items_of(dtype, (40,))
    data = write(tmp_path / "a.b2nd", items, (10,))
    assert opened(data).dtype == items.dtype
    theirs = blosc2.open(str(tmp_path / "a.b2nd"), mode="r")
    assert theirs.dtype == items.dtype
    assert theirs[...].tolist() == items.tolist()


@given(data=st.data())
def test_any_array_is_read_back_by_both(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    dtype = np.dtype(data.draw(st.sampled_from(DTYPES)))
    shape = data.draw(nst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=9))
    chunks = tuple(data.draw(st.integers(1, n + 2)) for n in shape)
    blocks = data.draw(st.none() | st.tuples(*(st.integers(1, c) for c in chunks)))
    name = data.draw(st.sampled_from(sorted(FILTERS)))
    assume(dtype.itemsize < 256 or "bytedelta" not in name)
    options = parameters(
        data.draw(st.sampled_from(CODECS)), clevel=data.draw(st.integers(0, 9)), **filters(name)
    )
    items = items_of(dtype, shape, seed=1)
    path = tmp_path_factory.mktemp("frame") / "a.b2nd"
    stored = write(path, items, chunks, blocks=blocks, cparams=options)
    found = opened(stored)
    assert found.read().tobytes() == items.tobytes()
    assert (found.shape, found.dtype) == (items.shape, items.dtype)
    assert frame.inspect(MemoryReader(stored), data=True).problems == ()
    theirs = blosc2.open(str(path), mode="r")
    assert (theirs.shape, theirs.dtype) == (items.shape, items.dtype)
    if items.size and "delta" not in name and dtype.itemsize < 256:
        assert theirs[...].tobytes() == items.tobytes()


def test_attributes_are_vlmeta_for_blosc2(tmp_path: Path) -> None:
    values: dict[str, Any] = {
        "units": "m/s",
        "nested": {"a": None, "b": [True, 1.5, "x"]},
        "raw": b"\x00\xff",
        "pair": (1, (2, 3)),
        "complex": 1 - 2j,
        "set": {1, 2},
        "number": np.float32(1.5),
        "array": np.arange(6, dtype=">i2").reshape(2, 3),
    }
    data = write(tmp_path / "a.b2nd", np.arange(10), (5,), attributes=values)
    array = blosc2.open(str(tmp_path / "a.b2nd"), mode="r")
    for found in (opened(data).attributes, dict(array.schunk.vlmeta[:])):
        assert (found.pop("array") == values["array"]).all()
        assert found == {name: value for name, value in values.items() if name != "array"}


def test_opaque_attributes_are_kept(tmp_path: Path) -> None:
    value = frame.Opaque(42, b"whatever")
    data = write(tmp_path / "a.b2nd", np.arange(10), (5,), attributes={"inner": value})
    assert opened(data).attributes == {"inner": value}


@pytest.mark.parametrize(
    ("attributes", "message"),
    [
        ({"n" * 32: 1}, "31 bytes"),
        ({"é" * 16: 1}, "31 bytes"),
        ({"a": object()}, "object"),
        ({"a": 1 << 70}, "attribute 'a'"),
        ({"a": "\ud800"}, "attribute 'a'"),
        ({"\ud800": 1}, "attribute"),
        ({f"name-{i}": i for i in range(9000)}, "more than a frame holds"),
    ],
)
def test_attributes_that_a_frame_cannot_hold(
    attributes: dict[str, Any], message: str, tmp_path: Path
) -> None:
    with pytest.raises(UsageError, match=message):
        write(tmp_path / "a.b2nd", np.arange(10), (5,), attributes=attributes)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    "options",
    [
        {"dtype": np.dtype("O")},
        {"chunks": (5, 5)},
        {"chunks": (5,), "blocks": (6,)},
        {"chunks": (5,), "blocks": (0,)},
        {"shape": (1 << 40,), "chunks": (1 << 40,)},
        {"cparams": {"codec": blosc2.Codec.NDLZ}},
        {"cparams": {"filters": [blosc2.Filter.NDCELL]}},
        {"cparams": {"no_such_field": 1}},
        {"shape": (1,) * 17, "chunks": (1,) * 17},
    ],
    ids=str,
)
def test_arrays_that_a_frame_cannot_hold(options: dict[str, Any], tmp_path: Path) -> None:
    arguments = {"shape": (10,), "dtype": np.dtype("i4"), "chunks": (5,), **options}
    with pytest.raises(UsageError):
        frame.write_frame(tmp_path / "a.b2nd", [], **arguments)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("items", [np.arange(4), np.arange(5.0)])
def test_chunks_that_do_not_fit_leave_nothing_behind(items: Any, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="chunk 1"):
        frame.write_frame(
            tmp_path / "a.b2nd",
            [(0, np.arange(5)), (1, items)],
            shape=(10,),
            dtype=np.dtype("i8"),
            chunks=(5,),
        )
    assert list(tmp_path.iterdir()) == []


def test_filters_that_blosc2_does_not_have_for_large_items(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="parameters of blosc2"):
        write(
            tmp_path / "a.b2nd", items_of("S300", (9,)), (3,), cparams=filters("shuffle+bytedelta")
        )
    assert list(tmp_path.iterdir()) == []


def test_a_frame_appears_when_it_is_complete_and_replaces_only_if_told(tmp_path: Path) -> None:
    path = tmp_path / "a.b2nd"
    write(path, np.arange(10), (5,))
    with pytest.raises(TargetExistsError):
        write(path, np.arange(20), (5,))
    assert opened(path.read_bytes()).shape == (10,)

    def watched() -> Iterator[tuple[int, Any]]:
        assert opened(path.read_bytes()).shape == (10,)
        yield from chunks_of(np.arange(20), (5,))

    frame.write_frame(
        path, watched(), shape=(20,), dtype=np.dtype("i8"), chunks=(5,), overwrite=True
    )
    assert opened(path.read_bytes()).shape == (20,)
    assert [entry.name for entry in tmp_path.iterdir()] == ["a.b2nd"]


def test_a_source_that_fails_leaves_nothing_behind(tmp_path: Path) -> None:
    def failing() -> Iterator[tuple[int, Any]]:
        yield 0, np.arange(5)
        raise RuntimeError("the source is gone")

    with pytest.raises(RuntimeError, match="gone"):
        frame.write_frame(
            tmp_path / "a.b2nd", failing(), shape=(10,), dtype=np.dtype("i8"), chunks=(5,)
        )
    assert list(tmp_path.iterdir()) == []


def test_a_place_that_cannot_be_written(tmp_path: Path) -> None:
    with pytest.raises(TargetError):
        write(tmp_path / "no" / "folder" / "a.b2nd", np.arange(10), (5,))


def test_the_same_call_gives_the_same_bytes(tmp_path: Path) -> None:
    items = items_of("<f8", (100, 100))
    first = write(tmp_path / "a.b2nd", items, (30, 30), attributes={"b": 1, "a": 2})
    second = write(tmp_path / "b.b2nd", items, (30, 30), attributes={"b": 1, "a": 2})
    assert first == second


def test_a_path_like_is_a_path(tmp_path: Path) -> None:
    path: os.PathLike[str] = tmp_path / "a.b2nd"
    frame.write_frame(path, [], shape=(3,), dtype=np.dtype("i4"), chunks=(3,))
    assert not opened((tmp_path / "a.b2nd").read_bytes()).written(0)
