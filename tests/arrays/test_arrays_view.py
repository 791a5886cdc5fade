"""Parts of arrays, decoded, beside what NumPy selects and prints."""

import csv
import io
import json
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.arrays import show
from zarrdb.arrays import view as view_module
from zarrdb.arrays.view import View, open_view, parse_selection
from zarrdb.detect import open_source
from zarrdb.errors import CorruptError, NotFoundError, UsageError
from zarrdb.keys import KeySource

# zarr-python warns about data types that have no specification yet.
pytestmark = pytest.mark.filterwarnings("ignore::FutureWarning", "ignore::UserWarning")


@st.composite
def selections(draw: st.DrawFn) -> tuple[tuple[int, ...], str]:
    """A shape, and the text of what to select of it."""
    shape = tuple(draw(st.lists(st.integers(0, 7), max_size=3)))
    parts = []
    for size in shape[: draw(st.integers(0, len(shape)))]:
        if size and draw(st.booleans()):
            parts.append(str(draw(st.integers(-size, size - 1))))
            continue
        ends = [str(draw(st.none() | st.integers(-9, 9)) or "") for _ in range(2)]
        step = draw(st.sampled_from(["", ":1", ":2", ":-1", ":-3"]))
        parts.append(":".join(ends) + step)
    if draw(st.booleans()):
        parts.insert(draw(st.integers(0, len(parts))), "...")
    return shape, ", ".join(parts)


def as_numpy(text: str) -> Any:
    return eval(f"np.s_[{text}]") if text else ...


@given(selections())
def test_a_selection_is_numpys(case: tuple[tuple[int, ...], str]) -> None:
    shape, text = case
    everything = np.arange(int(np.prod(shape)) or 0).reshape(shape)
    try:
        expected = everything[as_numpy(text)]
    except IndexError:
        with pytest.raises(UsageError):
            parse_selection(text, shape)
        return
    axes = parse_selection(text, shape)
    assert tuple(axis.length for axis in axes if axis.keep) == np.shape(expected)
    picked = np.ix_(*([axis.start + axis.step * i for i in range(axis.length)] for axis in axes))
    found = everything[tuple(each.astype(int) for each in picked)] if shape else everything
    assert np.array_equal(found.reshape(np.shape(expected)), expected)


@pytest.mark.parametrize(
    "text", ["1, 2, 3", "a", "5", "-6", "0:1:0", "1:2:3:4", "..., ...", "0, 1:b", "1.5"]
)
def test_a_wrong_selection_is_refused(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_selection(text, (5, 2))
    assert caught.value.hint


@pytest.fixture
def source(tmp_path: Path) -> KeySource:
    root = zarr.create_group(tmp_path / "x.zarr")
    array = root.create_array("a", shape=(9, 5), chunks=(2, 3), dtype="f4")
    array[:] = DATA
    sharded = root.create_array("s", shape=(9, 5), chunks=(1, 5), shards=(3, 5), dtype="f4")
    sharded[:] = DATA
    root.create_array("scalar", shape=(), dtype=">i2")[...] = 300
    root.create_array("none", shape=(0, 3), dtype="u1")
    text = root.create_array("text", shape=(2,), dtype=str)
    text[:] = np.array(["a,b", 'say "c"'], dtype=object)
    return open_source(tmp_path / "x.zarr")


DATA = np.arange(45, dtype="f4").reshape(9, 5) / 10
DATA[0, 0], DATA[0, 1] = np.nan, -np.inf


def printed(source: KeySource, path: str, text: str, form: str) -> bytes:
    return b"".join(show.FORMATS[form](open_view(source, path, text)))


@pytest.mark.parametrize("path", ["a", "s"])
@pytest.mark.parametrize("text", ["", "::-1, 1", "1:8:3", "-1", "2, 3", "..., ::-2", "3:3"])
def test_every_format_holds_what_was_selected(source: KeySource, path: str, text: str) -> None:
    expected = DATA[as_numpy(text)]
    assert printed(source, path, text, "raw") == expected.tobytes()
    found = np.load(io.BytesIO(printed(source, path, text, "npy")))
    assert np.array_equal(found, expected, equal_nan=True)
    parsed = json.loads(printed(source, path, text, "json"))
    found = np.array(parsed, dtype="f4").reshape(expected.shape)
    assert np.array_equal(found, expected, equal_nan=True)
    if expected.size:
        rows = [row.split(" ") for row in printed(source, path, text, "text").decode().splitlines()]
        assert np.array_equal(np.array(rows, "f4").ravel(), expected.ravel(), equal_nan=True)


def test_blocks_follow_one_another(source: KeySource, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(view_module, "BLOCK_BYTES", 1)
    view = open_view(source, "a", "::-2")
    blocks = list(view.blocks())
    assert len(blocks) > 1
    assert np.array_equal(np.concatenate(blocks), DATA[::-2], equal_nan=True)


def test_scalars_texts_and_empty_arrays(source: KeySource) -> None:
    assert printed(source, "scalar", "", "text") == b"300\n"
    assert printed(source, "scalar", "", "json") == b"300\n"
    assert printed(source, "scalar", "", "raw") == b"\x2c\x01"
    assert printed(source, "none", "", "json") == b"[]\n"
    assert printed(source, "none", "", "raw") == b""
    rows = list(csv.reader(io.StringIO(printed(source, "text", "", "csv").decode())))
    assert rows == [["a,b"], ['say "c"']]
    assert json.loads(printed(source, "text", "1", "json")) == 'say "c"'


def test_what_is_no_array_is_not_found(source: KeySource) -> None:
    for path in ("", "absent"):
        with pytest.raises(NotFoundError):
            open_view(source, path, "")


def test_a_damaged_chunk_is_named(tmp_path: Path) -> None:
    root = zarr.create_group(tmp_path / "x.zarr")
    root.create_array("a", shape=(4,), chunks=(2,), dtype="i4")[:] = 1
    (tmp_path / "x.zarr/a/c/1").write_bytes(b"\x28\xb5\x2f\xfd" + bytes(30))
    source = open_source(tmp_path / "x.zarr")
    with pytest.raises(CorruptError):
        list(open_view(source, "a", "").blocks())
    assert next(iter(open_view(source, "a", "0").blocks())) == 1


def test_a_chunk_that_runs_code_is_not_decoded(tmp_path: Path) -> None:
    root = zarr.create_group(tmp_path / "x.zarr", zarr_format=2)
    root.create_array("a", shape=(2,), chunks=(2,), dtype="i4")
    document = json.loads((tmp_path / "x.zarr/a/.zarray").read_text())
    document["filters"] = [{"id": "pickle"}]
    document["dtype"] = "|O"
    (tmp_path / "x.zarr/a/.zarray").write_text(json.dumps(document))
    source = open_source(tmp_path / "x.zarr")
    with pytest.raises(CorruptError, match="runs code"):
        open_view(source, "a", "")


def test_a_view_tells_its_type_and_shape(source: KeySource) -> None:
    view: View = open_view(source, "a", "1:3")
    assert (view.shape, view.dtype) == ((2, 5), np.dtype("f4"))
