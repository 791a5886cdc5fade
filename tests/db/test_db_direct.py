"""Parts of large values: the same bytes whether their place is computed or walked to."""

import random
from pathlib import Path

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrdb.db import Database, direct
from zarrdb.db.header import parse
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
