"""New arrays, read back by zarr-python."""

import json
import warnings
from itertools import product
from typing import Any

import numpy as np
import pytest
import zarr
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as nst
from numpy.lib.recfunctions import repack_fields

from helpers_frame import DTYPES, items_of
from helpers_lint import check_files
from zarrdb.arrays.codecs import parse_codec
from zarrdb.arrays.write import ArrayWriter, ZarrFormat
from zarrdb.errors import TargetError
from zarrdb.zarrvalues import as_buffer

SUBARRAYS = np.dtype(DTYPES[-1])
PLAIN = [np.dtype(dtype) for dtype in DTYPES[:-1]]
MORE = [
    np.dtype([("a", ">i2"), ("b", "<f4")]),
    np.dtype([("a", "u1"), ("b", "<f8")], align=True),
    np.dtype([("é", "<M8[ns]"), ("u", "<U3")]),
    np.dtype("V5"),
]


def written(items: Any, chunks: tuple[int, ...], zarr_format: ZarrFormat, codec: str) -> Any:
    """Keys and values of an array of these items."""
    writer = ArrayWriter(
        shape=items.shape,
        chunks=chunks,
        dtype=items.dtype,
        attributes={"units": "K", "list": [1, None]},
        codec=parse_codec(codec),
        zarr_format=zarr_format,
        name="x",
    )
    values = dict(writer.documents)
    for index in product(*map(range, writer.grid.lengths)):
        box = tuple(slice(i * c, (i + 1) * c) for i, c in zip(index, writer.chunks, strict=True))
        part = items[(*box, ...)]
        values[writer.grid.key(index)] = value = writer.encode(part)
        assert writer.holds(value, part)
    return values


def opened(values: dict[str, bytes]) -> Any:
    store: Any = {key: as_buffer(value, None) for key, value in values.items()}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return zarr.open_array(zarr.storage.MemoryStore(store), mode="r")


def same_items(found: Any, items: Any) -> bool:
    """Whether items are equal to the bit, whatever their byte order and what pads them."""
    packed = repack_fields(items) if items.dtype.names else items
    return bool(found.astype(packed.dtype).tobytes() == packed.tobytes())


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("codec", ["none", "zstd", "blosc", "gzip:1"])
@pytest.mark.parametrize("dtype", PLAIN + MORE, ids=str)
def test_zarr_reads_every_data_type(dtype: Any, codec: str, zarr_format: ZarrFormat) -> None:
    items = items_of(dtype, (5, 7)) if dtype.itemsize != 16 or not dtype.names else aligned()
    values = written(items, (2, 5), zarr_format, codec)
    array = opened(values)
    assert array.shape == (5, 7)
    assert array.chunks == (2, 5)
    assert array.attrs.asdict() == {"units": "K", "list": [1, None]}
    assert same_items(array[...], items)
    if zarr_format == 2 and not dtype.isalignedstruct:
        assert array.dtype == dtype
    if zarr_format == 3 and not dtype.names:
        assert array.dtype == dtype.newbyteorder("=")


def aligned() -> Any:
    items = np.zeros((5, 7), MORE[1])
    items["a"], items["b"] = np.arange(35).reshape(5, 7), np.arange(35).reshape(5, 7) / 7
    return items


def test_the_byte_order_is_kept() -> None:
    items = np.arange(10, dtype=">i4")
    values = written(items, (10,), 3, "none")
    document = json.loads(values["zarr.json"])
    assert document["codecs"] == [{"name": "bytes", "configuration": {"endian": "big"}}]
    assert values["c/0"] == items.tobytes()
    values = written(items, (10,), 2, "none")
    assert json.loads(values[".zarray"])["dtype"] == ">i4"
    assert values["0"] == items.tobytes()


@settings(max_examples=30)
@given(data=st.data(), zarr_format=st.sampled_from([2, 3]))
def test_any_shape_and_chunks(data: st.DataObject, zarr_format: ZarrFormat) -> None:
    shape = data.draw(nst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6))
    chunks = tuple(data.draw(st.integers(0 if n == 0 else 1, n + 2)) for n in shape)
    items = items_of("<i4", shape)
    array = opened(written(items, chunks, zarr_format, "zstd"))
    assert array.shape == shape
    assert array.chunks == tuple(max(1, c) for c in chunks)
    assert np.array_equal(array[...], items)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("dtype", PLAIN, ids=str)
def test_absent_chunks_are_zeros_and_documents_clean(dtype: Any, zarr_format: ZarrFormat) -> None:
    values = written(items_of(dtype, (4,)), (2,), zarr_format, "zstd")
    assert {finding.level for finding in check_files(values).findings} <= {"info"}
    del values["c/0" if zarr_format == 3 else "0"]
    assert opened(values)[0:2].tobytes() == bytes(2 * dtype.itemsize)


@pytest.mark.parametrize("zarr_format", [2, 3])
@pytest.mark.parametrize("dtype", [SUBARRAYS, np.dtype("longdouble")], ids=str)
def test_a_type_that_zarr_has_not_is_refused(dtype: Any, zarr_format: ZarrFormat) -> None:
    with pytest.raises(TargetError, match=f"no data type of Zarr v{zarr_format}") as caught:
        written(np.zeros(4, dtype), (2,), zarr_format, "zstd")
    assert caught.value.hint
