"""Listings by pages: nothing is lost, repeated or out of order where two pages meet."""

from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_db import SCHEMA, make_database
from zarrdb.db import Database, children, listing
from zarrdb.keys import Child, Entry, KeySource

BROKEN = [b"a\xffb", b"a/\xff", b"\xed\xa0\x80", b"a\xc0\xaf", b"\xff"]
WHOLE = ["", "a", "a!", "a-b/x", "a-b/y", "a.c", "a/x", "a/y/z", "a0", "b", "é", "\U00010000"]


@pytest.fixture
def mixed(tmp_path: Path) -> Path:
    """Keys stored up to three times, and texts that are no Unicode between them."""
    schema = (
        SCHEMA[0],
        "CREATE TABLE zarr (k TEXT, v BLOB)",
        "CREATE INDEX by_key ON zarr(k)",
        *SCHEMA[2:],
    )
    inserts = [f"INSERT INTO zarr VALUES (CAST(x'{raw.hex()}' AS TEXT), x'')" for raw in BROKEN]
    keys = [(key, b"1") for times, key in enumerate(WHOLE) for _ in range(times % 3 + 1)]
    return make_database(tmp_path / "x.zarrdb", *inserts, schema=schema, keys=keys)


@pytest.mark.parametrize("page", [1, 2, 3, 100])
def test_pages_meet(page: int, mixed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(listing, "PAGE", page)
    monkeypatch.setattr(children, "PAGE", page)
    monkeypatch.setattr(children, "_FIRST_PAGE", 1)
    with Database.open(mixed) as database:
        assert list(database.list()) == WHOLE
        for after in ["", "a", "a-", "a/x", "zz"]:
            assert [e.key for e in database.entries("", after)] == [k for k in WHOLE if k > after]
            assert [e.key for e in database.entries("a/", after)] == [
                k for k in WHOLE if k.startswith("a/") and k > after
            ]
        assert list(database.children("a/")) == [Child("x", True, False), Child("y", False, True)]
        assert list(database.children()) == [
            Child("", True, False),
            Child("a", True, True),
            Child("a!", True, False),
            Child("a-b", False, True),
            Child("a.c", True, False),
            Child("a0", True, False),
            Child("b", True, False),
            Child("é", True, False),
            Child("\U00010000", True, False),
        ]
        remarks = sorted((remark.kind, remark.key) for remark in database.remarks())
        assert [kind for kind, _ in remarks].count("not-unicode-key") == len(BROKEN)
        assert [kind for kind, _ in remarks].count("duplicate-key") == 8
        assert all(key.isprintable() for _, key in remarks)


@given(st.text(), st.text())
def test_the_end_of_a_prefix(prefix: str, other: str) -> None:
    end = listing.end_of(prefix)
    assert isinstance(end, bytes) or prefix + other < end
    if isinstance(end, str):
        assert not end.startswith(prefix)
        # Nothing lies between the texts that begin with the prefix and its end.
        assert not (prefix < other < end) or other.startswith(prefix)


def test_a_database_is_a_key_source(tmp_path: Path) -> None:
    with Database.open(tmp_path / "x.zarrdb", mode="create") as database:
        assert isinstance(database, KeySource)
        source: KeySource = database
        assert source.kind == "zarrdb"
        database.set("a/b", b"12")
        assert list(source.entries("a/")) == [Entry("a/b", 2)]
        assert list(source.get_many(["x", "a/b"])) == [("x", None), ("a/b", b"12")]


def test_sizes_come_without_the_values(tmp_path: Path) -> None:
    with Database.open(tmp_path / "x.zarrdb", mode="create") as database:
        database.set_many((f"big/{number}", bytes(2_000_000)) for number in range(20))
    with Database.open(tmp_path / "x.zarrdb") as database:
        assert sum(entry.size for entry in database.entries()) == 40_000_000
        assert all(database.size(key) == 2_000_000 for key in database.list())
        misses, _ = database.connection.status(apsw.SQLITE_DBSTATUS_CACHE_MISS)
        # One value alone has 489 pages.
        assert misses < 100
