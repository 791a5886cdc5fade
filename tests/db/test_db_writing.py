"""Writing: self-contained files, all or nothing, errors that name the key."""

import array
from collections.abc import Callable, Iterator
from pathlib import Path

import apsw
import pytest

from helpers_db import (
    make_database,
    query_one,
)
from zarrdb.db import Database, inspect
from zarrdb.db.database import Buffer
from zarrdb.errors import (
    InvalidKeyError,
    NotFoundError,
    UsageError,
    ValueTooLargeError,
)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return make_database(tmp_path / "x.zarrdb", keys=[("zarr.json", b"{}"), ("v", b"0123456789")])


@pytest.fixture
def database(path: Path) -> Iterator[Database]:
    with Database.open(path, mode="rw") as database:
        yield database


@pytest.mark.parametrize(
    "value",
    [
        b"",
        bytearray(b"abc"),
        memoryview(b"abcdef")[::2],
        memoryview(array.array("d", [1.0, 2.0])),
        bytes(9 << 20),
        memoryview(bytearray(9 << 20)),
    ],
    ids=["empty", "bytearray", "strided", "floats", "large", "large-view"],
)
def test_any_buffer_is_stored_as_its_bytes(value: Buffer, database: Database) -> None:
    raw = memoryview(value).tobytes()
    database.set("a", value)
    assert database.get("a") == raw
    assert database.set_if_not_exists("b", value)
    database.set_stream("c", len(raw), [value])
    assert database.get("b") == database.get("c") == raw
    assert database.connection.execute("SELECT typeof(v) FROM zarr WHERE k = 'a'").get == "blob"


def test_what_has_no_bytes_is_no_value(database: Database) -> None:
    for value in ("text", 7, None):
        with pytest.raises(TypeError):
            database.set("a", value)  # type: ignore[arg-type]
    assert not database.exists("a")


@pytest.mark.parametrize("key", ["/", "//", "/a", "a/", "a//b", "a/b//", "\ud800", "a\udfffb"])
def test_keys_that_the_format_forbids(key: str, database: Database) -> None:
    writes: list[Callable[[], object]] = [
        lambda: database.set(key, b""),
        lambda: database.set_many([("ok", b""), (key, b"")]),
        lambda: database.set_if_not_exists(key, b""),
        lambda: database.set_stream(key, 0, []),
    ]
    for write in writes:
        with pytest.raises(InvalidKeyError) as caught:
            write()
        assert isinstance(caught.value, ValueError)
        assert caught.value.message.isprintable()
    assert list(database.list()) == ["v", "zarr.json"]


def test_a_value_too_large_names_its_key_and_leaves_the_old_one(database: Database) -> None:
    database.connection.limit(apsw.SQLITE_LIMIT_LENGTH, 50_000)
    writes: list[Callable[[], object]] = [
        lambda: database.set("v", bytes(50_000)),
        lambda: database.set_many([("new", b""), ("v", bytes(60_000))]),
        lambda: database.set_if_not_exists("w", bytes(50_000)),
        lambda: database.set_stream("v", 50_000, [bytes(50_000)]),
    ]
    for write in writes:
        with pytest.raises(ValueTooLargeError, match=r"50,000 bytes\)") as caught:
            write()
        assert caught.value.message[:2] in ("v:", "w:")
        assert isinstance(caught.value, ValueError)
    assert dict(database.entries()) == {"v": 10, "zarr.json": 2}


@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le"])
@pytest.mark.parametrize("key", ["k", "k" * 200, "é" * 9000])
def test_the_limit_is_for_the_whole_record(key: str, encoding: str, tmp_path: Path) -> None:
    database = Database.open(make_database(tmp_path / "x.zarrdb", encoding=encoding), mode="rw")
    limit = 50_000
    database.connection.limit(apsw.SQLITE_LIMIT_LENGTH, limit)
    size = limit
    while True:
        try:
            database.set(key, bytes(size))
        except ValueTooLargeError:
            size -= 1
            continue
        break
    with pytest.raises(apsw.TooBigError):
        database.connection.execute(
            "INSERT INTO zarr(k, v) VALUES (?, zeroblob(?))",
            (key[:-1] + chr(ord(key[-1]) + 1), size + 1),
        )
    assert database.size(key) == size
    database.close()


@pytest.mark.parametrize("pieces", [[b"12345"], [b"123", b"4567"], [b"1234567"] * 2, []])
def test_a_stream_of_another_size_changes_nothing(pieces: list[bytes], database: Database) -> None:
    with pytest.raises(UsageError, match="announced"):
        database.set_stream("v", 6, pieces)
    with database.transaction():
        with pytest.raises(UsageError, match="announced"):
            database.set_stream("new", 6, pieces)
        database.set("kept", b"1")
    assert dict(database.entries()) == {"kept": 1, "v": 10, "zarr.json": 2}
    assert database.get("v") == b"0123456789"


def test_ranges_are_written_in_place(database: Database) -> None:
    database.set_ranges("v", [(0, b"ab"), (9, bytearray(b"z")), (5, b"")])
    assert database.get("v") == b"ab2345678z"
    for offset, data in ((-1, b"x"), (10, b"x"), (9, b"xy")):
        with pytest.raises(UsageError, match="not inside"):
            database.set_ranges("v", [(0, b"Q"), (offset, data)])
    with pytest.raises(NotFoundError):
        database.set_ranges("missing", [(0, b"")])
    assert database.get("v") == b"ab2345678z"


def test_several_values_all_or_none(database: Database) -> None:
    def items() -> Iterator[tuple[str, bytes]]:
        yield "a", b"1"
        yield "b", b"2"
        raise TimeoutError

    with pytest.raises(TimeoutError):
        database.set_many(items())
    assert list(database.list()) == ["v", "zarr.json"]


def test_many_deletes(database: Database) -> None:
    database.set_many((f"k/{number}", b"") for number in range(40_000))
    assert database.delete_many(f"k/{number}" for number in range(-5, 39_000)) == 39_000
    assert database.delete_prefix("k/") == 1000
    assert database.delete_many([]) == 0
    assert database.delete("nothing") is False
    assert list(database.list()) == ["v", "zarr.json"]


def test_clear_keeps_everything_but_keys(tmp_path: Path) -> None:
    path = make_database(
        tmp_path / "x.zarrdb",
        "CREATE TABLE notes (x)",
        "INSERT INTO notes VALUES (1)",
        "INSERT INTO zarr_sqlitestore_metadata VALUES ('extra', 'kept')",
        "UPDATE zarr_sqlitestore_metadata SET v = 'checksums' WHERE k = 'compatible_flags'",
        keys=[("", b"1"), ("a", b"2")],
    )
    with Database.open(path, mode="rw") as database:
        assert database.clear() == 2
        assert database.clear() == 0
        records = database.records()
    assert records["extra"] == "kept"
    assert records["compatible_flags"] == "checksums"
    assert query_one(path, "SELECT count(*) FROM notes") == 1


# Records


def test_modified_at_follows_the_changes(path: Path) -> None:
    with Database.open(path, mode="rw") as database:
        assert "modified_at" not in database.records()
        database.set("a", b"")
        first = database.records()["modified_at"]
        database.set("b", b"")
        assert database.records()["modified_at"] == first
    with Database.open(path) as database:
        assert database.records()["modified_at"] >= first
        assert inspect(path).record("created_by") is None
    before = path.read_bytes()
    with Database.open(path, mode="rw") as database, database.transaction():
        assert database.exists("a")
    assert path.read_bytes() == before


def test_records_can_be_set(database: Database) -> None:
    database.set_record("created_by", "somebody")
    assert database.records()["created_by"] == "somebody"
    with pytest.raises(UsageError, match="none of that name"):
        database.set_record("mine", "x")
