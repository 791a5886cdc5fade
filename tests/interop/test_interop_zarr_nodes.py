"""Nodes, chunks and counts as zarr-python sees them."""

import math
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.hierarchy import Node, walk
from zarrdb.sources.directory import DirectorySource


def nodes(path: Path) -> dict[str, Node]:
    return {node.path: node for node in walk(DirectorySource(path))}


AXES = st.lists(st.tuples(st.integers(1, 7), st.integers(1, 4)), min_size=1, max_size=3)


@given(AXES, st.sampled_from([2, 3]), st.sampled_from([".", "/"]), st.data())
def test_chunks_are_counted_as_zarr_counts_them(
    tmp_path_factory: pytest.TempPathFactory,
    axes: list[tuple[int, int]],
    zarr_format: Any,
    separator: str,
    data: st.DataObject,
) -> None:
    path = tmp_path_factory.mktemp("store") / "x.zarr"
    shape = tuple(size for size, _ in axes)
    encoding: Any = {"name": "default" if zarr_format == 3 else "v2", "separator": separator}
    array = zarr.create_array(
        path,
        name="a/b",
        shape=shape,
        chunks=tuple(chunk for _, chunk in axes),
        dtype="int16",
        zarr_format=zarr_format,
        chunk_key_encoding=encoding,
        fill_value=0,
    )
    for _ in range(data.draw(st.integers(0, 3))):
        array[tuple(data.draw(st.integers(0, size - 1)) for size in shape)] = 1
    node = nodes(path)["a/b"]
    assert node.kind == "array"
    assert (node.shape, node.chunk_shape) == (array.shape, array.chunks)
    assert node.zarr_format == zarr_format
    assert node.chunks_total == array.nchunks
    assert node.chunks_present == array.nchunks_initialized
    assert node.strays == 0


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize(
    "dtype",
    ["bool", "int8", "uint16", "<i4", ">i8", "float16", "<f4", ">f8", "complex64", "complex128"],
)
def test_data_types_have_zarr_s_names(tmp_path: Path, zarr_format: Any, dtype: str) -> None:
    zarr.create_array(tmp_path, shape=(3,), dtype=dtype, zarr_format=zarr_format)
    node = nodes(tmp_path)[""]
    assert node.data_type == np.dtype(dtype).name
    assert node.item_size == np.dtype(dtype).itemsize


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_sizes_of_items(tmp_path: Path, zarr_format: Any) -> None:
    dtypes: list[Any] = ["<U5", "|S7", "<M8[ns]", "<m8[10s]", [("x", "<f4"), ("y", "<i2")]]
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for number, dtype in enumerate(dtypes):
            zarr.create_array(
                tmp_path,
                name=str(number),
                shape=(3,),
                dtype=np.dtype(dtype),
                zarr_format=zarr_format,
            )
    found = nodes(tmp_path)
    for number, dtype in enumerate(dtypes):
        assert found[str(number)].item_size == np.dtype(dtype).itemsize
        assert found[str(number)].problem is None


def test_shards(tmp_path: Path) -> None:
    array = zarr.create_array(
        tmp_path, shape=(100, 100), shards=(20, 50), chunks=(10, 10), dtype="uint8", fill_value=0
    )
    array[:20, :50] = 1
    node = nodes(tmp_path)[""]
    assert (node.shard_shape, node.chunk_shape) == (array.shards, array.chunks)
    assert (node.chunks_present, node.chunks_total) == (1, 10)
    labels = [codec.label.split(" ")[0] for codec in node.codecs]
    assert labels == ["bytes", "zstd"]


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_groups_and_attributes(tmp_path: Path, zarr_format: Any) -> None:
    root = zarr.create_group(tmp_path, zarr_format=zarr_format, attributes={"title": "x"})
    inner = root.create_group("g")
    inner.create_array("a", shape=(), dtype="float64", fill_value=math.nan)
    if zarr_format == 2:
        zarr.consolidate_metadata(tmp_path, zarr_format=2)
    found = nodes(tmp_path)
    assert [(node.path, node.kind) for node in found.values()] == [
        ("", "group"),
        ("g", "group"),
        ("g/a", "array"),
    ]
    assert found[""].attributes == {"title": "x"}
    assert found["g/a"].fill_value == "NaN"
    assert found["g/a"].chunks_total == 1
