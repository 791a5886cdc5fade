"""Frames that become arrays and arrays that become frames, beside blosc2, NumPy and zarr."""

import os
import warnings
from pathlib import Path
from typing import Any

import blosc2  # type: ignore[import-untyped]
import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nst

from helpers_frame import (
    DTYPES,
    Kind,
    frame_of,
    items_of,
    opened,
    plain_kinds,
    special_kinds,
    updated_kinds,
)
from helpers_lint_frames import garbled
from zarrdb.arrays import recode, toframe
from zarrdb.arrays.framesource import FrameSource
from zarrdb.arrays.opening import array_node
from zarrdb.arrays.read import StoredArray
from zarrdb.arrays.recode import Recoding
from zarrdb.arrays.spool import Spool
from zarrdb.arrays.toframe import require_holdable, write_array
from zarrdb.arrays.write import ArrayWriter, ZarrFormat
from zarrdb.detect import open_frame, open_source
from zarrdb.errors import (
    CorruptError,
    FrameError,
    SelectionError,
    TargetError,
    UsageError,
    VerificationError,
)
from zarrdb.frame import file as frame_file
from zarrdb.frame.geometry import Geometry, unravel
from zarrdb.hierarchy.chunks import Grid
from zarrdb.keys import KeySource
from zarrdb.zarrvalues import as_buffer

# zarr-python warns about data types that have no specification yet.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")

KINDS = [
    kind
    for kind in (*plain_kinds(), *special_kinds(), *updated_kinds())
    if kind.items.dtype != np.dtype(DTYPES[-1])
]


class Opened:
    """A source over a frame in a file, and where it lies."""

    def __init__(self, folder: Path, data: bytes, recoding: Recoding, **options: Any) -> None:
        self.path = folder / "x.b2nd"
        self.path.write_bytes(data)
        self.source = FrameSource(
            open_frame(self.path), recoding, lambda: Spool(str(folder / "x.zarrdb")), **options
        )

    def values(self) -> dict[str, bytes]:
        keys = [key for key, _ in self.source.entries()]
        return {key: value for key, value in self.source.get_many(keys) if value is not None}

    def array(self) -> Any:
        store: Any = {key: as_buffer(value, None) for key, value in self.values().items()}
        return zarr.open_array(zarr.storage.MemoryStore(store), mode="r")


def as_array(folder: Path, data: bytes, recoding: Recoding = Recoding(verify=True)) -> Any:  # noqa: B008
    made = Opened(folder, data, recoding)
    try:
        return made.array()
    finally:
        made.source.close()


def same_items(found: Any, items: Any) -> bool:
    return bool(found.astype(items.dtype).tobytes() == items.tobytes())


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.name)
def test_every_kind_of_frame_is_the_same_array(
    kind: Kind, zarr_format: ZarrFormat, tmp_path: Path
) -> None:
    made = Opened(tmp_path, kind.data, Recoding(zarr_format=zarr_format, verify=True))
    array = made.array()
    assert array.shape == kind.items.shape
    assert array.chunks == tuple(max(1, n) for n in opened(kind.data).chunks)
    assert same_items(array[...], kind.items)
    chunks = len(list(made.source.entries())) - zarr_format % 2 - 2 * (zarr_format == 2)
    written = opened(kind.data).nchunks if kind.written is None else sum(kind.written)
    assert chunks == written
    made.source.close()
    assert os.listdir(tmp_path) == ["x.b2nd"]


@st.composite
def slices(draw: st.DrawFn, shape: tuple[int, ...]) -> str:
    """The text of a selection that fits a shape."""
    parts = []
    for size in shape:
        if size and draw(st.booleans()) and draw(st.booleans()):
            parts.append(str(draw(st.integers(-size, size - 1))))
            continue
        ends = [str(draw(st.none() | st.integers(-9, 9)) or "") for _ in range(2)]
        parts.append(":".join(ends) + draw(st.sampled_from(["", ":1", ":2", ":-1", ":-3"])))
    return ", ".join(parts)


@settings(max_examples=60)
@given(data=st.data())
def test_any_part_of_a_frame_is_what_numpy_selects(
    data: st.DataObject, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shape = data.draw(nst.array_shapes(min_dims=1, max_dims=3, min_side=1, max_side=12))
    chunks = tuple(data.draw(st.integers(1, n + 1)) for n in shape)
    frame = blosc2.uninit(shape, dtype="<i4", chunks=chunks)
    expected = np.zeros(shape, "<i4")
    cells = Geometry(shape, chunks, chunks, 4)
    for number in data.draw(st.sets(st.integers(0, cells.nchunks - 1))):
        part = cells.region(number)
        frame[part] = expected[part] = items_of("<i4", shape)[part] | 1
    text = data.draw(slices(shape))
    folder = tmp_path_factory.mktemp("part")
    array = as_array(folder, bytes(frame.to_cframe()), Recoding(selection=text, verify=True))
    wanted = expected[eval(f"np.s_[{text}]")]
    assert array.shape == wanted.shape
    assert np.array_equal(array[...], wanted)


def test_a_part_keeps_its_chunks_and_leaves_out_what_was_never_written(tmp_path: Path) -> None:
    frame = blosc2.uninit((100, 10), dtype="<i4", chunks=(10, 10))
    frame[30:40] = 7
    made = Opened(tmp_path, bytes(frame.to_cframe()), Recoding(selection="25:65, 3"))
    assert made.array().chunks == (10,)
    assert [key for key, _ in made.source.entries()] == ["c/0", "c/1", "zarr.json"]
    made.source.close()


def test_attributes_become_those_that_json_has(tmp_path: Path) -> None:
    attributes = {"units": "K", "pair": (1, 2), "nan": float("nan"), "raw": b"x", "set": {1}}
    made = Opened(tmp_path, frame_of(np.arange(5), vlmeta=attributes), Recoding())
    assert made.array().attrs.asdict() == {"units": "K", "pair": [1, 2], "nan": "NaN", "set": [1]}
    (remark,) = made.source.remarks()
    assert (remark.kind, remark.key) == ("attribute-left-out", "raw")
    made.source.close()


def test_fields_of_a_record_lose_their_byte_order_in_v3_only(tmp_path: Path) -> None:
    items = np.array([(1, 2.5), (3, 4.5)], dtype=[("a", ">i2"), ("b", "<f4")])
    for zarr_format, kinds in ((2, []), (3, ["field-order"])):
        recoding = Recoding(zarr_format=2 if zarr_format == 2 else 3)
        made = Opened(tmp_path, frame_of(items), recoding)
        assert [remark.kind for remark in made.source.remarks()] == kinds
        assert made.array()[...].tolist() == items.tolist()
        made.source.close()


def test_nothing_is_compressed_before_somebody_looks_at_the_keys(tmp_path: Path) -> None:
    made = Opened(tmp_path, frame_of(np.arange(100), chunks=(10,)), Recoding())
    assert made.source.get("zarr.json") is not None
    assert os.listdir(tmp_path) == ["x.b2nd"]
    assert made.source.size("c/3") is not None
    assert len(os.listdir(tmp_path)) == 2
    made.source.close()
    made.source.close()
    assert os.listdir(tmp_path) == ["x.b2nd"]


def test_a_source_answers_as_others_do(tmp_path: Path) -> None:
    made = Opened(tmp_path, frame_of(np.arange(200), chunks=(10,)), Recoding())
    source: KeySource = made.source
    keys = [entry.key for entry in source.entries()]
    assert keys == sorted(keys)
    assert [entry.key for entry in source.entries("c/", after="c/2")] == sorted(
        key for key in keys if key.startswith("c/") and key > "c/2"
    )
    assert [(child.name, child.is_key, child.is_prefix) for child in source.children()] == [
        ("c", False, True),
        ("zarr.json", True, False),
    ]
    for key in ("c/0", "zarr.json"):
        value = source.get(key)
        assert value is not None
        assert source.size(key) == len(value)
        assert b"".join(source.stream(key, 7)) == value
        assert source.get_range(key, 2, 5) == value[2:7]
        assert source.get_range(key, -4, None) == value[-4:]
    assert (source.get("none"), source.size("none")) == (None, None)
    source.close()


@given(data=st.data())
def test_chunks_are_listed_in_the_order_of_their_keys(data: st.DataObject) -> None:
    lengths = tuple(data.draw(st.lists(st.integers(1, 1200), max_size=3)))
    total = int(np.prod(lengths))
    numbers = data.draw(st.sets(st.integers(0, total - 1), max_size=60))
    ascending = np.array(sorted(numbers), np.int64)
    for encoding, separator in (("default", "/"), ("v2", "."), ("v2", "/")):
        grid = Grid(lengths, encoding=encoding, separator=separator)
        keys = [grid.key(unravel(int(number), lengths)) for number in ascending]
        order = recode.key_order(ascending, lengths)
        assert [keys[position] for position in order] == sorted(keys)


def test_without_a_place_for_values_the_sizes_are_those_of_items(tmp_path: Path) -> None:
    path = tmp_path / "x.b2nd"
    path.write_bytes(frame_of(np.arange(100), chunks=(10,)))
    source = FrameSource(open_frame(path), Recoding(), None)
    assert {entry.size for entry in source.entries("c/")} == {80}
    assert [remark.kind for remark in source.remarks()] == ["not-compressed"]
    source.close()


def test_many_workers_and_short_runs_change_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = frame_of(items_of("<f8", (40, 50)), chunks=(7, 9))
    usual = Opened(tmp_path, data, Recoding(jobs=1))
    expected = usual.values()
    usual.source.close()
    monkeypatch.setattr(recode, "_RUN", 1)
    many = Opened(tmp_path, data, Recoding(jobs=5))
    assert many.values() == expected
    many.source.close()


def test_progress_is_told_in_chunks_and_decoded_bytes(tmp_path: Path) -> None:
    told: list[tuple[int | None, int | None]] = []

    class Progress:
        def expect(self, keys: int | None, size: int | None) -> None:
            told.append((keys, size))

        def update(self, keys: int, size: int) -> None:
            told.append((keys, size))

    data = frame_of(np.arange(100), chunks=(10,))
    made = Opened(tmp_path, data, Recoding(), progress=Progress())
    made.values()
    made.source.close()
    assert (told[0], told[-1]) == ((10, 800), (10, 800))


def test_a_value_that_decodes_to_something_else_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = Opened(tmp_path, frame_of(np.arange(100), chunks=(10,)), Recoding(verify=True))
    monkeypatch.setattr(ArrayWriter, "holds", lambda *_: False)
    with pytest.raises(VerificationError, match="chunk 0"):
        made.values()
    made.source.close()
    assert os.listdir(tmp_path) == ["x.b2nd"]


def test_a_damaged_chunk_ends_it(tmp_path: Path) -> None:
    made = Opened(tmp_path, garbled(), Recoding())
    with pytest.raises(FrameError, match="chunk 2"):
        made.values()
    made.source.close()


@pytest.mark.parametrize("text", ["1, 2, 3", "50", "a"])
def test_a_selection_that_does_not_fit(tmp_path: Path, text: str) -> None:
    with pytest.raises((UsageError, SelectionError)):
        Opened(tmp_path, frame_of(np.arange(10)), Recoding(selection=text))


# Arrays that become frames


def store(folder: Path, items: Any, *, zarr_format: Any = 3, **options: Any) -> Any:
    """A directory store with one array of these items."""
    array = zarr.create_array(
        folder / "a.zarr",
        shape=items.shape,
        dtype=items.dtype,
        zarr_format=zarr_format,
        **options,
    )
    array[...] = items
    return array


def written(folder: Path, *, verify: bool = True) -> Path:
    """The array of the store in a folder, written as a frame."""
    source = open_source(folder / "a.zarr")
    array = StoredArray(source, array_node(source, ""))
    require_holdable(array, source.name)
    target = folder / "a.b2nd"
    write_array(array, str(target), attributes={"a": 1}, verify=verify)
    source.close()
    return target


@settings(max_examples=40)
@given(data=st.data(), zarr_format=st.sampled_from([2, 3]))
def test_any_array_is_read_by_blosc2(
    data: st.DataObject, zarr_format: int, tmp_path_factory: pytest.TempPathFactory
) -> None:
    shape = data.draw(nst.array_shapes(min_dims=0, max_dims=3, min_side=0, max_side=9))
    chunks = tuple(data.draw(st.integers(1, n + 2)) for n in shape)
    dtype = np.dtype(data.draw(st.sampled_from(["?", "<i2", ">i4", "<f8", ">f4", "<c8", "S3"])))
    items = items_of(dtype, shape)
    folder = tmp_path_factory.mktemp("array")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        store(folder, items, zarr_format=zarr_format, chunks=chunks)
    path = written(folder)
    found = blosc2.open(str(path), mode="r")
    assert found.dtype == items.dtype or zarr_format == 3
    assert found.shape == shape
    if all(shape):
        assert found.chunks == chunks
    assert found[...].astype(dtype).tobytes() == items.tobytes()
    assert dict(found.schunk.vlmeta[:]) == {"a": 1}
    assert sorted(os.listdir(folder)) == ["a.b2nd", "a.zarr"]


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("dtype", DTYPES[:-1], ids=str)
def test_a_data_type_comes_back_as_it_was(
    dtype: Any, zarr_format: ZarrFormat, tmp_path: Path
) -> None:
    items = items_of(dtype, (20, 7))
    made = Opened(tmp_path, frame_of(items, chunks=(6, 5)), Recoding(zarr_format=zarr_format))
    array = StoredArray(made.source, array_node(made.source, ""))
    write_array(array, str(tmp_path / "again.b2nd"), attributes={}, verify=True)
    made.source.close()
    again = opened((tmp_path / "again.b2nd").read_bytes())
    assert again.dtype == items.dtype or (items.dtype.names and zarr_format == 3)
    assert again.chunks == (6, 5)
    assert same_items(again.read(), items)


FILLS: list[tuple[Any, Any]] = [
    ("i4", 0),
    ("i4", 7),
    (">i4", 7),
    ("f4", np.nan),
    ("f8", -1.5),
    ("f8", np.inf),
    ("?", True),
    ("S3", b"ab"),
    ("M8[s]", np.datetime64("NaT", "s")),
]


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(("dtype", "fill"), FILLS, ids=str)
def test_absent_chunks_hold_the_fill_value(
    dtype: Any, fill: Any, zarr_format: int, tmp_path: Path
) -> None:
    array = zarr.create_array(
        tmp_path / "a.zarr",
        shape=(10, 10),
        chunks=(3, 4),
        dtype=dtype,
        fill_value=fill,
        zarr_format=zarr_format,  # type: ignore[arg-type]
    )
    array[3:6, 4:8] = items_of(dtype, (3, 4))
    expected = np.asarray(array[...])
    path = written(tmp_path)
    found = blosc2.open(str(path), mode="r")[...]
    assert found.astype(expected.dtype).tobytes() == expected.tobytes()
    frame = open_frame(path)
    assert all(frame.written(number) for number in range(frame.nchunks))
    frame.close()


def test_without_a_fill_value_absent_chunks_are_never_written(tmp_path: Path) -> None:
    array = zarr.create_array(
        tmp_path / "a.zarr", shape=(10,), chunks=(5,), dtype="i4", zarr_format=2
    )
    array[:5] = 3
    document = tmp_path / "a.zarr" / ".zarray"
    document.write_text(document.read_text().replace('"fill_value": 0', '"fill_value": null'))
    frame = open_frame(written(tmp_path))
    assert [frame.written(0), frame.written(1)] == [True, False]
    frame.close()


def test_shards_are_taken_apart_into_their_chunks(tmp_path: Path) -> None:
    items = items_of("<f8", (20, 9))
    store(tmp_path, items, chunks=(2, 3), shards=(6, 6))
    frame = open_frame(written(tmp_path))
    assert frame.chunks == (2, 3)
    assert np.array_equal(frame.read(), items, equal_nan=True)
    frame.close()


def test_a_compressed_array_with_filters_and_order_f(tmp_path: Path) -> None:
    from numcodecs import Delta

    items = np.arange(60, dtype="<i4").reshape(6, 10)
    store(tmp_path, items, chunks=(4, 4), zarr_format=2, filters=[Delta(dtype="<i4")], order="F")
    frame = open_frame(written(tmp_path))
    assert np.array_equal(frame.read(), items)
    frame.close()


def test_what_a_frame_has_no_data_type_for(tmp_path: Path) -> None:
    store(tmp_path, np.array(["a", "bc"], dtype=object).astype("T"))
    with pytest.raises(TargetError, match="a Blosc2 frame has no data type for"):
        written(tmp_path)


def test_a_frame_that_was_written_wrong_is_noticed(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store(tmp_path, np.arange(10), chunks=(5,))
    genuine = frame_file.open_file

    def other(path: str) -> Any:
        data = bytes(frame_of(np.arange(10) + 1, chunks=(5,)))
        Path(path).write_bytes(data)
        return genuine(path)

    monkeypatch.setattr(toframe, "open_file", other)
    with pytest.raises(VerificationError, match="in chunk 0"):
        written(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["a.zarr"]


def test_a_chunk_that_does_not_decode_leaves_nothing(tmp_path: Path) -> None:
    store(tmp_path, np.arange(10), chunks=(5,))
    (tmp_path / "a.zarr/c/1").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(20))
    with pytest.raises(CorruptError):
        written(tmp_path)
    assert sorted(os.listdir(tmp_path)) == ["a.zarr"]
