"""Keys with the values of documents along, held against asking for each."""

from pathlib import Path

import pytest

from helpers_lint import SCHEMA, Files, write_database
from zarrdb.db import Database

FILES: Files = {
    "": b"empty key",
    ".zgroup": b"{}",
    "a/.zarray": b"[]",
    "a/0": b"chunk",
    "a/zarr.json": b"",
    "b\0c/.zattrs": b"{}",
    "big/zarr.json": bytes(70_000),
    "not.zarray": b"x",
    "\U0001f600/.zmetadata": b"{}",
    **{f"n/{number:05}/zarr.json": b"%d" % number for number in range(2500)},
}


@pytest.mark.parametrize(
    ("schema", "encoding"),
    [
        (SCHEMA, "UTF-8"),
        (SCHEMA, "UTF-16le"),
        ((SCHEMA[0], "CREATE TABLE zarr(k TEXT NOT NULL, v BLOB NOT NULL)"), "UTF-8"),
    ],
)
def test_keys_and_sizes_are_those_of_the_listing(
    tmp_path: Path, schema: tuple[str, ...], encoding: str
) -> None:
    path = str(tmp_path / "x.zarrdb")
    write_database(path, FILES, schema=schema, before=(f"PRAGMA encoding = '{encoding}'",))
    with Database.open(path, strict=False) as database:
        found = list(database.survey())
        assert [(key, size) for key, size, _ in found] == list(database.entries())
        assert all(value in (None, FILES[key]) for key, _, value in found)


def test_small_documents_come_along(tmp_path: Path) -> None:
    path = write_database(str(tmp_path / "x.zarrdb"), FILES)
    with Database.open(path) as database:
        values = {key: value for key, _, value in database.survey()}
    assert values["a/.zarray"] == b"[]"
    assert values["a/zarr.json"] == b""
    assert values["n/02499/zarr.json"] == b"2499"
    assert values["a/0"] is None
    assert values["big/zarr.json"] is None


def test_what_is_no_blob_is_left_to_be_asked_for(tmp_path: Path) -> None:
    path = write_database(
        str(tmp_path / "x.zarrdb"),
        {"zarr.json": b"{}"},
        after=(
            "INSERT INTO zarr VALUES ('.zgroup', 'text')",
            "INSERT INTO zarr VALUES ('.zattrs', 7)",
            "INSERT INTO zarr VALUES (CAST(x'ff2f2e7a67726f7570' AS TEXT), x'00')",
        ),
    )
    with Database.open(path, strict=False) as database:
        found = {key: value for key, _, value in database.survey()}
        assert list(found) == [entry.key for entry in database.entries()]
    assert found[".zgroup"] is None
    assert found[".zattrs"] is None
