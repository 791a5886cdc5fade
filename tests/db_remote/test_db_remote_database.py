"""A remote database as a source: the same answers as a local one, and what they cost."""

import logging
import threading
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers_http import serving
from helpers_remote import counting, hierarchy, shuffled, write_ordered, write_plain
from helpers_transport import Naps, counting_reader
from zarrdb.db import Database
from zarrdb.db.pages import Cell, Shape
from zarrdb.db.remote import RemoteDatabase, open_remote
from zarrdb.db.sequential import locate
from zarrdb.errors import (
    ClosedError,
    CorruptError,
    ForeignError,
    NotAStoreError,
    ReadOnlyError,
    RemoteBusyError,
    SchemaError,
    ShortAnswerError,
    TruncatedError,
)
from zarrdb.keys import KeySource, is_document
from zarrdb.transport.filesystem import FilesystemLink
from zarrdb.transport.link import Answer
from zarrdb.transport.opening import open_reader
from zarrdb.transport.remote import RemoteReader

ROWS = hierarchy(30_000)


@pytest.fixture(scope="module")
def paths(tmp_path_factory: pytest.TempPathFactory) -> dict[str, str]:
    folder = tmp_path_factory.mktemp("remote")
    made = {name: str(folder / name) for name in ("ordered", "random", "utf16")}
    write_ordered(made["ordered"], ROWS)
    write_plain(made["random"], shuffled(ROWS))
    write_plain(made["utf16"], ROWS[::7], encoding="UTF-16le")
    return made


@pytest.fixture
def remote(paths: dict[str, str]) -> Iterator[RemoteDatabase]:
    with counting(paths["ordered"]) as (reader, _), open_remote(reader) as database:
        yield database


@pytest.mark.parametrize("name", ["ordered", "random", "utf16"])
def test_it_is_a_source_that_says_what_a_local_one_says(paths: dict[str, str], name: str) -> None:
    with (
        counting(paths[name]) as (reader, _),
        Database.open(paths[name]) as here,
        open_remote(reader) as there,
    ):
        source: KeySource = there
        assert isinstance(source, KeySource)
        assert (there.kind, there.read_only, there.name) == ("zarrdb", True, "remote")
        assert list(there.entries()) == list(here.entries())
        assert list(there.entries("g1/", "g1/a3/c/1/1")) == list(here.entries("g1/", "g1/a3/c/1/1"))
        assert list(there.list()) == list(here.list())
        assert list(there.list_prefix("g1/a")) == list(here.list_prefix("g1/a"))
        for prefix in ("", "g1/", "g1/a3/", "g1/a3/c/", "nothing/"):
            assert list(there.children(prefix)) == list(here.children(prefix))
        keys = [key for key, _ in ROWS] + ["missing", "", "g1"]
        assert list(there.get_many(keys)) == list(here.get_many(keys))
        for key in keys[::41]:
            assert there.get(key) == here.get(key)
            assert there.size(key) == here.size(key)
            assert there.exists(key) == here.exists(key)
        assert list(there.remarks()) == list(here.remarks())
        assert there.records() == here.records()
        assert there.facts.records == here.facts.records


@settings(max_examples=60, deadline=None)
@given(
    st.sampled_from(["ordered", "random", "utf16"]),
    st.lists(
        st.tuples(
            st.integers(0, len(ROWS)),
            st.integers(-40_000, 40_000),
            st.none() | st.integers(0, 40_000),
        ),
        max_size=6,
    ),
)
def test_parts_are_those_of_the_value(
    paths: dict[str, str], name: str, wanted: list[tuple[int, int, int | None]]
) -> None:
    keys = [*(key for key, _ in ROWS), "missing"]
    ranges = [(keys[number], offset, length) for number, offset, length in wanted]
    with (
        counting(paths[name]) as (reader, _),
        Database.open(paths[name]) as here,
        open_remote(reader) as there,
    ):
        assert there.get_ranges(ranges) == here.get_ranges(ranges)
        for key, offset, length in ranges:
            expected = here.get_range(key, offset, length)
            assert there.get_range(key, offset, length) == expected
            buffer = bytearray(length or 0)
            assert there.read_into(key, buffer, max(0, offset)) == here.read_into(
                key, bytearray(length or 0), max(0, offset)
            )
            if expected is not None:
                assert b"".join(there.stream(key, 7000)) == here.get(key)


def test_parts_of_a_large_value_cost_their_own_bytes(tmp_path: Path) -> None:
    path = str(tmp_path / "large")
    value = bytes(i % 251 for i in range(251)) * 80_000
    write_ordered(path, [("zarr.json", b"{}"), ("a/c/0", value), ("a/c/1", b"x" * 70_000)])
    with counting(path) as (reader, filesystem), open_remote(reader) as there:
        assert there.get_range("a/c/0", -100, None) == value[-100:]
        assert there.get_ranges([("a/c/0", 9_000_000, 5000), ("a/c/0", 12_000_000, 100)]) == [
            value[9_000_000:9_005_000],
            value[12_000_000:12_000_100],
        ]
        assert there.traffic.rounds <= 4
        assert sum(size for _, size in filesystem.spans[1:]) <= 40_000


def test_a_file_that_was_changed_since_is_read_by_sqlite(tmp_path: Path) -> None:
    path = str(tmp_path / "changed")
    write_ordered(
        path, [("zarr.json", b"{}"), ("a/c/0", b"a" * 300_000), ("a/c/1", b"b" * 200_000)]
    )
    connection = apsw.Connection(path)
    connection.execute("DELETE FROM zarr WHERE k = 'a/c/0'")
    connection.execute("INSERT INTO zarr VALUES ('a/c/0', zeroblob(400000))")
    connection.execute(
        "UPDATE zarr SET v = CAST(replace(hex(zeroblob(200000)), '00', 'z') AS BLOB) WHERE k = 'a/c/0'"
    )
    connection.close()
    with counting(path) as (reader, _), open_remote(reader) as there:
        assert there.get_range("a/c/0", 150_000, 3) == b"zzz"
        assert there.get_range("a/c/1", -3, None) == b"bbb"


def test_a_value_that_crosses_the_page_of_locks_is_cut_right() -> None:
    # The page at 1 GiB is never used, so numbers go on one later past it.
    shape = Shape(4096, 4096, 1 << 20, "utf-8")
    lock_page = (1 << 30) // 4096 + 1
    header = bytes([6, 13 + 2 * 3]) + _varint(2 * 4_000_000 + 12)
    header = bytes([len(header)]) + header[1:]
    local = header + b"a/b" + bytes(600)
    size = len(header) + 3 + 4_000_000
    cell = Cell(0, 1, size, local, lock_page - 10)
    part = locate(cell, 0, None, shape)
    assert part is not None
    assert lock_page not in part.pages
    assert part.pages[:10] == list(range(lock_page - 10, lock_page))
    assert part.pages[10:] == list(range(lock_page + 1, lock_page + 1 + len(part.pages) - 10))
    tail = locate(cell, -1, None, shape)
    assert tail is not None
    assert tail.pages == part.pages[-1:]


def test_an_open_store_answers_from_what_it_has(remote: RemoteDatabase) -> None:
    assert remote.get("zarr.json") == dict(ROWS)["zarr.json"]
    assert [child.name for child in remote.children()] == [
        "g0",
        "g1",
        "g2",
        "g3",
        "g4",
        "zarr.json",
    ]
    assert len(list(remote.list())) == len(ROWS)
    assert dict(remote.get_many(key for key, _ in ROWS if is_document(key))) == dict(ROWS[:56])
    assert (remote.traffic.requests, remote.traffic.rounds) == (1, 1)


def test_a_walk_over_scattered_documents_does_not_wait_for_each(paths: dict[str, str]) -> None:
    with counting(paths["random"]) as (reader, _), open_remote(reader) as there:
        for key, value in ROWS[:56]:
            assert there.get(key) == value
        assert there.traffic.rounds <= 8
        assert there.traffic.requests <= 64


def test_values_are_fetched_in_batches_that_fit(remote: RemoteDatabase) -> None:
    chunks = [(key, value) for key, value in ROWS if not is_document(key)]
    assert list(remote.get_many(key for key, _ in chunks)) == chunks
    total = sum(len(value) for _, value in chunks)
    assert remote.traffic.bytes <= 1.05 * total + (160 << 10)
    assert remote.traffic.rounds <= 8


def test_threads_read_side_by_side(remote: RemoteDatabase) -> None:
    chunks = [(key, value) for key, value in ROWS if not is_document(key)][:160]
    wrong: list[str] = []

    def work(start: int) -> None:
        wrong.extend(key for key, value in chunks[start::8] if remote.get(key) != value)

    threads = [threading.Thread(target=work, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert wrong == []


def test_nothing_can_be_written_and_closing_ends_it(paths: dict[str, str]) -> None:
    with counting(paths["ordered"]) as (reader, _):
        database = open_remote(reader)
        with pytest.raises(ReadOnlyError):
            database.set("a", b"")
        with pytest.raises(ReadOnlyError):
            database.delete_prefix("")
        database.close()
        database.close()
        assert database.closed
        for action in (lambda: database.get("zarr.json"), lambda: list(database.list())):
            with pytest.raises(ClosedError):
                action()


def test_a_fault_of_the_server_is_raised_as_such(paths: dict[str, str]) -> None:
    class Failing(FilesystemLink):
        down = False

        def fetch(self, offset: int, size: int) -> Answer:
            if self.down:
                raise RemoteBusyError("remote: the server is busy or broken (status 503)")
            return super().fetch(offset, size)

    with counting(paths["random"]) as (_, filesystem):
        link = Failing(filesystem, "file", "remote")
        with open_remote(RemoteReader(link, sleep=Naps())) as database:
            link.down = True
            for action in (
                lambda: database.get("g1/a1/c/0/0"),
                lambda: list(database.entries()),
                lambda: database.size("g1/a1/c/0/0"),
                lambda: list(database.children("g1/a1/c/")),
                lambda: b"".join(database.stream("g1/a1/c/0/0")),
            ):
                with pytest.raises(RemoteBusyError, match="503"):
                    action()
            link.down = False
            assert database.get("g1/a1/c/0/0") == dict(ROWS)["g1/a1/c/0/0"]


def test_a_header_in_wal_mode_is_a_warning(
    paths: dict[str, str], caplog: pytest.LogCaptureFixture
) -> None:
    data = bytearray(Path(paths["random"]).read_bytes())
    data[18:20] = b"\2\2"
    reader, _ = counting_reader(bytes(data))
    with caplog.at_level(logging.WARNING, "zarrdb"), open_remote(reader) as database:
        assert database.get("zarr.json") == ROWS[0][1]
    assert "-wal file that was not shipped" in caplog.text


def test_files_that_are_no_stores_are_refused(paths: dict[str, str], tmp_path: Path) -> None:
    data = Path(paths["ordered"]).read_bytes()
    foreign = bytearray(data)
    foreign[68:72] = b"GPKG"
    other = str(tmp_path / "other")
    connection = apsw.Connection(other)
    connection.execute("CREATE TABLE t (x)")
    connection.close()
    for content, error in [
        (b"PK\3\4" + bytes(500), NotAStoreError),
        (b"", NotAStoreError),
        (bytes(foreign), ForeignError),
        (Path(other).read_bytes(), SchemaError),
        (data[:100_000], TruncatedError),
        (data[:4096] + b"\xff" * 4096 * 4 + data[20_480:], CorruptError),
    ]:
        reader, _ = counting_reader(content)
        with pytest.raises(error):
            open_remote(reader)
    reader, _ = counting_reader(data[: len(data) // 2])
    with open_remote(reader) as database, pytest.raises(ShortAnswerError, match="file ends at"):
        list(database.get_many(key for key, _ in ROWS))
    reader, _ = counting_reader(bytes(foreign))
    with open_remote(reader, allow_foreign=True) as database:
        assert database.get("zarr.json") == ROWS[0][1]


def test_the_sqlite_store_of_zarr_python_2_is_read(tmp_path: Path) -> None:
    path = str(tmp_path / "legacy")
    connection = apsw.Connection(path)
    connection.execute("CREATE TABLE zarr (k TEXT PRIMARY KEY, v BLOB)")
    connection.execute("INSERT INTO zarr VALUES ('.zgroup', CAST('{\"zarr_format\": 2}' AS BLOB))")
    connection.close()
    with counting(path) as (reader, _), open_remote(reader) as database:
        assert database.kind == "legacy"
        assert database.get(".zgroup") == b'{"zarr_format": 2}'


def _varint(number: int) -> bytes:
    found = [number & 0x7F]
    while number := number >> 7:
        found.append(0x80 | number & 0x7F)
    return bytes(reversed(found))


def test_scattered_documents_share_a_request_where_the_server_takes_several_ranges(
    paths: dict[str, str],
) -> None:
    with serving() as server:
        server.multipart = "all"
        url = server.put("random", Path(paths["random"]).read_bytes())
        with open_remote(open_reader(url)) as database:
            documents = [key for key, _ in ROWS if is_document(key)]
            assert dict(database.get_many(documents)) == dict(ROWS[:56])
        assert len(server.log) <= 8
