"""A document that is like one before it is judged no otherwise than alone."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_lint import GROUP2, GROUP3, LITTLE, array2, array3, check_files, regular

SHAPES: list[Any] = [
    [4],
    [0],
    [7],
    [],
    [4, 4],
    [-1],
    [4.0],
    [True],
    None,
    "4",
    [1 << 70],
    ...,
]
CHUNKS: list[Any] = [[2], [0], [1 << 40], [], [2, 2], [-2], [2.0], None, ...]
FILLS: list[Any] = [
    *(0, 1, -1, 300, 1 << 40, 1e39, 0.5, 65504, 65505, 1e308),
    *("", "NaN", "x", "AAAA", None, True, [0, 0], [1e39, 0], {}, ...),
]
DTYPES = ["<i4", "|u1", "<f2", "<f4", "<f8", "<c8", "|b1", "<U2", "|S3", "<M8[s]", "<i3"]
DTYPES3 = ["int32", "uint8", "float16", "float64", "complex64", "bool", "string", "r16"]
DEFLATE = {"id": "zlib", "level": 1}
ATTRIBUTES: list[Any] = [{}, {"a": 1}, {"a": [1]}, None, [], ...]


def findings(files: dict[str, Any], node: str) -> list[tuple[Any, ...]]:
    return [
        (each.rule, each.level, each.message, each.pointer, each.line, each.column)
        for each in check_files(files).findings
        if each.node == node or (each.key or "").startswith(f"{node}/")
    ]


V2 = st.fixed_dictionaries(
    {
        "shape": st.sampled_from(SHAPES),
        "chunks": st.sampled_from(CHUNKS),
        "fill_value": st.sampled_from(FILLS),
        "dtype": st.sampled_from(DTYPES),
        "compressor": st.sampled_from([None, DEFLATE, {"id": "zlib", "level": 99}]),
        "attributes": st.sampled_from([..., {}]),
    }
)
V3 = st.fixed_dictionaries(
    {
        "shape": st.sampled_from(SHAPES),
        "chunk_grid": st.sampled_from([regular(2), regular(0), regular(2, 2)]),
        "fill_value": st.sampled_from(FILLS),
        "data_type": st.sampled_from(DTYPES3),
        "codecs": st.sampled_from([[LITTLE], [{"name": "bytes"}], []]),
        "attributes": st.sampled_from(ATTRIBUTES),
        "dimension_names": st.sampled_from([..., ["x"], [None], None]),
    }
)


def same_but(draw: st.DrawFn, members: dict[str, Any], free: dict[str, list[Any]]) -> Any:
    name = draw(st.sampled_from(sorted(free)))
    return members | {name: draw(st.sampled_from(free[name]))}


@st.composite
def pairs(draw: st.DrawFn, version: int) -> tuple[dict[str, Any], dict[str, Any]]:
    """Members of two arrays, which mostly differ in one of those that are free."""
    members = draw(V2 if version == 2 else V3)
    free = {"shape": SHAPES, "fill_value": FILLS}
    free |= {"chunks": CHUNKS} if version == 2 else {"attributes": ATTRIBUTES}
    return members, same_but(draw, members, free)


@given(pairs(2))
def test_in_version_2(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    alone = {".zgroup": GROUP2, "b/.zarray": array2(**pair[1])}
    assert findings(alone | {"a/.zarray": array2(**pair[0])}, "b") == findings(alone, "b")


@given(pairs(3))
def test_in_version_3(pair: tuple[dict[str, Any], dict[str, Any]]) -> None:
    alone = {"zarr.json": GROUP3, "b/zarr.json": array3(**pair[1])}
    assert findings(alone | {"a/zarr.json": array3(**pair[0])}, "b") == findings(alone, "b")


@pytest.mark.parametrize("fill_value", FILLS[:-1])
@pytest.mark.parametrize("dtype", DTYPES[:-1])
def test_fill_values_after_one_that_is_fine(dtype: str, fill_value: Any) -> None:
    alone = {".zgroup": GROUP2, "b/.zarray": array2(dtype=dtype, fill_value=fill_value)}
    for fine in (0, 0.0, "", None):
        first = {"a/.zarray": array2(dtype=dtype, fill_value=fine)}
        assert findings(alone | first, "b") == findings(alone, "b")


@pytest.mark.parametrize(
    ("name", "document"),
    [
        (".zarray", array2(order="A", fill_value="0")),
        (".zarray", array2()),
        ("zarr.json", array3(fill_value=1e2)),
        ("zarr.json", {"zarr_format": 3, "node_type": "group", "x": 1}),
        (".zgroup", b'{"zarr_format": 2, "zarr_format": 2}'),
        (".zattrs", b'{"a": NaN'),
    ],
)
def test_a_document_that_comes_again_has_the_same_findings(name: str, document: Any) -> None:
    root = {".zgroup": GROUP2, "zarr.json": GROUP3}
    paths = [f"n{number}" for number in range(5)]
    files = root | {f"{path}/{name}": document for path in paths}
    for path in paths:
        alone = findings(root | {f"{path}/{name}": document}, path)
        assert findings(files, path) == alone
