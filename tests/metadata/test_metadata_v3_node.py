"""v3 groups, nodes of either kind, the documents that a group lists, and the reader."""

import json
from typing import Any

import pytest

from zarrdb.metadata import reasons
from zarrdb.metadata.reading import Reading
from zarrdb.metadata.repair import repaired
from zarrdb.metadata.v3 import (
    CORE_V3,
    ZarrV3ArrayReading,
    ZarrV3ConsolidatedReading,
    ZarrV3GroupReading,
    ZarrV3Reader,
    ZarrV3UnknownReading,
)
from zarrdb.metadata.v3.repair import repairs

READER = ZarrV3Reader()
GROUP = {"zarr_format": 3, "node_type": "group", "attributes": {}}
ARRAY: dict[str, Any] = {
    "zarr_format": 3,
    "node_type": "array",
    "shape": [4],
    "data_type": "float32",
    "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
    "chunk_key_encoding": {"name": "default"},
    "fill_value": 0,
    "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
}


def listing(**entries: Any) -> dict[str, Any]:
    """A group that lists such documents."""
    copy = {"kind": "inline", "must_understand": False, "metadata": entries}
    return {**GROUP, "consolidated_metadata": copy}


def consolidated(value: dict[str, Any]) -> ZarrV3ConsolidatedReading:
    group = READER.group(value)
    assert group.problems == ()
    return READER.consolidated(group)


def said(value: dict[str, Any]) -> list[tuple[Any, ...]]:
    """What is wrong with the documents that a group lists, below `metadata`."""
    found = consolidated(value).problems
    assert {each.loc[:2] for each in found} <= {("consolidated_metadata", "metadata")}
    return [(*each.loc[2:], each.reason) for each in found]


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"attributes": None}, ("attributes", reasons.WRONG_TYPE)),
        ({"zarr_format": 4}, ("zarr_format", reasons.NOT_ALLOWED)),
        ({"consolidated_metadata": None}, ("consolidated_metadata", reasons.NULL_MEMBER)),
        ({"consolidated_metadata": []}, ("consolidated_metadata", reasons.WRONG_TYPE)),
        (
            {"consolidated_metadata": {"kind": "inline", "must_understand": False}},
            ("consolidated_metadata", "metadata", reasons.MISSING_MEMBER),
        ),
        (
            {"consolidated_metadata": {"kind": "x", "must_understand": False, "metadata": {}}},
            ("consolidated_metadata", "kind", reasons.NOT_ALLOWED),
        ),
    ],
)
def test_faults_of_groups(change: dict[str, Any], expected: tuple[Any, ...]) -> None:
    found = READER.group({**GROUP, **change}).problems
    assert [(*each.loc, each.reason) for each in found] == [expected]


def test_further_members_of_groups() -> None:
    reading = READER.group({**GROUP, "shape": [1], "order": "C", "x": {"must_understand": False}})
    assert reading.problems == ()
    assert reading.must_understand == ("shape", "order")
    assert [each.reason for each in reading.notes] == [
        reasons.UNKNOWN_MEMBER,
        reasons.MISPLACED_MEMBER,
    ]


def test_what_a_document_is_follows_from_its_node_type() -> None:
    kinds: dict[type[Reading], Any] = {
        ZarrV3ArrayReading: ARRAY,
        ZarrV3GroupReading: GROUP,
        ZarrV3UnknownReading: {},
    }
    for kind, value in kinds.items():
        assert type(READER.node(value)) is kind
    missing = READER.node({}).problems
    assert {each.loc for each in missing} == {("zarr_format",), ("node_type",)}
    for value in ([], None, "x", 3):
        (problem,) = READER.node(value).problems
        assert (problem.loc, problem.reason) == ((), reasons.NOT_AN_OBJECT)


def test_every_listed_document_is_read() -> None:
    reading = consolidated(listing(a=ARRAY, g=GROUP, **{"g/b": {**ARRAY, "fill_value": None}}))
    assert reading.nodes.keys() == {"a", "g", "g/b"}
    assert [each.reason for each in reading.problems] == [reasons.NULL_FILL_VALUE]
    place = ("consolidated_metadata", "metadata", "a", "data_type")
    assert reading.field_at(*place) is not None
    assert reading == consolidated(
        listing(**{"g/b": {**ARRAY, "fill_value": None}}, g=GROUP, a=ARRAY)
    )
    assert reading.read_in(CORE_V3) == reading


@pytest.mark.parametrize(
    "path", ["", "/a", "a/", "a//b", ".", "..", "a/...", "__a", "a/__b", "zarr.json", "a/zarr.json"]
)
def test_keys_that_are_no_paths(path: str) -> None:
    assert (path, reasons.BAD_PATH) in said(listing(**{path: GROUP, "a": GROUP}))


@pytest.mark.parametrize("path", ["a", "é", "a b", ".a", "a..", "_a", "zarr", "A/0"])
def test_keys_that_are_paths(path: str) -> None:
    assert said(listing(**{path: ARRAY, "A": GROUP})) == []


def test_the_tree_of_listed_nodes() -> None:
    assert said(listing(**{"g/h/a": ARRAY, "g/h/b": ARRAY})) == [("g/h", reasons.MISSING_GROUP)]
    assert said(listing(a=ARRAY, **{"a/b": GROUP, "a/c/d": ARRAY})) == [
        ("a/b", reasons.NODE_BELOW_ARRAY),
        ("a/c/d", reasons.NODE_BELOW_ARRAY),
    ]


def test_a_listed_group_says_what_the_outer_one_says() -> None:
    inner = listing(b=ARRAY)
    place = ("g", "consolidated_metadata", "metadata", "b")
    assert said(listing(g=inner, **{"g/b": ARRAY})) == []
    assert said(listing(g=inner, **{"g/b": {**ARRAY, "fill_value": 0.0}})) == []
    for other in ({}, {"g/b": GROUP}, {"g/b": {**ARRAY, "fill_value": 1}}):
        assert said(listing(g=inner, **other)) == [(*place, reasons.CONTRADICTION)]


def test_attributes_may_hold_what_json_does_not() -> None:
    assert said(listing(a={**ARRAY, "attributes": {"v": float("nan")}})) == []
    assert READER.group({**GROUP, "attributes": {"v": float("inf")}}).problems == ()


def test_documents_from_bytes_are_remembered() -> None:
    reader = ZarrV3Reader(limit=2)
    data = json.dumps(ARRAY).encode()
    assert reader.document_from_bytes("zarr.json", data) is reader.document_from_bytes(
        "zarr.json", bytes(data)
    )
    for number in range(5):
        text = json.dumps({**ARRAY, "shape": [number]}).encode()
        assert reader.document_from_bytes("zarr.json", text).problems == ()
    (problem,) = reader.document_from_bytes("zarr.json", b"{").problems
    assert (problem.loc, problem.kind) == (("zarr.json",), "invalid_json")
    with pytest.raises(ValueError, match="no document of Zarr v3"):
        reader.document_from_bytes(".zarray", data)


def test_repairs_reach_into_the_copy() -> None:
    empty = {
        **ARRAY,
        "shape": [0],
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [0]}},
    }
    bare = {**ARRAY, "fill_value": float("nan")}
    parts = {**ARRAY, "data_type": "complex64", "fill_value": [float("-inf"), 0]}
    bare_copy = {**GROUP, "consolidated_metadata": None}
    value = listing(a=empty, b=bare, c=parts, g=bare_copy)
    made = repairs(value)
    assert [each.loc[2] for each in made] == ["a", "b", "c", "g"]
    mended = repaired(value, made)
    assert said(mended) == []
    entries = mended["consolidated_metadata"]["metadata"]
    assert entries["b"]["fill_value"] == "NaN"
    assert entries["c"]["fill_value"] == ["-Infinity", 0]
    assert value["consolidated_metadata"]["metadata"]["g"] is bare_copy


@pytest.mark.parametrize(
    "value",
    [
        [],
        GROUP,
        ARRAY,
        {**ARRAY, "fill_value": float("nan")},
        {**ARRAY, "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [0]}}},
        {**ARRAY, "chunk_grid": "regular"},
        listing(a=5),
    ],
)
def test_nothing_to_repair(value: Any) -> None:
    assert repairs(value) == ()
