"""Data types, codecs and dimension names as they are shown."""

from typing import Any

import pytest

from helpers_sources import MemorySource, array_v2, array_v3
from zarrdb.hierarchy import Node, lookup


def v2(**members: Any) -> Node:
    (node,) = lookup(MemorySource({"a/.zarray": array_v2(**members)}), "a")
    return node


def v3(**members: Any) -> Node:
    (node,) = lookup(MemorySource({"a/zarr.json": array_v3(**members)}), "a")
    return node


@pytest.mark.parametrize(
    ("dtype", "name", "size"),
    [
        ("<f4", "float32", 4),
        (">f8", "float64", 8),
        ("<f2", "float16", 2),
        ("|b1", "bool", 1),
        ("|u1", "uint8", 1),
        ("|i1", "int8", 1),
        ("<i8", "int64", 8),
        (">c16", "complex128", 16),
        ("<M8[ns]", "datetime64[ns]", 8),
        ("<m8[10s]", "timedelta64[10s]", 8),
        ("<U5", "<U5", 20),
        ("|S10", "|S10", 10),
        ("|V16", "|V16", 16),
        ("|O", "object", None),
        ([["x", "<f4"], ["y", ">i2"]], "{x: float32, y: int16}", 6),
        ([["x", "<f4", [2, 3]]], "{x: float32}", 24),
        ([["p", [["q", "|u1"]]], ["s", "|O"]], "{p: {q: uint8}, s: object}", None),
    ],
)
def test_typestrings(dtype: object, name: str, size: int | None) -> None:
    node = v2(dtype=dtype)
    assert (node.data_type, node.item_size, node.problem) == (name, size, None)


@pytest.mark.parametrize(
    ("codec", "name"),
    [("vlen-utf8", "string"), ("vlen-bytes", "variable_length_bytes"), ("json2", "object")],
)
def test_objects_are_named_after_their_codec(codec: str, name: str) -> None:
    assert v2(dtype="|O", filters=[{"id": codec}]).data_type == name


@pytest.mark.parametrize(
    "dtype",
    ["", "<", "f4", "<f", "<U", "<x4", "int32", None, 4, [], [[]], [["x"]], [[1, "<f4"]], "<f²"],
)
def test_what_is_no_typestring(dtype: object) -> None:
    node = v2(dtype=dtype)
    assert node.data_type is None
    assert node.problem == ".zarray: dtype is no data type"


@pytest.mark.parametrize(
    ("data_type", "name", "size"),
    [
        ("float32", "float32", 4),
        ("bool", "bool", 1),
        ("complex64", "complex64", 8),
        ("bfloat16", "bfloat16", 2),
        ("int4", "int4", 1),
        ("r24", "r24", 3),
        ("string", "string", None),
        ({"name": "int32"}, "int32", 4),
        (
            {"name": "numpy.datetime64", "configuration": {"unit": "ns", "scale_factor": 1}},
            "numpy.datetime64[ns]",
            8,
        ),
        (
            {"name": "numpy.timedelta64", "configuration": {"unit": "s", "scale_factor": 10}},
            "numpy.timedelta64[10s]",
            8,
        ),
        (
            {"name": "fixed_length_utf32", "configuration": {"length_bytes": 20}},
            "fixed_length_utf32",
            20,
        ),
        (
            {
                "name": "struct",
                "configuration": {
                    "fields": [
                        {"name": "x", "data_type": "float32"},
                        {"name": "y", "data_type": {"name": "int16"}},
                    ]
                },
            },
            "struct{x: float32, y: int16}",
            6,
        ),
        (
            {"name": "structured", "configuration": {"fields": [["x", "float32"]]}},
            "structured{x: float32}",
            4,
        ),
        (
            {"name": "mine", "configuration": {"fields": 3, "unit": 4, "length_bytes": "x"}},
            "mine",
            None,
        ),
    ],
)
def test_data_types_of_format_3(data_type: object, name: str, size: int | None) -> None:
    node = v3(data_type=data_type)
    assert (node.data_type, node.item_size, node.problem) == (name, size, None)


def labels(node: Node) -> list[tuple[str, str]]:
    return [(codec.role, codec.label) for codec in node.codecs]


def test_filters_and_compressor_of_format_2() -> None:
    node = v2(
        filters=[{"id": "delta", "dtype": "<i4"}, {"id": "shuffle", "elementsize": 4}],
        compressor={"id": "blosc", "cname": "lz4", "clevel": 5, "shuffle": 1, "blocksize": 0},
    )
    assert labels(node) == [
        ("filter", "delta (dtype <i4)"),
        ("filter", "shuffle (elementsize 4)"),
        ("compressor", "blosc (lz4, level 5, shuffle)"),
    ]
    assert labels(v2(compressor={"id": "zlib", "level": 1})) == [("compressor", "zlib (level 1)")]
    assert labels(v2(compressor="zlib", filters=[3, {"id": 4}, {}])) == []


def test_codecs_of_format_3() -> None:
    codecs: list[object] = [
        {"name": "transpose", "configuration": {"order": [1, 0]}},
        {"name": "bytes", "configuration": {"endian": "big"}},
        {"name": "zstd", "configuration": {"level": 3, "checksum": False}},
        "crc32c",
        {"configuration": {}},
        7,
    ]
    assert labels(v3(codecs=codecs)) == [
        ("filter", "transpose (order 1 x 0)"),
        ("serializer", "bytes (big)"),
        ("compressor", "zstd (level 3)"),
        ("compressor", "crc32c"),
    ]


def test_shards_show_the_codecs_inside_and_both_shapes() -> None:
    sharding = {
        "name": "sharding_indexed",
        "configuration": {
            "chunk_shape": [2, 5],
            "codecs": [{"name": "bytes"}, {"name": "gzip", "configuration": {"level": 1}}],
            "index_codecs": [{"name": "bytes"}, {"name": "crc32c"}],
        },
    }
    node = v3(shape=(100, 100), chunks=(10, 50), codecs=[sharding])
    assert (node.shard_shape, node.chunk_shape) == ((10, 50), (2, 5))
    assert node.chunks_total == 20
    assert labels(node) == [("serializer", "bytes"), ("compressor", "gzip (level 1)")]


@pytest.mark.parametrize(
    "inner",
    [None, {}, {"chunk_shape": 3}, {"chunk_shape": [1], "codecs": [{"name": "sharding_indexed"}]}],
)
def test_a_sharding_codec_that_makes_no_sense_does_no_harm(inner: object) -> None:
    node = v3(codecs=[{"name": "sharding_indexed", "configuration": inner}])
    assert node.kind == "array"


def test_dimension_names_of_both_formats() -> None:
    assert v3(dimension_names=["x"]).dimension_names == ("x",)
    assert v3(dimension_names=[None]).dimension_names == (None,)
    assert v3(dimension_names="x").dimension_names is None
    store = {"a/.zarray": array_v2(), "a/.zattrs": b'{"_ARRAY_DIMENSIONS": ["time"]}'}
    (node,) = lookup(MemorySource(store), "a")
    assert node.dimension_names == ("time",)
