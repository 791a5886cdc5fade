"""Codecs by names like `zstd:5`."""

import time
from typing import Any

import numcodecs
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.arrays.codecs import DEFAULT, Codec, decoder, encoder, for_zarr, parse_codec
from zarrdb.errors import UsageError


@pytest.mark.parametrize(
    ("text", "codec"),
    [
        ("zstd", Codec("zstd", 3)),
        ("zstd:22", Codec("zstd", 22)),
        ("blosc", Codec("blosc", 5)),
        ("blosc:0", Codec("blosc", 0)),
        ("gzip:9", Codec("gzip", 9)),
        ("none", Codec("none", 0)),
    ],
)
def test_names_and_levels(text: str, codec: Codec) -> None:
    assert parse_codec(text) == codec


def test_the_default_has_a_name() -> None:
    assert parse_codec("zstd") == DEFAULT


@pytest.mark.parametrize(
    "text",
    [
        *("", "lz4", "ZSTD", "none:1", "gzip:10", "blosc:1.5", "zstd:²", "zstd:" + "9" * 5000),
        *("zstd:0", "zstd:23", "zstd:-1", "zstd:x", "zstd:", "zstd:1:2"),
    ],
)
def test_what_is_no_codec_is_refused_with_what_is(text: str) -> None:
    with pytest.raises(UsageError) as caught:
        parse_codec(text)
    assert caught.value.hint


@given(
    data=st.binary(min_size=1, max_size=200),
    text=st.sampled_from(["zstd:1", "zstd", "blosc", "gzip", "none"]),
    itemsize=st.sampled_from([1, 2, 3, 8, 16, 255, 256, 300]),
)
def test_what_is_encoded_is_decoded_by_us_and_by_numcodecs(
    data: bytes, text: str, itemsize: int
) -> None:
    data = data * itemsize
    codec = parse_codec(text)
    value = encoder(codec, itemsize)(data)
    assert decoder(codec)(value) == data
    if codec.name != "none":
        theirs: Any = numcodecs.get_codec({"id": codec.name})
        assert bytes(theirs.decode(value)) == data


@pytest.mark.parametrize("text", ["zstd", "blosc", "gzip"])
def test_the_same_bytes_give_the_same_value_at_any_time(
    text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    encode = encoder(parse_codec(text), 8)
    first = encode(bytes(range(256)) * 10)
    now = time.time()
    monkeypatch.setattr(time, "time", lambda: now + 1000)
    assert encode(bytes(range(256)) * 10) == first


@pytest.mark.parametrize("zarr_format", [2, 3])
def test_zarr_is_told_the_same_codec(zarr_format: int) -> None:
    assert for_zarr(Codec("none", 0), 4, zarr_format) is None
    for text, name in [("zstd:7", "zstd"), ("gzip:2", "gzip"), ("blosc:1", "blosc")]:
        codec = for_zarr(parse_codec(text), 4, zarr_format)
        told = codec.get_config() if zarr_format == 2 else codec.to_dict()
        assert told.get("id", told.get("name")) == name
        assert str(parse_codec(text).level) in str(told)
