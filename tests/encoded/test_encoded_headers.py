"""Headers of values that the real compressors wrote."""

import bz2
import gzip
import zlib

import numcodecs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.encoded import headers

WRITERS = {
    "blosc": numcodecs.Blosc(cname="zstd", clevel=3),
    "zstd": numcodecs.Zstd(level=1),
    "lz4": numcodecs.LZ4(),
    "gzip": numcodecs.GZip(level=1),
    "zlib": numcodecs.Zlib(level=1),
    "bz2": numcodecs.BZ2(level=1),
}


def read(codec: str, value: bytes) -> headers.Encoded | None:
    return headers.READERS[codec](value[: headers.HEAD], len(value))


@given(data=st.binary(min_size=1, max_size=400), repeat=st.integers(1, 300))
@pytest.mark.parametrize("codec", sorted(WRITERS))
def test_written_values_are_recognised_and_sizes_are_right(
    codec: str, data: bytes, repeat: int
) -> None:
    data *= repeat
    value = bytes(WRITERS[codec].encode(data))
    header = read(codec, value)
    assert header is not None
    assert header.decoded in (None, len(data))
    assert header.stored in (None, len(value))


@pytest.mark.parametrize("codec", ["blosc", "zstd", "lz4"])
def test_sizes_are_told_where_the_format_has_them(codec: str) -> None:
    value = bytes(WRITERS[codec].encode(b"abc" * 1000))
    header = read(codec, value)
    assert header is not None
    assert header.decoded == 3000


@pytest.mark.parametrize("size", [0, 1, 255, 256, 65791, 65792, 70000])
def test_zstd_tells_sizes_of_every_width(size: int) -> None:
    header = read("zstd", bytes(WRITERS["zstd"].encode(bytes(size))))
    assert header is not None
    assert header.decoded == size


def test_gzip_tells_its_size_at_the_end() -> None:
    value = gzip.compress(b"x" * 12345)
    assert headers.gzip_decoded(value) == 12345


@pytest.mark.parametrize("cname", ["blosclz", "lz4", "lz4hc", "zlib", "zstd"])
def test_blosc_names_its_compressor(cname: str) -> None:
    value = bytes(numcodecs.Blosc(cname=cname).encode(bytes(10_000)))
    header = read("blosc", value)
    assert header is not None
    assert header.detail == cname.replace("lz4hc", "lz4")


@pytest.mark.parametrize("codec", sorted(WRITERS))
def test_values_of_other_formats_are_told_apart(codec: str) -> None:
    others = {
        name: bytes(writer.encode(b"The quick brown fox jumps over the lazy dog. " * 9))
        for name, writer in WRITERS.items()
        if name != codec
    }
    others["text"] = b'{"zarr_format": 2} and so on, for more bytes than a header has'
    recognised = [name for name, value in others.items() if read(codec, value) is not None]
    assert recognised == []


@given(st.binary(max_size=40))
def test_any_bytes_are_taken(data: bytes) -> None:
    for codec in headers.READERS:
        read(codec, data)


def test_streams_of_the_standard_library_are_recognised() -> None:
    assert read("zlib", zlib.compress(b"x" * 100)) is not None
    assert read("bz2", bz2.compress(b"")) is not None
