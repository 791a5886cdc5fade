"""Conformance vectors of v3: a `zarr.json` a line, with what is wrong with it."""

import json
from typing import Any

import pytest

from helpers_metadata import bytes_of, expected_problems, problems, rows
from zarrdb.metadata.reading import Reading
from zarrdb.metadata.repair import repaired
from zarrdb.metadata.v3 import ZarrV3GroupReading, ZarrV3Reader
from zarrdb.metadata.v3.repair import repairs

READER = ZarrV3Reader()
FORGETFUL = ZarrV3Reader(limit=1)
NAME = "zarr.json"
SLOTS = {
    "data_types": "v3_data_type",
    "codecs": "v3_codec",
    "chunk_grids": "chunk grid",
    "chunk_key_encodings": "chunk key encoding",
    "storage_transformers": "storage transformer",
    "array_extra_fields": "array extra field",
    "group_extra_fields": "group extra field",
}


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """One test a document of v3."""
    if "row" in metafunc.fixturenames:
        cases = [row for row in rows("documents.jsonl", metafunc.config) if is_decided(row)]
        metafunc.parametrize("row", cases, ids=[row["id"] for row in cases])


def is_decided(row: dict[str, Any]) -> bool:
    """Whether a row is a `zarr.json` with a verdict that does not depend on Python's limits."""
    return row["key"] == NAME and "python_limit" not in row.get("tags", ()) and "problems" in row


def test_document(row: dict[str, Any]) -> None:
    reading = READER.document_from_bytes(NAME, bytes_of(row))
    assert problems(reading.problems) == expected_problems(row)
    assert (row["expect"] == "valid") == (not reading.problems)
    unclaimed = [
        {"loc": list(each.loc), "kind": SLOTS[each.slot], "name": each.name}
        for each in reading.unclaimed
    ]
    assert unclaimed == row.get("unclaimed", [])
    assert list(getattr(reading, "must_understand", ())) == row.get("must_understand", [])


def test_what_is_remembered_changes_nothing(row: dict[str, Any]) -> None:
    data = bytes_of(row)
    read = [each.document_from_bytes(NAME, data) for each in (FORGETFUL, READER, ZarrV3Reader())]
    assert read[0].problems == read[1].problems == read[2].problems


def test_consolidated(row: dict[str, Any]) -> None:
    if "consolidated" not in row:
        return
    group = READER.document_from_bytes(NAME, bytes_of(row))
    assert isinstance(group, ZarrV3GroupReading)
    found = READER.consolidated(group).problems
    assert problems(found) == expected_problems(row["consolidated"])
    assert (row["consolidated"]["expect"] == "valid") == (not found)


def test_repairs(row: dict[str, Any]) -> None:
    if "repairs" not in row:
        return
    value = json.loads(bytes_of(row))
    made = repairs(value)
    assert [{"loc": list(each.loc), "kind": each.kind} for each in made] == row["repairs"]
    mended = READER.document(NAME, repaired(value, made))
    assert problems(mended.problems) == expected_problems(row, "problems_after_repair")
    assert problems(of_copy(mended)) == []


def of_copy(reading: Reading) -> Any:
    """What is wrong with the documents that a group lists, nothing for an array."""
    return READER.consolidated(reading).problems if isinstance(reading, ZarrV3GroupReading) else ()
