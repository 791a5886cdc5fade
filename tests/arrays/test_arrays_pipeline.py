"""Values decoded within bounds: what they hold comes out, what expands too far does not."""

import bz2
import gzip
import lzma
import tracemalloc
import zlib
from typing import Any

import numcodecs
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.arrays.pipeline import ExpandsError, Pipeline, pipeline_v2, pipeline_v3
from zarrdb.errors import CorruptError

COMPRESSORS: list[dict[str, Any]] = [
    {"id": "zlib", "level": 1},
    {"id": "gzip", "level": 1},
    {"id": "bz2", "level": 1},
    {"id": "lzma", "format": 1, "check": -1, "preset": None, "filters": None},
    {"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
    {"id": "blosc", "cname": "zstd", "clevel": 5, "shuffle": 2, "blocksize": 0},
    {"id": "zstd", "level": 0},
    {"id": "lz4", "acceleration": 1},
]
FILTERS: list[list[dict[str, Any]]] = [
    [],
    [{"id": "delta", "dtype": "<i4"}],
    [{"id": "shuffle", "elementsize": 4}, {"id": "crc32"}],
    [{"id": "astype", "encode_dtype": "<i2", "decode_dtype": "<i4"}],
    [{"id": "fletcher32"}],
]


def pipeline(compressor: dict[str, Any] | None, filters: list[dict[str, Any]], n: int) -> Pipeline:
    return pipeline_v2({"chunks": [n], "filters": filters, "compressor": compressor}, 4)


def encode(data: Any, codecs: list[dict[str, Any]]) -> bytes:
    for codec in codecs:
        data = numcodecs.get_codec(codec).encode(data)
    return bytes(data)


@given(
    st.lists(st.integers(-1000, 1000), min_size=1, max_size=200),
    st.sampled_from([None, *COMPRESSORS]),
    st.sampled_from(FILTERS),
)
def test_what_was_encoded_comes_out(
    numbers: list[int], compressor: dict[str, Any] | None, filters: list[dict[str, Any]]
) -> None:
    data = np.array(numbers, "<i4")
    value = encode(data, [*filters, *([compressor] if compressor else [])])
    chain = pipeline(compressor, filters, len(numbers))
    assert chain.obstacle() is None
    chain.guard(value)
    assert bytes(memoryview(chain.decode(value)).cast("B")) == data.tobytes()


@pytest.mark.parametrize("compressor", COMPRESSORS, ids=lambda c: f"{c['id']}-{c.get('cname')}")
def test_a_small_value_does_not_become_all_of_the_memory(compressor: dict[str, Any]) -> None:
    bomb = encode(bytes(64 << 20), [compressor])
    chain = pipeline(compressor, [], 100)
    tracemalloc.start()
    for attempt in (chain.guard, chain.decode):
        with pytest.raises(ExpandsError):
            attempt(bomb)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    # The dictionary of lzma is 8 MiB.
    assert peak < 12 << 20


@pytest.mark.parametrize("compressor", COMPRESSORS, ids=lambda c: f"{c['id']}-{c.get('cname')}")
@given(data=st.data())
def test_damage_is_an_error_of_its_own(compressor: dict[str, Any], data: st.DataObject) -> None:
    value = bytearray(encode(np.arange(50, dtype="<i4"), [compressor]))
    for _ in range(data.draw(st.integers(1, 4))):
        value[data.draw(st.integers(0, len(value) - 1))] = data.draw(st.integers(0, 255))
    cut = bytes(value[: data.draw(st.integers(0, len(value)))])
    chain = pipeline(compressor, [], 50)
    for damaged in (bytes(value), cut, b""):
        try:
            decoded = chain.decode(damaged)
        except CorruptError:
            continue
        assert memoryview(decoded).nbytes == 200


def test_streams_of_several_members_are_whole() -> None:
    data = bytes(range(200))
    for name, first, second in (
        ("gzip", gzip.compress(data[:100]), gzip.compress(data[100:])),
        ("bz2", bz2.compress(data[:100]), bz2.compress(data[100:])),
    ):
        assert pipeline({"id": name}, [], 50).decode(first + second) == data


def test_sizes_that_differ_are_an_error() -> None:
    for value in (zlib.compress(bytes(100)), zlib.compress(b"")):
        with pytest.raises(CorruptError, match="decodes to"):
            pipeline({"id": "zlib"}, [], 50).decode(value)
    assert lzma.decompress(lzma.compress(b"1")) == b"1"


def test_codecs_of_zarr_3() -> None:
    google_crc32c = pytest.importorskip("google_crc32c")
    data = bytes(range(40))
    codecs = [
        {"name": "transpose", "configuration": {"order": [0]}},
        {"name": "bytes", "configuration": {"endian": "little"}},
        {"name": "gzip", "configuration": {"level": 5}},
        "crc32c",
    ]
    chain = pipeline_v3(codecs, [10], 4)
    packed = gzip.compress(data)
    value = packed + google_crc32c.value(packed).to_bytes(4, "little")
    assert chain.obstacle() is None
    assert bytes(chain.decode(value)) == data
    with pytest.raises(CorruptError, match="checksum"):
        chain.decode(value[:-1] + b"\0")


@pytest.mark.parametrize("name", ["pickle", "no_such_codec"])
def test_what_cannot_be_decoded_here_is_said(name: str) -> None:
    chain = pipeline({"id": "zlib"}, [{"id": name}], 10)
    obstacle = chain.obstacle()
    assert obstacle is not None
    assert name in obstacle
