"""A document that cannot be read: nothing is said of the chunks that it would explain."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from helpers_cli import write_store
from helpers_lint import CHUNK, GROUP2, GROUP3, Files, check_files, rules_found, write_database
from zarrdb.lint import FileReport, check_file

BROKEN: list[Any] = [
    *(b"{no", b"", b"[]", b"{}", b"5", b'{"a": NaN', b"[" * 300, b"\xff", "{}".encode("utf-16")),
    {"zarr_format": 4, "node_type": "array"},
    {"zarr_format": 3},
    {"zarr_format": 3, "node_type": "tensor"},
    {"zarr_format": "2", "shape": [4]},
]


def store(document: str, value: Any) -> Files:
    """A group with an array's document, and what looks like its chunks."""
    if document == "zarr.json":
        return {"zarr.json": GROUP3, "a/zarr.json": value, "a/c/0": CHUNK, "a/c/1": CHUNK}
    return {".zgroup": GROUP2, "a/.zarray": value, "a/0": CHUNK, "a/1": CHUNK, "a/2/0": CHUNK}


def require_nothing_of_chunks(report: FileReport) -> None:
    found = rules_found(report.findings)
    assert found
    assert not [rule for rule in found if rule.startswith("chunk/")]


documents = pytest.mark.parametrize("document", ["zarr.json", ".zarray"])


@documents
@pytest.mark.parametrize("value", BROKEN, ids=str)
def test_what_is_no_document_of_an_array(document: str, value: Any) -> None:
    require_nothing_of_chunks(check_files(store(document, value)))


@documents
@pytest.mark.parametrize("value", ["5", "NULL", "'text'"])
def test_what_is_no_bytes(tmp_path: Path, document: str, value: str) -> None:
    loose = "CREATE TABLE zarr(k TEXT PRIMARY KEY NOT NULL, v)"
    metadata = (
        "CREATE TABLE zarr_sqlitestore_metadata(k TEXT PRIMARY KEY NOT NULL, v TEXT NOT NULL)"
    )
    path = write_database(
        str(tmp_path / "x.zarrdb"),
        store(document, b""),
        schema=[loose, metadata],
        after=[f"UPDATE zarr SET v = {value} WHERE k = 'a/{document}'"],
    )
    require_nothing_of_chunks(check_file(path))


def link_to_nowhere(path: Path) -> None:
    path.symlink_to("nowhere")


STANDING: list[Callable[[Path], object]] = [link_to_nowhere]
if hasattr(os, "mkfifo"):
    STANDING.append(os.mkfifo)


@documents
@pytest.mark.parametrize("make", STANDING)
def test_what_is_no_file(tmp_path: Path, document: str, make: Callable[[Path], object]) -> None:
    path = write_store(tmp_path / "x.zarr", store(document, b""))
    place = path / "a" / document
    place.unlink()
    make(place)
    require_nothing_of_chunks(check_file(path))
    place.unlink()
    assert "chunk/orphan" in rules_found(check_file(path).findings)
