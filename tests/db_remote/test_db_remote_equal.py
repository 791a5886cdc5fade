"""Read from afar a file gives what SQLite gives on this machine: any file, whole or damaged."""

import random
import sqlite3
from collections.abc import Callable
from functools import partial
from pathlib import Path

import apsw
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from helpers_transport import counting_reader
from zarrdb.db.pager import Pager
from zarrdb.errors import ZarrdbError

QUICK = settings(
    max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture]
)
TABLES = {
    "plain": "CREATE TABLE zarr (k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL)",
    "without rowid": "CREATE TABLE zarr (k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL) WITHOUT ROWID",
    "nocase": "CREATE TABLE zarr (k TEXT PRIMARY KEY NOT NULL COLLATE NOCASE, v BLOB NOT NULL)",
    "integer keys": "CREATE TABLE ZARR (k PRIMARY KEY, v)",
    "no index": "CREATE TABLE zarr (k TEXT NOT NULL, v BLOB NOT NULL)",
    "other columns": "CREATE TABLE zarr (x INTEGER, k TEXT PRIMARY KEY NOT NULL, y, v BLOB)",
}


def build(
    path: str,
    seed: int,
    *,
    page_size: int = 512,
    encoding: str = "UTF-8",
    table: str = "plain",
    vacuum: str = "none",
    wal: bool = False,
) -> list[str]:
    """A file after a life of inserts, overwrites and deletes; some keys, some not in it."""
    numbers = random.Random(seed)
    connection = apsw.Connection(path)
    for name, setting in (
        ("page_size", page_size),
        ("encoding", encoding),
        ("auto_vacuum", vacuum),
    ):
        connection.pragma(name, setting)
    connection.pragma("synchronous", "off")
    if wal:
        connection.pragma("journal_mode", "wal")
    connection.execute("CREATE TABLE other (k TEXT PRIMARY KEY NOT NULL, v TEXT NOT NULL)")
    connection.execute(TABLES[table])
    names = [f"{'ä' * (i % 3)}g{i % 5}/a{i}/c/{i % 11}" + "k" * (i % 13 * 40) for i in range(90)]
    names += ["", "zarr.json", "g1/zarr.json", "a\0b", "%", "\U0001f600/c"]
    for _ in range(numbers.randrange(3, 200)):
        key = numbers.choice(names)
        connection.execute("DELETE FROM zarr WHERE k = ?", (key,))
        if numbers.random() < 0.75:
            size = int(numbers.choice([3, 60, 700, 5000, 60_000]) * numbers.random())
            value = numbers.randbytes(size) if numbers.random() < 0.9 else "t" * size
            connection.execute("INSERT INTO zarr(k, v) VALUES (?, ?)", (key, value))
    if numbers.random() < 0.3:
        connection.execute("VACUUM")
    connection.close()
    return names


@QUICK
@given(
    seed=st.integers(0, 10**6),
    page_size=st.sampled_from([512, 1024, 4096, 65536]),
    encoding=st.sampled_from(["UTF-8", "UTF-16le", "UTF-16be"]),
    table=st.sampled_from(list(TABLES)),
    vacuum=st.sampled_from(["none", "full", "incremental"]),
    wal=st.booleans(),
    head=st.sampled_from([100, 600, 5000, 160 << 10]),
)
def test_every_value_is_the_same(
    tmp_path: Path,
    seed: int,
    page_size: int,
    encoding: str,
    table: str,
    vacuum: str,
    wal: bool,
    head: int,
) -> None:
    path = tmp_path / "x.zarrdb"
    path.unlink(missing_ok=True)
    names = build(
        str(path), seed, page_size=page_size, encoding=encoding, table=table, vacuum=vacuum, wal=wal
    )
    data = path.read_bytes()
    expected = contents(data)
    reader, _ = counting_reader(data)
    pager = Pager(reader, head=head)
    pager.warm_sizes(names[::3])
    pager.warm_values(names[::2])
    assert pager.warm_index()
    found = {key: select(pager.connection, key) for key in names}
    assert found == {key: expected.get(key, []) for key in names}
    assert pager.connection.execute("PRAGMA integrity_check").get == "ok"
    pager.close()


@QUICK
@given(
    seed=st.integers(0, 10**6),
    hits=st.lists(st.tuples(st.floats(0, 1), st.integers(0, 255)), min_size=1, max_size=30),
    table=st.sampled_from(["plain", "without rowid"]),
    page_size=st.sampled_from([512, 4096]),
)
def test_a_damaged_file_gives_the_same_answers_or_errors(
    tmp_path: Path, seed: int, hits: list[tuple[float, int]], table: str, page_size: int
) -> None:
    path = tmp_path / "x.zarrdb"
    path.unlink(missing_ok=True)
    names = build(str(path), seed, table=table, page_size=page_size)
    data = bytearray(path.read_bytes())
    for place, value in hits:
        # The header's own fields aside: they decide what kind of file it is.
        data[100 + int(place * (len(data) - 101))] = value
    path.write_bytes(data)
    local = apsw.Connection(
        f"file:{path}?immutable=1", flags=apsw.SQLITE_OPEN_READONLY | apsw.SQLITE_OPEN_URI
    )
    reader, filesystem = counting_reader(bytes(data))
    pager = Pager(reader)
    for key in names:
        pager.warm_values([key])
        assert outcome(partial(select, local, key)) == outcome(
            partial(select, pager.connection, key)
        )
    pager.warm_values(names)
    assert len(filesystem.spans) < 4 * len(names) + len(data) // page_size
    pager.close()
    local.close()


@QUICK
@given(st.integers(0, 10**6), st.binary(min_size=512, max_size=20_000))
def test_pages_of_any_bytes_end_every_plan(seed: int, noise: bytes) -> None:
    numbers = random.Random(seed)
    start = sqlite3.connect(":memory:")
    start.execute("PRAGMA page_size = 512")
    start.execute(TABLES["plain"])
    whole = bytearray(start.serialize()) + noise
    start.close()
    pages = len(whole) // 512
    whole[28:32] = pages.to_bytes(4, "big")
    for number in (2, 3):
        # Interior pages and leaves that point anywhere, at themselves too.
        whole[(number - 1) * 512] = numbers.choice([2, 5, 10, 13])
    reader, filesystem = counting_reader(bytes(whole[: pages * 512]))
    outcome(lambda: Pager(reader, head=512).warm_values(["a", "b/c", "zarr.json"]))
    assert len(filesystem.spans) <= 3 * pages + 3


@pytest.mark.parametrize("cut", [0, 50, 99])
def test_what_is_no_database_is_said_so(cut: int) -> None:
    data = b"SQLite format 3\0" + bytes(200)
    reader, _ = counting_reader(data[:cut] if cut else b"<html>" * 50)
    with pytest.raises(ZarrdbError, match="not a SQLite database"):
        Pager(reader)


@pytest.mark.parametrize("size", [0, 3, 511, 513, 32769])
def test_an_impossible_page_size_is_said_so(size: int) -> None:
    data = bytearray(b"SQLite format 3\0" + bytes(200))
    data[16:18] = size.to_bytes(2, "big")
    with pytest.raises(ZarrdbError, match="impossible page size"):
        Pager(counting_reader(bytes(data))[0])


def contents(data: bytes) -> dict[str, object]:
    """Rows by key, as SQLite reads them from memory, where it knows no WAL mode."""
    connection = apsw.Connection(":memory:")
    connection.deserialize("main", data[:18] + b"\x01\x01" + data[20:])
    found: dict[str, object] = {}
    for (key,) in connection.execute("SELECT DISTINCT CAST(k AS TEXT) FROM zarr").fetchall():
        found[str(key)] = select(connection, str(key))
    return found


def select(connection: apsw.Connection, key: str) -> object:
    """The rows of a key."""
    query = "SELECT CAST(k AS BLOB), typeof(v), CAST(v AS BLOB) FROM zarr WHERE k = ?"
    return connection.execute(query, (key,)).fetchall()


def outcome(action: Callable[[], object]) -> object:
    """The result, or the name of the class of the error."""
    try:
        return action()
    except (apsw.Error, ZarrdbError) as error:
        return type(error).__name__
