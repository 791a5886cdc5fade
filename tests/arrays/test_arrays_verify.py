"""Chunks that zarr-python writes verify; whatever is done to them is told, and nothing more."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numcodecs
import numpy
import pytest
import zarr
from hypothesis import given
from hypothesis import strategies as st
from zarr.codecs import (
    BloscCodec,
    BytesCodec,
    Crc32cCodec,
    GzipCodec,
    ShardingCodec,
    TransposeCodec,
    ZstdCodec,
)

from zarrdb.arrays.verify import Verifier, verifier_v2, verifier_v3

DATA = numpy.arange(60, dtype="<i4").reshape(6, 10)

PIPELINES_V3: dict[str, list[Any]] = {
    "bytes": [BytesCodec()],
    "big": [BytesCodec(endian="big")],
    "gzip": [BytesCodec(), GzipCodec()],
    "zstd": [BytesCodec(), ZstdCodec()],
    "blosc": [BytesCodec(), BloscCodec()],
    "crc32c": [BytesCodec(), Crc32cCodec()],
    "twice": [BytesCodec(), ZstdCodec(), GzipCodec(), Crc32cCodec()],
    "transpose": [TransposeCodec(order=(1, 0)), BytesCodec(), ZstdCodec()],
    "shard": [ShardingCodec(chunk_shape=(1, 5), codecs=[BytesCodec(), ZstdCodec(), Crc32cCodec()])],
    "start": [ShardingCodec(chunk_shape=(3, 1), index_location="start")],
    "unchecked": [ShardingCodec(chunk_shape=(3, 1), index_codecs=[BytesCodec()])],
    "nested": [ShardingCodec(chunk_shape=(3, 5), codecs=[ShardingCodec(chunk_shape=(1, 5))])],
}
PIPELINES_V2: dict[str, tuple[Any, list[Any] | None]] = {
    "none": (None, None),
    "zlib": (numcodecs.Zlib(), None),
    "gzip": (numcodecs.GZip(), None),
    "bz2": (numcodecs.BZ2(), None),
    "lzma": (numcodecs.LZMA(), None),
    "blosc": (numcodecs.Blosc(), None),
    "zstd": (numcodecs.Zstd(checksum=True), None),
    "lz4": (numcodecs.LZ4(), None),
    "delta": (numcodecs.Zlib(), [numcodecs.Delta(dtype="<i4")]),
    "shuffle": (numcodecs.Zstd(), [numcodecs.Shuffle(elementsize=4)]),
    "scaled": (
        numcodecs.Zstd(),
        [numcodecs.FixedScaleOffset(offset=0, scale=1, dtype="<i4", astype="u1")],
    ),
    "crc32": (numcodecs.Zlib(), [numcodecs.CRC32()]),
}
# Damage to their values has to be told.
CHECKED_V3 = ("gzip", "crc32c", "twice")
CHECKED_V2 = ("zlib", "gzip", "bz2", "lzma", "zstd", "crc32")


def values_of(folder: Path) -> list[bytes]:
    hidden = (".zarray", ".zattrs", "zarr.json")
    files = [path for path in folder.rglob("*") if path.is_file() and path.name not in hidden]
    return [path.read_bytes() for path in files]


def written_v3(folder: Path, name: str) -> tuple[Verifier, list[bytes]]:
    codecs = PIPELINES_V3[name]
    filters = 1 if name == "transpose" else 0
    array = zarr.create_array(
        str(folder),
        shape=DATA.shape,
        chunks=(3, 5),
        dtype="<i4",
        filters=codecs[:filters],
        serializer=codecs[filters],
        compressors=codecs[filters + 1 :],
    )
    array[...] = DATA
    document = json.loads((folder / "zarr.json").read_text())
    verifier = verifier_v3(document["codecs"], (3, 5), 4)
    assert verifier is not None
    assert verifier.obstacle() is None
    return verifier, values_of(folder)


def written_v2(folder: Path, name: str) -> tuple[Verifier, list[bytes]]:
    compressor, filters = PIPELINES_V2[name]
    array = zarr.create_array(
        str(folder),
        shape=DATA.shape,
        chunks=(3, 5),
        dtype="<i4",
        zarr_format=2,
        compressors=compressor,
        filters=filters,
    )
    array[...] = DATA
    document = json.loads((folder / ".zarray").read_text())
    verifier = verifier_v2(document, 4)
    assert verifier.obstacle() is None
    return verifier, values_of(folder)


def damaged(name: str, value: bytes) -> Iterator[bytes]:
    """Each byte changed, and each end cut off; of gzip's header not the time and the system."""
    for place, byte in enumerate(value):
        if name != "gzip" or place >= 10:
            yield value[:place] + bytes([byte ^ 0x55]) + value[place + 1 :]
        yield value[:place]


@pytest.mark.parametrize("name", PIPELINES_V3)
def test_values_of_zarr_3_verify(name: str, tmp_path: Path) -> None:
    verifier, values = written_v3(tmp_path, name)
    assert len(values) == 4
    assert [verifier.verify(value) for value in values] == [None] * 4
    for value in damaged(name, values[0]):
        fault = verifier.verify(value)
        assert fault or (name not in CHECKED_V3 and len(value) == len(values[0]))


@pytest.mark.parametrize("name", PIPELINES_V2)
def test_values_of_zarr_2_verify(name: str, tmp_path: Path) -> None:
    verifier, values = written_v2(tmp_path, name)
    assert len(values) == 4
    assert [verifier.verify(value) for value in values] == [None] * 4
    faults = [verifier.verify(value) for value in damaged(name, values[0])]
    if name in CHECKED_V2:
        assert all(faults)


@given(st.binary(max_size=200), st.sampled_from([*PIPELINES_V2]))
def test_any_bytes_are_judged(value: bytes, name: str) -> None:
    compressor, filters = PIPELINES_V2[name]
    document = {
        "chunks": [3, 5],
        "compressor": compressor and compressor.get_config(),
        "filters": filters and [each.get_config() for each in filters],
    }
    fault = verifier_v2(document, 4).verify(value)
    assert fault is None or fault.message


def test_objects_are_counted() -> None:
    document = {"chunks": [3], "compressor": None, "filters": [{"id": "vlen-utf8"}]}
    verifier = verifier_v2(document, None)
    three = numcodecs.VLenUTF8().encode(numpy.array(["a", "b", "c"], dtype=object))
    two = numcodecs.VLenUTF8().encode(numpy.array(["a", "b"], dtype=object))
    assert verifier.verify(bytes(three)) is None
    assert "3" in str(verifier.verify(bytes(two)))


def test_chunks_that_do_not_fit_into_memory_are_left_alone() -> None:
    document = {"chunks": [1 << 40, 1 << 40], "compressor": {"id": "zlib"}, "filters": None}
    assert "when decoded" in str(verifier_v2(document, 8).obstacle())


def test_code_is_never_run() -> None:
    verifier = verifier_v2({"chunks": [3], "compressor": None, "filters": [{"id": "pickle"}]}, None)
    assert "runs code" in str(verifier.obstacle())


def test_a_codec_behind_a_shard_is_undone_first() -> None:
    shard = {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": [1],
            "codecs": [{"name": "bytes"}],
            "index_codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        },
    }
    index = b"".join(number.to_bytes(8, "little") for number in (0, 1, 1, 1))
    gzip = {"name": "gzip", "configuration": {"level": 1}}
    verifier = verifier_v3([shard, gzip], [2], 1)
    assert verifier is not None
    assert verifier.verify(numcodecs.GZip().encode(b"ab" + index)) is None
    assert verifier.verify(b"ab" + index)
