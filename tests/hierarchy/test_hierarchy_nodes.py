"""Nodes: found wherever they are, never hidden by what is wrong beside them."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_sources import (
    GROUP_V2,
    MemorySource,
    Store,
    array_v2,
    array_v3,
    document,
    group_v3,
    small_store,
)
from zarrdb.hierarchy import Node, lookup, walk
from zarrdb.hierarchy.documents import MAX_DOCUMENT


def listed(store: Store, path: str = "", **options: Any) -> list[tuple[str, str, int | None]]:
    return [(n.path, n.kind, n.zarr_format) for n in walk(MemorySource(store), path, **options)]


def only(store: Store, path: str = "a") -> Node:
    (node,) = lookup(MemorySource(store), path)
    return node


def test_a_small_store() -> None:
    root, array = walk(MemorySource(small_store()))
    assert (root.path, root.kind, root.attributes) == ("", "group", {"title": "small"})
    assert root.chunks_present is None
    assert array.data_type == "int32"
    assert (array.shape, array.chunk_shape, array.shard_shape) == ((4,), (2,), None)
    assert (array.chunks_present, array.chunks_total, array.stored_bytes) == (2, 2, 16)
    assert (array.item_size, array.fill_value, array.attributes) == (4, 0, {})
    assert array.problem is None


def test_nothing_is_no_hierarchy() -> None:
    assert listed({}) == []
    assert listed({"README.md": b"", "data/0.0": b""}) == []
    assert lookup(MemorySource({}), "a") == ()


def test_depth_and_start() -> None:
    store = {
        "zarr.json": group_v3(),
        "g/zarr.json": group_v3(),
        "g/h/zarr.json": group_v3(),
        "g/h/a/zarr.json": array_v3(),
        "z/zarr.json": array_v3(),
    }
    paths = [[path for path, _, _ in listed(store, depth=depth)] for depth in range(5)]
    assert paths == [
        [""],
        ["", "g", "z"],
        ["", "g", "g/h", "z"],
        ["", "g", "g/h", "g/h/a", "z"],
        ["", "g", "g/h", "g/h/a", "z"],
    ]
    assert [path for path, _, _ in listed(store, "g")] == ["g", "g/h", "g/h/a"]
    assert listed(store, "g/h/a") == [("g/h/a", "array", 3)]
    assert listed(store, "nowhere") == []


def test_parents_come_first_and_siblings_by_name() -> None:
    store = {f"{path}/.zgroup": GROUP_V2 for path in ("b", "a", "a/z", "a-b", "a.b", "é")}
    store[".zgroup"] = GROUP_V2
    assert [path for path, _, _ in listed(store)] == ["", "a", "a/z", "a-b", "a.b", "b", "é"]


def test_groups_without_documents_are_implied() -> None:
    store = {"foo/bar/baz/zarr.json": array_v3(), "foo/bar/baz/c/0": b"x", "lost/c/0": b"x"}
    assert listed(store) == [
        ("", "group", None),
        ("foo", "group", None),
        ("foo/bar", "group", None),
        ("foo/bar/baz", "array", 3),
    ]
    assert all(n.is_implicit for n in walk(MemorySource(store)) if n.kind == "group")


def test_attributes_alone_imply_a_group() -> None:
    store = {"a/.zattrs": b'{"x": 1}', "b/.zmetadata": b"{}"}
    nodes = {node.path: node for node in walk(MemorySource(store))}
    assert (nodes["a"].kind, nodes["a"].zarr_format, nodes["a"].attributes) == (
        "group",
        None,
        {"x": 1},
    )
    assert nodes["b"].is_implicit


def test_both_formats_at_one_path_are_two_nodes() -> None:
    store = {
        "zarr.json": group_v3(attributes={"from": "v3"}),
        ".zgroup": GROUP_V2,
        ".zattrs": b'{"from": "v2"}',
        "x/zarr.json": array_v3((4,)),
        "x/.zarray": array_v2((8,)),
        "x/c/0": b"12345678",
        "x/0": b"12345678",
    }
    nodes = list(walk(MemorySource(store)))
    assert [(n.path, n.zarr_format, n.attributes) for n in nodes[:2]] == [
        ("", 3, {"from": "v3"}),
        ("", 2, {"from": "v2"}),
    ]
    assert [(n.path, n.shape, n.chunks_present, n.chunks_total) for n in nodes[2:]] == [
        ("x", (4,), 1, 2),
        ("x", (8,), 1, 4),
    ]


def test_formats_may_change_from_level_to_level() -> None:
    store = {"zarr.json": group_v3(), "x/.zarray": array_v2(), "y/zarr.json": array_v3()}
    assert listed(store) == [("", "group", 3), ("x", "array", 2), ("y", "array", 3)]


def test_array_and_group_at_one_path_and_what_lies_below() -> None:
    store = {".zarray": array_v2(), ".zgroup": GROUP_V2, "b/.zarray": array_v2(), "0": b"12345678"}
    assert listed(store) == [("", "array", 2), ("", "group", 2), ("b", "array", 2)]


def test_nodes_below_an_array_are_found_when_its_keys_are_counted() -> None:
    store = {"a/zarr.json": array_v3(), "a/c/0": b"x", "a/b/zarr.json": group_v3()}
    assert ("a/b", "group", 3) in listed(store)
    assert ("a/b", "group", 3) not in listed(store, counts=False)


@pytest.mark.parametrize(
    ("name", "data", "problem"),
    [
        ("zarr.json", b'{\n  "a": 1,\n  "b": }', "zarr.json is not JSON (3:8)"),
        ("zarr.json", b"", "zarr.json is empty (1:1)"),
        ("zarr.json", b"[]", "zarr.json is no JSON object"),
        ("zarr.json", b'{"a": "\xff"}', "zarr.json is not UTF-8 (1:8)"),
        ("zarr.json", b"[" * 5000, "zarr.json is nested too deep (1:257)"),
        ("zarr.json", b"{}", "zarr.json does not say zarr_format 3"),
        ("zarr.json", document(zarr_format="3"), "zarr.json does not say zarr_format 3"),
        ("zarr.json", document(zarr_format=3.0), "zarr.json does not say zarr_format 3"),
        ("zarr.json", document(zarr_format=3), "zarr.json has no node_type `group` or `array`"),
        ("zarr.json", document(zarr_format=3, node_type=[]), "zarr.json has no node_type"),
        (
            "zarr.json",
            b"version https://git-lfs.github.com/spec/v1\n",
            "zarr.json is a Git LFS pointer",
        ),
        (".zarray", b"{", ".zarray is not JSON (1:2)"),
        (".zgroup", b"null", ".zgroup is no JSON object"),
    ],
)
def test_a_broken_document_is_told_and_hides_nobody(name: str, data: bytes, problem: str) -> None:
    store = {
        ".zgroup": GROUP_V2,
        f"b/{name}": data,
        "a/.zarray": array_v2(),
        "c/.zarray": array_v2(),
    }
    nodes = list(walk(MemorySource(store)))
    assert [(node.path, node.kind) for node in nodes] == [
        ("", "group"),
        ("a", "array"),
        ("b", "broken"),
        ("c", "array"),
    ]
    assert nodes[2].problem is not None
    assert nodes[2].problem.startswith(problem)
    assert nodes[2].stored_bytes == len(data)


def test_what_lies_below_a_broken_document_is_found() -> None:
    store = {"zarr.json": b"{", "a/zarr.json": array_v3()}
    assert listed(store) == [("", "broken", 3), ("a", "array", 3)]


def test_broken_attributes_leave_the_array() -> None:
    node = only({"a/.zarray": array_v2(), "a/.zattrs": b'{"x": ,}', "a/0": b"12345678"})
    assert (node.kind, node.shape, node.attributes) == ("array", (4,), None)
    assert node.problem == ".zattrs is not JSON (1:7)"
    assert node.chunks_present == 1
    node = only({"a/zarr.json": array_v3(attributes=3)})
    assert (node.problem, node.attributes) == ("attributes of zarr.json is no object", None)


def test_oddities_do_not_break_a_node() -> None:
    data = b'\xef\xbb\xbf{"zarr_format": 2, "zarr_format": 2}'
    assert only({"a/.zgroup": data}).kind == "group"
    node = only({"a/.zattrs": b'{"x": NaN}', "a/.zgroup": GROUP_V2})
    assert node.problem is None


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"shape": [None]}, "zarr.json: shape is no list of lengths"),
        ({"shape": [-4]}, "zarr.json: shape is no list of lengths"),
        ({"shape": [True]}, "zarr.json: shape is no list of lengths"),
        ({"shape": [4.0]}, "zarr.json: shape is no list of lengths"),
        ({"shape": 4}, "zarr.json: shape is no list of lengths"),
        ({"shape": [2**63] * 300}, "zarr.json: shape is no list of lengths"),
        ({"data_type": None}, "zarr.json: data_type has no name"),
        ({"data_type": {"name": 3}}, "zarr.json: data_type has no name"),
        ({"shape": [4, 4]}, "zarr.json: chunk_grid does not fit shape"),
        ({"codecs": {}}, "zarr.json: codecs is no list"),
        ({"chunk_grid": None}, None),
        ({"chunk_key_encoding": {"name": "hilbert"}}, None),
        ({"dimension_names": 3}, None),
    ],
)
def test_members_that_make_no_sense(members: dict[str, Any], problem: str | None) -> None:
    node = only({"a/zarr.json": document(**{**json.loads(array_v3()), **members}), "a/c/0": b"x"})
    assert node.kind == "array"
    assert node.problem == problem


@pytest.mark.parametrize(
    ("members", "problem"),
    [
        ({"chunks": [0]}, ".zarray: chunks does not fit shape"),
        ({"chunks": [2, 2]}, ".zarray: chunks does not fit shape"),
        ({"chunks": None}, ".zarray: chunks is no list of lengths"),
        ({"dtype": "int32"}, ".zarray: dtype is no data type"),
        ({"dtype": ["<i4"]}, ".zarray: dtype is no data type"),
        ({"dimension_separator": "-"}, ".zarray: dimension_separator is neither `.` nor `/`"),
        ({"dimension_separator": None}, ".zarray: dimension_separator is neither `.` nor `/`"),
    ],
)
def test_members_of_format_2_that_make_no_sense(members: dict[str, Any], problem: str) -> None:
    node = only({"a/.zarray": document(**{**json.loads(array_v2()), **members}), "a/0": b"x"})
    assert (node.kind, node.problem) == ("array", problem)
    assert (node.chunks_present is None) == (members.keys() != {"dtype"})


@pytest.mark.parametrize("member", ["shape", "data_type", "codecs"])
def test_members_that_are_missing(member: str) -> None:
    members = json.loads(array_v3())
    del members[member]
    node = only({"a/zarr.json": document(**members)})
    assert (node.kind, node.problem) == ("array", f"zarr.json: {member} is missing")


def test_a_document_of_gigabytes_is_not_read() -> None:
    class Huge(MemorySource):
        def size(self, key: str) -> int | None:
            return MAX_DOCUMENT + 1 if key == "a/zarr.json" else super().size(key)

    source = Huge({"a/zarr.json": b"", "b/zarr.json": array_v3()})
    nodes = {node.path: node for node in walk(source)}
    assert nodes["a"].problem == "zarr.json is larger than 64 MiB"
    assert nodes["b"].kind == "array"
    assert "a/zarr.json" not in source.read


def test_keys_that_the_format_forbids_are_no_nodes_and_no_loops() -> None:
    store = {"zarr.json": group_v3(), "": b"", "/": b"", "b/": b"", "ok/zarr.json": group_v3()}
    store |= {"/a/zarr.json": group_v3(), "c//zarr.json": group_v3(), "//": b"", "d///e": b""}
    assert listed(store) == [("", "group", 3), ("ok", "group", 3)]


def test_a_plain_listing_reads_no_chunk_keys() -> None:
    store = small_store()
    store |= {f"a/c/{index}": b"x" for index in range(50)}
    source = MemorySource(store)
    assert [node.chunks_present for node in walk(source, counts=False)] == [None, None]
    assert not any(key.startswith("a/c") for key in source.read)


def test_a_path_of_thousands_of_levels() -> None:
    deep = "/".join(["d"] * 3000)
    store = {"zarr.json": group_v3(), f"{deep}/zarr.json": group_v3()}
    node = only(store, deep)
    assert node.kind == "group"
    assert only(store, "d").is_implicit


MEMBERS = st.sampled_from(
    [
        *("zarr_format", "node_type", "shape", "chunks", "dtype", "data_type", "codecs", "filters"),
        *("chunk_grid", "chunk_key_encoding", "compressor", "dimension_separator", "attributes"),
        *("name", "configuration", "chunk_shape", "chunk_shapes", "separator", "fields", "id"),
        *("dimension_names", "_ARRAY_DIMENSIONS", "unit", "scale_factor", "length_bytes", "level"),
    ]
)
WORDS = st.sampled_from(
    [
        *("array", "group", "regular", "rectilinear", "default", "v2", "/", ".", "<f4", "|O", ""),
        *("<M8[s]", "float32", "sharding_indexed", "bytes", "vlen-utf8", "struct", "r16"),
    ]
)
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | WORDS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(MEMBERS, inner, max_size=4),
    max_leaves=10,
)


@given(
    st.sampled_from(["zarr.json", ".zarray", ".zgroup", ".zattrs"]),
    st.dictionaries(MEMBERS, ANYTHING, max_size=8) | ANYTHING,
    st.booleans(),
)
def test_no_document_stops_a_walk(name: str, value: Any, is_array: bool) -> None:
    if isinstance(value, dict) and is_array:
        value = {**json.loads(array_v3() if name == "zarr.json" else array_v2()), **value}
    store = {"a/zarr.json": array_v3(), f"b/{name}": json.dumps(value).encode(), "b/c/0": b"x"}
    nodes = list(walk(MemorySource(store)))
    assert [node.path for node in nodes][:3] == ["", "a", "b"]
    assert all(node.kind in ("group", "array", "broken") for node in nodes)


PATHS = st.lists(st.sampled_from(["a", "b", "c", "0", "a-b"]), max_size=3).map("/".join)


@given(
    st.dictionaries(PATHS, st.sampled_from([".zarray", ".zgroup", "zarr.json", "bad"]), max_size=6),
    st.sets(PATHS.filter(bool), max_size=6),
)
def test_every_node_is_found_and_nothing_else(nodes: dict[str, str], others: set[str]) -> None:
    values = {
        ".zarray": array_v2(),
        ".zgroup": GROUP_V2,
        "zarr.json": group_v3(),
        "bad": b"{",
    }
    store: Store = {}
    for path, kind in nodes.items():
        name = "zarr.json" if kind == "bad" else kind
        store[f"{path}/{name}" if path else name] = values[kind]
    store |= {f"{path}/0.0": b"" for path in others}
    expected = set(nodes)
    for path in nodes:
        parts = path.split("/")
        expected |= {"/".join(parts[:n]) for n in range(len(parts))} if path else {""}
    found = [node.path for node in walk(MemorySource(store))]
    assert set(found) == expected
    assert len(found) == len(expected)
    order = [tuple(path.split("/")) if path else () for path in found]
    assert order == sorted(order)
