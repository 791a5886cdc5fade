"""Parts of large values: the same bytes whether their place is computed or walked to."""

import random
from contextlib import suppress
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers_transport import counting_reader
from zarrdb.db import Database, direct
from zarrdb.db.header import parse
from zarrdb.db.remote import open_remote
from zarrdb.db.sequential import is_sequential
from zarrdb.sources.directory import DirectorySource
from zarrdb.transfer.copy import CopyOptions, into_file
from zarrdb.transfer.read import Part

SIZE = 3_000_000


@pytest.fixture(scope="module", params=[4096, 16384, 65536])
def imported(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("direct")
    source = folder / "x.zarr"
    (source / "c").mkdir(parents=True)
    (source / "zarr.json").write_text('{"zarr_format": 3, "node_type": "group"}')
    chance = random.Random(1)
    for number, size in enumerate((SIZE, 10, 70_000, SIZE + 1)):
        (source / "c" / str(number)).write_bytes(chance.randbytes(size))
    options = CopyOptions(page_size=request.param)
    into_file([Part(DirectorySource(str(source)))], str(folder / "x.zarrdb"), options)
    return folder


def value(folder: Path, number: int) -> bytes:
    return (folder / "x.zarr/c" / str(number)).read_bytes()


@settings(max_examples=60)
@given(
    number=st.sampled_from([0, 3]),
    start=st.integers(0, SIZE + 10),
    length=st.one_of(st.integers(0, 300_000), st.none()),
)
def test_any_part_is_the_same(imported: Path, number: int, start: int, length: int | None) -> None:
    end = None if length is None else start + length
    with Database.open(imported / "x.zarrdb") as database:
        found = database.get_range(f"c/{number}", start, length)
    assert found == value(imported, number)[start:end]


def test_a_far_part_is_not_walked_to(imported: Path) -> None:

    with Database.open(imported / "x.zarrdb") as database:
        rowid = database.connection.execute("SELECT rowid FROM zarr WHERE k = 'c/0'").get
        found = direct.read_part(database.connection, rowid, SIZE - 10, SIZE)
    assert found == value(imported, 0)[-10:]


def test_a_changed_file_is_walked_through(imported: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    path.write_bytes((imported / "x.zarrdb").read_bytes())
    with Database.open(path, mode="rw") as database:
        database.set("new", b"1")
        database.set_ranges("c/0", [(SIZE - 5, b"other")])
        assert database.get_range("c/0", SIZE - 6, 6) == value(imported, 0)[-6:-5] + b"other"
    header = parse(path.read_bytes()[:100])
    assert header is not None
    assert not is_sequential(header)


def test_a_transaction_sees_its_own_changes(imported: Path, tmp_path: Path) -> None:
    path = tmp_path / "x.zarrdb"
    path.write_bytes((imported / "x.zarrdb").read_bytes())
    with Database.open(path, mode="rw") as database:
        with suppress(RuntimeError), database.transaction():
            database.set_ranges("c/0", [(SIZE - 5, b"other")])
            assert database.get_range("c/0", SIZE - 5, 5) == b"other"
            database.set("c/3", value(imported, 0))
            assert database.get_range("c/3", SIZE - 9, None) == value(imported, 0)[-9:]
            raise RuntimeError
        for number in (0, 3):
            assert database.get_range(f"c/{number}", -9, None) == value(imported, number)[-9:]


@pytest.mark.parametrize("after", ["replaced", "removed"])
def test_only_the_file_that_is_open_is_read(after: str, imported: Path, tmp_path: Path) -> None:
    path, other = tmp_path / "x.zarrdb", tmp_path / "y.zarrdb"
    path.write_bytes((imported / "x.zarrdb").read_bytes())
    with Database.open(other, mode="create", page_size=65536) as database:
        for number in range(8):
            database.set(f"c/{number}", bytes(SIZE))
    with Database.open(path) as database:
        far = database.get_range("c/3", SIZE - 9, 5)
        if after == "replaced":
            other.replace(path)
        else:
            path.unlink()
        assert database.get_range("c/3", SIZE - 9, 5) == far
        assert database.get_range("c/0", -9, None) == value(imported, 0)[-9:]


@pytest.fixture(scope="module", params=[4096, 16384, 65536])
def rewritten(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Path, dict[str, bytes]]:
    """A file whose values lie in pieces all over it."""
    path = tmp_path_factory.mktemp("rewritten") / "x.zarrdb"
    chance = random.Random(2)
    values: dict[str, bytes] = {}
    with Database.open(path, mode="create", page_size=request.param) as database:
        for _ in range(120):
            key = f"c/{chance.randrange(12)}"
            if chance.random() < 0.3:
                database.delete(key)
                values.pop(key, None)
            else:
                values[key] = chance.randbytes(chance.choice([500_000, SIZE, 2 * SIZE]))
                database.set(key, values[key])
    return path, values


@settings(max_examples=100)
@given(data=st.data())
def test_any_part_of_values_in_pieces(
    rewritten: tuple[Path, dict[str, bytes]], data: st.DataObject
) -> None:
    path, values = rewritten
    key = data.draw(st.sampled_from(sorted(values)))
    start = data.draw(st.integers(-2 * SIZE, 2 * SIZE))
    length = data.draw(st.one_of(st.integers(0, 300_000), st.none()))
    whole = values[key]
    begin = max(0, len(whole) + start) if start < 0 else start
    with Database.open(path) as database:
        found = database.get_range(key, start, length)
    assert found == whole[begin:][:length]


def test_any_part_of_values_in_pieces_from_afar(
    rewritten: tuple[Path, dict[str, bytes]],
) -> None:
    path, values = rewritten
    reader, _ = counting_reader(path.read_bytes())
    with open_remote(reader) as database:
        for key, whole in values.items():
            for start in (0, direct.FAR - 5, direct.FAR, len(whole) - 9, len(whole), -9):
                begin = max(0, len(whole) + start) if start < 0 else start
                assert database.get_range(key, start, 20) == whole[begin:][:20]


@pytest.mark.parametrize("change", ["PRAGMA journal_mode=WAL", "VACUUM", "PRAGMA user_version=1"])
def test_whatever_changes_the_file_takes_the_mark_away(
    change: str, imported: Path, tmp_path: Path
) -> None:
    path = tmp_path / "x.zarrdb"
    path.write_bytes((imported / "x.zarrdb").read_bytes())
    connection = apsw.Connection(str(path))
    connection.execute(change).fetchall()
    connection.close()
    header = parse(path.read_bytes()[:100])
    assert header is not None
    assert not is_sequential(header)
    with Database.open(path) as database:
        assert database.get_range("c/3", -9, None) == value(imported, 3)[-9:]
