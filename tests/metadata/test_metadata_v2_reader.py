"""Documents of v2 by name, from values and from bytes."""

import json
from typing import Any

import pytest

from zarrdb.metadata import reasons
from zarrdb.metadata.document import load, stored_loc, stored_pointer
from zarrdb.metadata.v2 import (
    ZarrV2ArrayReading,
    ZarrV2ConsolidatedReading,
    ZarrV2GroupReading,
    ZarrV2Reader,
    ZarrV2UnknownReading,
)

ARRAY: dict[str, Any] = {
    "zarr_format": 2,
    "shape": [4],
    "chunks": [2],
    "dtype": [["a", "<f4"], ["b", "<f3"]],
    "compressor": {"id": "zlib"},
    "fill_value": None,
    "order": "C",
    "filters": None,
}


@pytest.mark.parametrize(
    ("name", "value", "kind"),
    [
        (".zarray", ARRAY, ZarrV2ArrayReading),
        (".zgroup", {"zarr_format": 2}, ZarrV2GroupReading),
        (".zattrs", {"a": float("nan")}, ZarrV2GroupReading),
        (".zmetadata", {"zarr_consolidated_format": 1}, ZarrV2ConsolidatedReading),
    ],
)
def test_a_name_says_what_is_read(name: str, value: Any, kind: type) -> None:
    reader = ZarrV2Reader()
    from_bytes = reader.document_from_bytes(name, json.dumps(value).encode())
    assert type(reader.document(name, value)) is kind
    assert type(from_bytes) is kind
    assert from_bytes == reader.document(name, value)


def test_other_names_are_not_read() -> None:
    with pytest.raises(ValueError, match=r"zarr\.json"):
        ZarrV2Reader().document("zarr.json", {})


@pytest.mark.parametrize(
    ("data", "reason"),
    [
        (b"", reasons.INVALID_JSON),
        (b"{", reasons.INVALID_JSON),
        (b'{"a": "\xff"}', reasons.WRONG_ENCODING),
        (b"[" * 100_000, reasons.INVALID_JSON),
        (b"[" * 100_000 + b"]" * 100_000, reasons.TOO_DEEP),
    ],
)
def test_bytes_without_a_value_have_one_problem(data: bytes, reason: str) -> None:
    reading = ZarrV2Reader().document_from_bytes(".zarray", data)
    (problem,) = reading.problems
    assert isinstance(reading, ZarrV2UnknownReading)
    assert (problem.loc, problem.kind) == ((".zarray",), "invalid_json")
    assert problem.reason in (reason, reasons.TOO_DEEP)


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "utf-16-be"])
def test_every_unicode_encoding_is_read(encoding: str) -> None:
    text = json.dumps({"zarr_format": 2})
    assert ZarrV2Reader().document_from_bytes(".zgroup", text.encode(encoding)).problems == ()


def test_so_many_verdicts_are_remembered_by_name_and_bytes() -> None:
    reader = ZarrV2Reader(limit=2)
    data = b'{"zarr_format": 2}'
    first = reader.document_from_bytes(".zgroup", data)
    assert reader.document_from_bytes(".zgroup", data) is first
    assert reader.document_from_bytes(".zattrs", data) is not first
    for level in range(2):
        reader.document_from_bytes(".zattrs", b'{"level": %d}' % level)
    assert reader.document_from_bytes(".zgroup", data) is not first
    large = b'{"zarr_format": 2' + b" " * 20_000 + b"}"
    assert reader.document_from_bytes(".zgroup", large) is not reader.document_from_bytes(
        ".zgroup", large
    )


def test_numbers_that_no_float_holds_are_not_fit() -> None:
    assert load(".zattrs", b'{"a": 1}').fit
    assert not load(".zattrs", b'{"a": NaN}').fit
    assert not load(".zattrs", b'{"a": 1e400}').fit


def test_nodes_list_what_is_in_their_documents() -> None:
    files = {".zarray": json.dumps(ARRAY).encode(), ".zattrs": b"[]", "0": b"\0"}
    reading = ZarrV2Reader().node_from_bytes(files)
    assert [(each.loc, each.reason) for each in reading.problems] == [
        (("dtype", "fields", 1, 1), reasons.WRONG_SIZE),
        (("attributes",), reasons.NOT_AN_OBJECT),
    ]


@pytest.mark.parametrize(
    ("files", "reason"),
    [
        ({}, reasons.NO_NODE),
        ({".zattrs": b"{}"}, reasons.NO_NODE),
        ({".zarray": b"{}", ".zgroup": b"{}"}, reasons.ARRAY_AND_GROUP),
        ({".zarray": b"{}", ".zgroup": b"{"}, reasons.INVALID_JSON),
    ],
)
def test_documents_that_are_no_node(files: dict[str, bytes], reason: str) -> None:
    (problem,) = ZarrV2Reader().node_from_bytes(files).problems
    assert problem.reason == reason


CONSOLIDATED = {
    "zarr_consolidated_format": 1,
    "metadata": {
        ".zgroup": {"zarr_format": 2},
        ".zattrs": {"title": "x"},
        "a/.zarray": ARRAY,
        "a/.zattrs": 5,
        "a/b/.zgroup": {"zarr_format": 2},
        "g/h/.zgroup": {"zarr_format": 2},
        "../.zgroup": {"zarr_format": 2},
        "a//.zattrs": {},
        "readme.txt": "hello",
    },
}


def test_consolidated_problems_are_at_their_entries() -> None:
    reading = ZarrV2Reader().consolidated(CONSOLIDATED)
    assert sorted((each.loc[1:], each.reason) for each in reading.problems) == [
        (("../.zgroup",), reasons.RELATIVE_PATH),
        (("a/.zarray", "dtype", "fields", 1, 1), reasons.WRONG_SIZE),
        (("a/.zattrs",), reasons.NOT_AN_OBJECT),
        (("a//.zattrs",), reasons.DUPLICATE_NODE),
        (("a/b/.zgroup",), reasons.NODE_BELOW_ARRAY),
        (("g/.zgroup",), reasons.MISSING_GROUP),
    ]
    assert sorted(reading.nodes) == ["", "a", "a/b", "g/h"]
    assert reading.field_at("metadata", "a/.zarray", "compressor") is not None


def test_nodes_of_consolidated_metadata_compare_with_their_originals() -> None:
    reader = ZarrV2Reader()
    nodes = reader.consolidated(CONSOLIDATED).nodes
    assert nodes[""] == reader.node({".zgroup": {"zarr_format": 2}, ".zattrs": {"title": "x"}})
    original = reader.node({".zarray": {**ARRAY, "compressor": {"id": "zlib", "level": 2}}})
    assert nodes["a"].differences(original) == ["attributes", "compressor"]


def test_a_broken_copy_is_compared_as_it_is_written() -> None:
    reader = ZarrV2Reader()
    broken = {**ARRAY, "dtype": "<c8", "fill_value": [None, None]}
    listed = {"a/.zarray": broken, "a/.zattrs": {}}
    copy = reader.consolidated({"zarr_consolidated_format": 1, "metadata": listed}).nodes["a"]
    assert copy.problems
    assert copy.differences(reader.node({".zarray": broken})) == []
    fixed = reader.node({".zarray": {**broken, "fill_value": [0, 0]}})
    assert copy.differences(fixed) == ["fill_value"]


def test_consolidated_metadata_is_equal_by_what_it_lists() -> None:
    reader = ZarrV2Reader()
    entries: Any = CONSOLIDATED["metadata"]
    spelled = {**entries, "a/.zarray": {**ARRAY, "compressor": {"id": "zlib", "level": 1}}}
    other = {**entries, "readme.txt": "bye"}
    first = reader.consolidated(CONSOLIDATED)
    assert first == reader.consolidated({**CONSOLIDATED, "metadata": spelled})
    assert first.differences(reader.consolidated({**CONSOLIDATED, "metadata": other})) == [
        "readme.txt"
    ]


@pytest.mark.parametrize(
    ("name", "value", "loc", "pointer"),
    [
        (".zarray", ARRAY, ("dtype", "fields", 1, 1), "/dtype/1/1"),
        (".zarray", ARRAY, ("compressor", "level"), "/compressor/level"),
        (".zarray", ARRAY, (), ""),
        (".zattrs", {"attributes": {"a": 1}}, ("attributes", "attributes", "a"), "/attributes/a"),
        (".zattrs", {"a/b": {"~": 1}}, ("attributes", "a/b", "~"), "/a~1b/~0"),
        (".zattrs", [], ("attributes",), ""),
        (
            ".zmetadata",
            CONSOLIDATED,
            ("metadata", "a/.zarray", "dtype", "fields", 1, 1),
            "/metadata/a~1.zarray/dtype/1/1",
        ),
        (".zmetadata", CONSOLIDATED, ("metadata", "g/.zgroup"), "/metadata/g~1.zgroup"),
    ],
)
def test_locations_become_pointers_into_the_text(
    name: str, value: Any, loc: Any, pointer: str
) -> None:
    assert stored_pointer(name, value, loc) == pointer


def test_records_within_records_become_pointers() -> None:
    value = {"dtype": [["a", [["b", "<f3"]]]]}
    loc = ("dtype", "fields", 0, 1, "fields", 0, 1)
    assert stored_loc(".zarray", value, loc) == ("dtype", 0, 1, 0, 1)


MANY = 50_000


@pytest.mark.parametrize(
    ("name", "value", "count"),
    [
        (".zarray", {**ARRAY, "dtype": "<f4", "shape": ["x"] * MANY}, 1),
        (".zarray", {**ARRAY, "dtype": [["a"]] * MANY}, MANY),
        (".zarray", {**ARRAY, "dtype": [["a", "<f3"]] * 2 + [["b", "<f4"]] * MANY}, MANY + 2),
        (
            ".zarray",
            {**ARRAY, "dtype": "|O", "compressor": {"id": "zlib"} | dict.fromkeys(map(str, range(MANY)))},
            MANY,
        ),
        (
            ".zmetadata",
            {
                "zarr_consolidated_format": 1,
                "metadata": {f"{number}/.zgroup": {} for number in range(MANY)}
                | {f"{'x/' * MANY}.zgroup": {"zarr_format": 2}},
            },
            MANY + 1,
        ),
    ],
)  # fmt: skip
def test_large_documents_are_judged_in_time(name: str, value: Any, count: int) -> None:
    assert len(ZarrV2Reader().document(name, value).problems) == count
