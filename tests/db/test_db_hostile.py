"""Files made to harm: nothing of theirs runs, damage is one clear error, nothing hangs."""

import random
import struct
from contextlib import suppress
from pathlib import Path
from typing import Any, get_args

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers_db import SCHEMA, folder_state, make_database
from zarrdb.db import Database, inspect
from zarrdb.db.database import Mode
from zarrdb.errors import ContainerError, CorruptError, SchemaError, ZarrdbError

METADATA, DATA, RECORDS, APPLICATION_ID = SCHEMA
ENDLESS = """CREATE VIEW {} AS WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)
    SELECT 'key' || i AS k, zeroblob(10) AS v FROM n"""


def disguise(path: Path, name: str, **columns: Any) -> None:
    """Write anything into a row of the schema table."""
    connection = apsw.Connection(str(path))
    connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, 0)
    connection.pragma("writable_schema", "on")
    for column, value in columns.items():
        connection.execute(f"UPDATE sqlite_schema SET {column} = ? WHERE name = ?", (value, name))
    connection.close()


def refused(path: Path) -> str:
    before = folder_state(path.parent)
    facts = inspect(path, integrity=True)
    with pytest.raises(ContainerError) as caught:
        Database.open(path)
    with pytest.raises(ContainerError):
        Database.open(path, mode="rw")
    assert folder_state(path.parent) == before
    assert facts.problems
    return caught.value.message


def test_endless_view_in_place_of_the_data(tmp_path: Path) -> None:
    schema = (METADATA, ENDLESS.format("zarr"), RECORDS, APPLICATION_ID)
    path = make_database(tmp_path / "x.zarrdb", schema=schema)
    assert "zarr is a view" in refused(path)
    with pytest.raises(SchemaError):
        Database.open(path, strict=False)


def test_endless_view_that_says_it_is_a_table(tmp_path: Path) -> None:
    schema = (METADATA, ENDLESS.format("zarr"), RECORDS, APPLICATION_ID)
    path = make_database(tmp_path / "x.zarrdb", schema=schema)
    disguise(path, "zarr", type="table", rootpage=2)
    refused(path)


def test_endless_view_in_place_of_the_records(tmp_path: Path) -> None:
    view = ENDLESS.format("zarr_sqlitestore_metadata")
    path = make_database(tmp_path / "x.zarrdb", schema=(view, DATA, APPLICATION_ID))
    assert "is a view" in refused(path)


def test_virtual_table_in_place_of_the_data(tmp_path: Path) -> None:
    virtual = "CREATE VIRTUAL TABLE zarr USING fts5(k, v)"
    path = make_database(tmp_path / "x.zarrdb", schema=(METADATA, virtual, RECORDS, APPLICATION_ID))
    assert "zarr is a virtual table" in refused(path)


def test_triggers_never_run(tmp_path: Path) -> None:
    trigger = "CREATE TRIGGER evil AFTER INSERT ON zarr BEGIN DELETE FROM zarr; END"
    path = make_database(tmp_path / "x.zarrdb", keys=[("a", b"1")])
    connection = apsw.Connection(str(path))
    connection.execute(trigger)
    connection.close()
    with Database.open(path) as database:
        assert database.get("a") == b"1"
    before = folder_state(tmp_path)
    with pytest.raises(SchemaError, match="trigger evil"):
        Database.open(path, mode="rw")
    assert folder_state(tmp_path) == before


def test_triggers_on_the_records_are_refused_too(tmp_path: Path) -> None:
    trigger = """CREATE TRIGGER evil AFTER UPDATE ON zarr_sqlitestore_metadata
        BEGIN DELETE FROM zarr; END"""
    path = make_database(tmp_path / "x.zarrdb", trigger)
    with pytest.raises(SchemaError, match="trigger evil"):
        Database.open(path, mode="rw")


def test_a_connection_trusts_nothing(tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb", "CREATE VIEW evil AS SELECT 1")
    for mode in get_args(Mode)[:2]:
        with Database.open(path, mode=mode) as database:
            connection = database.connection
            assert connection.config(apsw.SQLITE_DBCONFIG_DEFENSIVE, -1) == 1
            assert connection.config(apsw.SQLITE_DBCONFIG_TRUSTED_SCHEMA, -1) == 0
            assert connection.config(apsw.SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, -1) == 0
            assert connection.pragma("cell_size_check") == 1
            with pytest.raises(apsw.SQLError, match="view"):
                connection.execute("SELECT * FROM evil LIMIT 1")


def test_computed_columns_are_not_read(tmp_path: Path) -> None:
    data = "CREATE TABLE zarr (k TEXT PRIMARY KEY NOT NULL, v AS (zeroblob(500000000)))"
    path = make_database(tmp_path / "x.zarrdb", schema=(METADATA, data, RECORDS, APPLICATION_ID))
    assert "generated" in refused(path)


def test_numbers_for_keys_are_refused(tmp_path: Path) -> None:
    data = "CREATE TABLE zarr (k INTEGER PRIMARY KEY NOT NULL, v BLOB NOT NULL)"
    path = make_database(tmp_path / "x.zarrdb", schema=(METADATA, data, RECORDS, APPLICATION_ID))
    assert "declared INTEGER, not TEXT" in refused(path)


def test_a_collation_that_sqlite_does_not_have(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    connection = apsw.Connection(str(path))
    connection.create_collation("weird", lambda a, b: (a > b) - (a < b))
    data = "CREATE TABLE zarr (k TEXT COLLATE weird PRIMARY KEY NOT NULL, v BLOB NOT NULL)"
    for statement in (METADATA, data, RECORDS, APPLICATION_ID):
        connection.execute(statement)
    connection.close()
    assert "WEIRD" in refused(path)


def test_a_column_named_rowid_is_not_the_rowid(tmp_path: Path) -> None:
    data = "CREATE TABLE zarr (k TEXT PRIMARY KEY, v BLOB, rowid INTEGER DEFAULT 99)"
    path = make_database(
        tmp_path / "x.zarrdb",
        schema=(METADATA, data, RECORDS, APPLICATION_ID),
        keys=[("a", b"first"), ("b", bytes(200_000)), ("c", b"third")],
    )
    with Database.open(path) as database:
        assert database.get("a") == b"first"
        assert database.get("b") == bytes(200_000)
        assert database.get_range("c", -3, None) == b"ird"
        assert b"".join(database.stream("b")) == bytes(200_000)


@pytest.mark.parametrize("codec", ["utf-8", "utf-16-le", "utf-16-be"])
def test_values_that_are_no_unicode_text(codec: str, tmp_path: Path) -> None:
    encoding = {"utf-16-le": "UTF-16le", "utf-16-be": "UTF-16be"}.get(codec, "UTF-8")
    broken = "a\udc80\0b".encode(codec, "surrogatepass")
    insert = f"INSERT INTO zarr VALUES ('x', CAST(x'{broken.hex()}' AS TEXT))"
    path = make_database(tmp_path / "x.zarrdb", insert, encoding=encoding, keys=[("y", b"1")])
    wanted = "a\udc80\0b".encode("utf-8", "surrogatepass")
    with Database.open(path) as database:
        assert database.get("x") == wanted
        assert dict(database.get_many(["x", "y"])) == {"x": wanted, "y": b"1"}
        assert b"".join(database.stream("x")) == wanted
        assert database.get_range("x", 1, 2) == wanted[1:3]
        assert database.size("x") == len(wanted)
        assert [remark.kind for remark in database.remarks()] == ["text-value"]


@pytest.mark.parametrize("child", ["last", "first"])
@pytest.mark.parametrize("keys", [400, 3000])
def test_an_index_in_a_circle_ends_every_listing(keys: int, child: str, tmp_path: Path) -> None:
    path = make_database(
        tmp_path / "x.zarrdb", page_size=1024, keys=[(f"a/{n:05}", b"1") for n in range(keys)]
    )
    content = bytearray(path.read_bytes())
    for start in range(1024, len(content), 1024):
        # An interior page of an index: the last child in its header, the others in its cells.
        if content[start] == 2:
            cell = int.from_bytes(content[start + 12 : start + 14])
            place = start + (8 if child == "last" else cell)
            content[place : place + 4] = (start // 1024 + 1).to_bytes(4)
    path.write_bytes(content)
    with Database.open(path) as database:
        for listing in (
            database.list,
            database.entries,
            database.survey,
            database.children,
            lambda: database.children("a/"),
            lambda: database.list_prefix("a/"),
        ):
            count = 0
            with suppress(CorruptError):
                for _ in listing():
                    count += 1
            assert count < 100 * keys


def test_names_that_steer_a_terminal_are_escaped(tmp_path: Path) -> None:
    path = make_database(tmp_path / "x.zarrdb", 'CREATE TABLE "\x1b[31mred\n" (x)')
    (problem,) = inspect(path).problems
    assert problem.message.isprintable()
    assert "\\x1b[31mred" in problem.message


def test_thousands_of_objects_and_records(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    make_database(path, *(f"CREATE VIEW v{n} AS SELECT {n}" for n in range(500)))
    connection = apsw.Connection(str(path))
    with connection:
        connection.executemany(
            "INSERT INTO zarr_sqlitestore_metadata VALUES (?, 'x')",
            [(f"extra{n}",) for n in range(5000)],
        )
    connection.close()
    facts = inspect(path)
    assert facts.record_count == 5003
    assert len(facts.records) < 200
    assert facts.has("extra-record")


@pytest.fixture(scope="module")
def healthy(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    path = tmp_path_factory.mktemp("healthy") / "x.zarrdb"
    chance = random.Random(1)
    keys = [(f"a/c/{n}", chance.randbytes(chance.choice([0, 10, 700, 9000]))) for n in range(80)]
    make_database(path, page_size=1024, keys=[("zarr.json", b"{}"), *keys])
    return path.read_bytes()


@given(
    holes=st.lists(
        st.tuples(st.floats(0, 1, exclude_max=True), st.binary(min_size=1, max_size=30)),
        min_size=1,
        max_size=4,
    ),
    cut=st.none() | st.floats(0, 1),
)
@settings(max_examples=150)
def test_any_damage_is_one_of_our_errors(
    healthy: bytes,
    tmp_path_factory: pytest.TempPathFactory,
    holes: list[tuple[float, bytes]],
    cut: float | None,
) -> None:
    data = bytearray(healthy)
    for place, patch in holes:
        start = int(place * len(data))
        data[start : start + len(patch)] = patch
    if cut is not None:
        del data[int(cut * len(data)) :]
    folder = tmp_path_factory.mktemp("damaged")
    path = folder / "x.zarrdb"
    path.write_bytes(data)
    before = folder_state(folder)
    facts = inspect(path, integrity=True)
    for problem in facts.problems:
        assert problem.message.isprintable()
    for strict in (True, False):
        # What cannot be read is one of our errors, and no other.
        with suppress(ZarrdbError), Database.open(path, strict=strict) as database:
            for key in list(database.list()):
                database.get(key)
                database.get_range(key, 3, 100)
                database.size(key)
            list(database.children("a/c/"))
            list(database.remarks())
    assert folder_state(folder) == before


def test_a_page_that_is_broken_does_not_hide_the_others(healthy: bytes, tmp_path: Path) -> None:
    data = bytearray(healthy)
    for start in range(0, len(data), 1024):
        if data[start] == 13 and start > 4096:
            data[start : start + 8] = struct.pack(">BHHHB", 13, 0, 999, 1, 0)
            break
    path = tmp_path / "x.zarrdb"
    path.write_bytes(data)
    with Database.open(path) as database:
        outcomes = []
        for number in range(80):
            try:
                outcomes.append(database.get(f"a/c/{number}") is not None)
            except CorruptError:
                outcomes.append(False)
    assert any(outcomes)
    assert not all(outcomes)
    with Database.open(path) as database:
        with pytest.raises(CorruptError, match="damaged") as caught:
            database.get(f"a/c/{outcomes.index(False)}")
        assert str(path) in caught.value.message
        assert caught.value.hint
    assert inspect(path, integrity=True).has("corrupt")
