"""New files written page by page: SQLite finds nothing wrong with them, whatever goes in."""

import errno
import os
import resource
import shutil
import sqlite3
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers_transfer import STORE, records_of, require_sound, rows_of
from zarrdb.db import bulk, flusher, front
from zarrdb.db.bulk import STREAMED, BulkWriter
from zarrdb.db.database import Database
from zarrdb.db.limits import PAGE_SIZES, record_size
from zarrdb.db.private import PrivateFile, space_error
from zarrdb.errors import (
    CorruptError,
    NoSpaceError,
    SourceChangedError,
    UsageError,
    ValueTooLargeError,
    ZarrdbError,
)

Rows = dict[str, bytes]


def write(
    path: Path, rows: Rows, *, page_size: int = 4096, announced: bool = True, pieces: int = 0
) -> None:
    path.write_bytes(b"")
    sizes = [(key, len(value)) for key, value in rows.items()] if announced else None
    with BulkWriter(str(path), page_size=page_size, rows=sizes) as writer:
        for key, value in rows.items():
            if pieces:
                parts = (value[at : at + pieces] for at in range(0, len(value), pieces))
                writer.put_pieces(key, len(value), parts)
            else:
                writer.put_many([(key, value)])
        writer.finish({"modified_at": "2026-01-02T03:04:05Z"})


sizes = st.one_of(
    st.integers(0, 600), st.sampled_from([477, 478, 4050, 4061, 4062, 8192, 16384, 70_000])
)
names = st.one_of(
    st.text(st.characters(exclude_categories=["Cs"]), max_size=30),
    st.integers(0, 3000).map("k".__mul__),
)


@settings(max_examples=60)
@given(
    lengths=st.dictionaries(names, sizes, max_size=60),
    page_size=st.sampled_from(PAGE_SIZES),
    announced=st.booleans(),
    pieces=st.sampled_from([0, 0, 1000, 4092, 33_000]),
)
def test_what_goes_in_is_there_and_sound(
    tmp_path_factory: pytest.TempPathFactory,
    lengths: dict[str, int],
    page_size: int,
    announced: bool,
    pieces: int,
) -> None:
    path = tmp_path_factory.mktemp("bulk") / "x.zarrdb"
    rows = {key: bytes([n % 256]) * size for n, (key, size) in enumerate(lengths.items())}
    write(path, rows, page_size=page_size, announced=announced, pieces=pieces)
    assert list(rows_of(path).items()) == list(rows.items())
    require_sound(path)
    with Database.open(path) as database:
        assert all(database.get(key) == value for key, value in rows.items())


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
@pytest.mark.parametrize("count", [1, 2, 500, 5000])
@pytest.mark.parametrize("announced", [True, False])
def test_trees_of_every_depth_are_sound(
    tmp_path: Path, page_size: int, count: int, announced: bool
) -> None:
    rows = {f"array/c/{n}": b"%d" % n for n in range(count)}
    path = tmp_path / "x.zarrdb"
    write(path, rows, page_size=page_size, announced=announced)
    assert rows_of(path) == rows
    require_sound(path)


def test_other_programs_can_go_on_writing(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    write(path, {f"a/c/{n}": b"old" * n for n in range(2000)})
    connection = sqlite3.connect(path)
    with connection:
        connection.execute(
            "INSERT INTO zarr(k, v) VALUES ('a/c/7', x'01')"
            " ON CONFLICT(k) DO UPDATE SET v = excluded.v"
        )
        connection.execute("DELETE FROM zarr WHERE rowid % 3 = 0")
        with pytest.raises(sqlite3.IntegrityError):
            connection.execute("INSERT INTO zarr(k, v) VALUES ('a/c/7', x'02')")
    assert connection.execute("SELECT v FROM zarr WHERE k = 'a/c/7'").fetchone() == (b"\x01",)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.execute("VACUUM")
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    connection.close()


def test_the_same_rows_give_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "1", STORE)
    write(tmp_path / "2", STORE, pieces=100)
    assert (tmp_path / "1").read_bytes() == (tmp_path / "2").read_bytes()


def test_the_required_records_and_the_writer_are_there(tmp_path: Path) -> None:
    from zarrdb import __version__

    write(tmp_path / "x.zarrdb", STORE)
    assert records_of(tmp_path / "x.zarrdb") == {
        "sqlitestore_version": "1.0",
        "compatible_flags": "",
        "incompatible_flags": "",
        "created_by": f"zarrdb {__version__}",
        "modified_at": "2026-01-02T03:04:05Z",
    }


def pages_by_use(path: Path) -> list[str]:
    """What each page of a file is for, by SQLite's own account."""
    connection = apsw.Connection(str(path))
    found = dict(connection.execute("SELECT pageno, name || ' ' || pagetype FROM dbstat"))
    connection.close()
    return [found[number] for number in sorted(found)]


def test_documents_and_index_and_upper_pages_come_before_the_chunks(tmp_path: Path) -> None:
    rows = {"zarr.json": b"d" * 9000, "a/zarr.json": b"d" * 9000}
    rows |= {f"a/c/{n}": b"c" * 5000 for n in range(6000)}
    write(tmp_path / "x.zarrdb", rows)
    uses = pages_by_use(tmp_path / "x.zarrdb")
    index = [n for n, use in enumerate(uses) if use == "sqlite_autoindex_zarr_1 leaf"]
    assert index == list(range(index[0], index[0] + len(index)))
    upper = [n for n, use in enumerate(uses) if use == "zarr internal"]
    assert upper[0] == 3
    assert max(index[-1], upper[-1]) < 80
    assert uses[5:9] == ["zarr overflow"] * 4


def test_a_large_index_is_at_the_end(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(front, "MOST_KEYS", 100)
    rows = {f"a/c/{n:030}": b"c" * 100 for n in range(3000)}
    write(tmp_path / "x.zarrdb", rows)
    require_sound(tmp_path / "x.zarrdb")
    uses = pages_by_use(tmp_path / "x.zarrdb")
    count = uses.count("sqlite_autoindex_zarr_1 leaf")
    assert {"sqlite_autoindex_zarr_1 leaf"} == set(uses[-count:])


def test_pages_of_a_value_are_consecutive(tmp_path: Path) -> None:
    write(tmp_path / "x.zarrdb", {f"a/c/{n}": b"c" * 30_000 for n in range(50)})
    connection = apsw.Connection(str(tmp_path / "x.zarrdb"))
    chains: dict[str, list[int]] = {}
    statement = "SELECT path, pageno FROM dbstat WHERE name = 'zarr' AND pagetype = 'overflow'"
    for path, number in connection.execute(statement):
        chains.setdefault(path.partition("+")[0], []).append(number)
    connection.close()
    assert len(chains) == 50
    for pages in chains.values():
        assert sorted(pages) == list(range(min(pages), min(pages) + len(pages)))


@pytest.mark.parametrize("page_size", [512, 65536])
def test_the_page_with_sqlites_lock_is_left_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, page_size: int
) -> None:
    if shutil.disk_usage(tmp_path).free < 3 << 30:
        pytest.skip("needs 3 GiB")
    piece = bytes(1 << 20)
    path = tmp_path / "x.zarrdb"
    path.write_bytes(b"")
    with BulkWriter(str(path), page_size=page_size) as writer:
        for number in range(2):
            writer.put_pieces(f"large/{number}", 540 << 20, [piece] * 540)
        writer.put_many((f"small/{number}", b"x" * 50) for number in range(3000))
        writer.finish({})
    connection = sqlite3.connect(path)
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("SELECT count(*), sum(length(v)) FROM zarr").fetchone() == (
        3002,
        (1080 << 20) + 150_000,
    )
    connection.close()


def test_too_large_a_value_is_named_before_anything_is_written(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    path.write_bytes(b"")
    with (
        BulkWriter(str(path), page_size=4096) as writer,
        pytest.raises(ValueTooLargeError, match=r"a/c/0: 1,000,000,000 bytes .*1,000,000,000"),
    ):
        writer.put_pieces("a/c/0", 1_000_000_000, [])


@given(key=st.text(st.characters(exclude_categories=["Cs"]), max_size=200), size=sizes)
def test_the_size_of_a_record_is_what_sqlite_makes_of_it(key: str, size: int) -> None:
    connection = sqlite3.connect(":memory:")
    connection.execute("CREATE TABLE t(k TEXT, v BLOB)")
    expected = record_size(key, size)
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, max(expected, 30))
    connection.execute("INSERT INTO t VALUES (?, zeroblob(?))", (key, size))
    if expected > 30:
        connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, expected - 1)
        with pytest.raises((sqlite3.DataError, sqlite3.OperationalError)):
            connection.execute("INSERT INTO t VALUES (?, zeroblob(?))", (key, size))
    connection.close()


@pytest.mark.parametrize("pieces", [[b"x" * 99], [b"x" * 101], [b"x" * 60, b"x" * 60]])
def test_pieces_that_are_not_the_announced_size(tmp_path: Path, pieces: list[bytes]) -> None:
    path = tmp_path / "x.zarrdb"
    path.write_bytes(b"")
    with BulkWriter(str(path), page_size=4096) as writer, pytest.raises(SourceChangedError):
        writer.put_pieces("a", 100, pieces)


def test_a_key_twice_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    path.write_bytes(b"")
    with BulkWriter(str(path), page_size=4096) as writer:
        writer.put_many([("a", b"1"), ("a", b"2")])
        with pytest.raises(CorruptError, match="twice"):
            writer.finish({})


def test_another_order_than_announced_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    path.write_bytes(b"")
    announced = [("a", 1), ("b", 1)]
    with (
        BulkWriter(str(path), page_size=4096, rows=announced) as writer,
        pytest.raises(ZarrdbError),
    ):
        writer.put_many([("b", b"1"), ("a", b"2")])


@pytest.mark.parametrize("page_size", [0, 100, 4095, 131072])
def test_page_sizes_that_do_not_exist(tmp_path: Path, page_size: int) -> None:
    with pytest.raises(UsageError, match="page size"):
        BulkWriter(str(tmp_path / "x"), page_size=page_size)


@pytest.fixture
def small_files() -> Iterator[None]:
    """No file may grow beyond 200 kB."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (200_000, before[1]))
    yield
    resource.setrlimit(resource.RLIMIT_FSIZE, before)


@pytest.mark.usefixtures("small_files")
@pytest.mark.parametrize("size", [100, 50_000, STREAMED])
def test_the_limit_on_file_sizes_is_told_as_such(tmp_path: Path, size: int) -> None:
    path = tmp_path / "x.zarrdb"
    path.write_bytes(b"")

    def write_much(writer: BulkWriter) -> None:
        writer.put_many((f"k{n}", b"x" * size) for n in range(1 + 4_000_000 // size))
        writer.finish({})

    words = r"out\.zarrdb: past the limit on the size of files"
    writer = BulkWriter(str(path), page_size=4096, name="out.zarrdb")
    with writer, pytest.raises(NoSpaceError, match=words):
        write_much(writer)


@pytest.mark.parametrize(
    ("code", "words"),
    [
        (errno.ENOSPC, "no space left on device"),
        (errno.EDQUOT, "disk quota exceeded"),
        (errno.EFBIG, "past the limit on the size of files"),
    ],
)
def test_each_way_to_run_out_of_room_has_its_words(code: int, words: str) -> None:
    error = space_error(code, "out.zarrdb")
    assert error is not None
    assert str(error).startswith(f"out.zarrdb: {words}")
    assert space_error(errno.EIO, "out.zarrdb") is None


def test_an_error_of_the_disk_is_not_lost_in_the_background(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_: object) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr(flusher.Flusher, "_write", full)
    path = tmp_path / "x.zarrdb"
    path.write_bytes(b"")
    with BulkWriter(str(path), page_size=4096) as writer:
        writer.put_many([("a", b"1")])
        with pytest.raises(NoSpaceError):
            writer.finish({})


def test_sorting_uses_no_other_temporary_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[str] = []
    original = apsw.VFSFile

    def spy(vfs: str, name: str, flags: list[int]) -> object:
        opened.append(name)
        return original(vfs, name, flags)

    monkeypatch.setattr(apsw, "VFSFile", spy)
    monkeypatch.setitem(bulk._SORTER_PRAGMAS, "page_size", 512)
    monkeypatch.setitem(bulk._SORTER_PRAGMAS, "cache_size", -100)
    file = PrivateFile(str(tmp_path / "x.zarrdb"))
    with BulkWriter(file.path, page_size=4096) as writer:
        writer.put_many((f"a/c/{n:060}", b"") for n in range(30_000))
        writer.finish({})
    file.remove()
    assert opened
    assert {os.path.dirname(name) for name in opened} == {str(tmp_path)}
    assert os.listdir(tmp_path) == []
