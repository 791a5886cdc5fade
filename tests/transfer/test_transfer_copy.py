"""Copies between sources and files, without the command line."""

import errno
import os
import sqlite3
from collections.abc import Iterable, Iterator
from itertools import permutations
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers_transfer import (
    ARRAY,
    GROUP,
    STORE,
    MemorySource,
    in_another_process,
    leftovers,
    read_tree,
    records_of,
    require_sound,
    rows_of,
    write_tree,
)
from zarrdb.db.database import Database
from zarrdb.db.rows import RowWriter
from zarrdb.errors import (
    NoSpaceError,
    NotAStoreError,
    SourceChangedError,
    SourceError,
    TargetExistsError,
    UsageError,
    ValueTooLargeError,
    VerificationError,
)
from zarrdb.keys import Entry, Remark
from zarrdb.sources.directory import DirectorySource
from zarrdb.transfer import engine
from zarrdb.transfer.copy import CopyOptions, into_file, node_prefix
from zarrdb.transfer.export import Kind, export
from zarrdb.transfer.read import Part

names = st.text(st.characters(exclude_categories=["Cs"], exclude_characters="/\0\\:"), min_size=1)
parts = names.filter(lambda name: name not in (".", "..") and len(name.encode()) < 200)
keys = st.lists(parts, min_size=1, max_size=4).map("/".join)


def into(
    path: Path, *sources: MemorySource | DirectorySource, at: str = "", **options: Any
) -> None:
    into_file(
        [Part(source, at=node_prefix(at)) for source in sources],
        str(path),
        CopyOptions(**options),
    )


@settings(max_examples=40)
@given(
    values=st.dictionaries(keys, st.binary(max_size=300), max_size=30),
    large=st.dictionaries(keys, st.integers(0, 70_000), max_size=3),
)
def test_every_tree_comes_out_as_it_went_in(
    tmp_path_factory: pytest.TempPathFactory, values: dict[str, bytes], large: dict[str, int]
) -> None:
    folder = tmp_path_factory.mktemp("copy")
    values |= {key: b"z" * size for key, size in large.items()}
    # A file cannot be a folder as well.
    values = {k: v for k, v in values.items() if not any(o.startswith(k + "/") for o in values)}
    values["zarr.json"] = GROUP
    values = {k: v for k, v in values.items() if not k.startswith("zarr.json/")}
    into(folder / "x.zarrdb", MemorySource(values), verify=True)
    assert rows_of(folder / "x.zarrdb") == values
    require_sound(folder / "x.zarrdb")
    with Database.open(folder / "x.zarrdb") as database:
        options = CopyOptions(verify=True)
        kinds: tuple[Kind, ...] = ("directory", "zip", "tar")
        for kind in kinds:
            target = str(folder / kind)
            export(database, database.name, target, options, kind=kind)
    assert read_tree(folder / "directory") == values
    assert leftovers(folder) == []


def test_documents_come_first_and_chunks_in_grid_order(tmp_path: Path) -> None:
    into(tmp_path / "x.zarrdb", MemorySource(STORE))
    ordered = list(rows_of(tmp_path / "x.zarrdb"))
    assert ordered[:3] == ["zarr.json", "a/zarr.json", "b/zarr.json"]
    assert ordered[3:15] == [f"a/c/{n}" for n in range(12)]


def test_the_same_source_gives_the_same_bytes(tmp_path: Path) -> None:
    store = write_tree(tmp_path / "s.zarr", STORE)
    into(tmp_path / "1.zarrdb", DirectorySource(store))
    into(tmp_path / "2.zarrdb", DirectorySource(store), jobs=3, temp_dir=str(tmp_path))
    assert (tmp_path / "1.zarrdb").read_bytes() == (tmp_path / "2.zarrdb").read_bytes()


def test_modified_at_is_the_newest_time_of_the_source(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("SOURCE_DATE_EPOCH", raising=False)
    store = write_tree(tmp_path / "s.zarr", STORE)
    for file in store.rglob("*"):
        os.utime(file, (1_600_000_000, 1_600_000_000))
    os.utime(store / "a/c/3", (1_700_000_000, 1_700_000_000))
    into(tmp_path / "x.zarrdb", DirectorySource(store))
    assert records_of(tmp_path / "x.zarrdb")["modified_at"] == "2023-11-14T22:13:20.000Z"
    monkeypatch.setenv("SOURCE_DATE_EPOCH", "1000000000")
    into(tmp_path / "y.zarrdb", DirectorySource(store))
    assert records_of(tmp_path / "y.zarrdb")["modified_at"] == "2001-09-09T01:46:40.000Z"


def test_include_keeps_the_documents_above_and_exclude_wins(tmp_path: Path) -> None:
    into(tmp_path / "x.zarrdb", MemorySource(STORE), include=("a/c/1*",), exclude=("**/11",))
    assert sorted(rows_of(tmp_path / "x.zarrdb")) == ["a/c/1", "a/c/10", "a/zarr.json", "zarr.json"]


def test_a_selection_without_keys_is_a_mistake(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no key is left"):
        into(tmp_path / "x.zarrdb", MemorySource(STORE), include=("nothing/**",))
    assert os.listdir(tmp_path) == []


def test_a_place_inside_gets_the_groups_above_it(tmp_path: Path) -> None:
    into(tmp_path / "x.zarrdb", MemorySource(STORE), at="/x/y/")
    found = rows_of(tmp_path / "x.zarrdb")
    assert {k.removeprefix("x/y/"): v for k, v in found.items() if k.startswith("x/y/")} == STORE
    assert set(found) - {"x/y/" + key for key in STORE} == {"zarr.json", "x/zarr.json"}
    into(tmp_path / "2.zarrdb", MemorySource({".zgroup": b'{"zarr_format":2}'}), at="x")
    assert set(rows_of(tmp_path / "2.zarrdb")) == {".zgroup", "x/.zgroup"}


@pytest.mark.parametrize("values", [{}, {"a/b/zarr.json": GROUP}, {"notes.txt": b"x"}])
def test_what_is_no_store_is_refused(tmp_path: Path, values: dict[str, bytes]) -> None:
    with pytest.raises(NotAStoreError):
        into(tmp_path / "x.zarrdb", MemorySource(values))
    assert os.listdir(tmp_path) == []
    if values:
        into(tmp_path / "x.zarrdb", MemorySource(values), any_keys=True)
        assert rows_of(tmp_path / "x.zarrdb") == values


def test_merging_joins_keys_and_a_clash_is_told(tmp_path: Path) -> None:
    one = MemorySource({"zarr.json": GROUP, "a/zarr.json": ARRAY, "a/c/0": b"1"})
    two = MemorySource({"zarr.json": GROUP, "b/zarr.json": ARRAY, "b/c/0": b"2"})
    into(tmp_path / "x.zarrdb", one, two, verify=True)
    assert rows_of(tmp_path / "x.zarrdb") == {**one.values, **two.values}
    two.values["a/c/0"] = b"3"
    with pytest.raises(TargetExistsError, match="a/c/0"):
        into(tmp_path / "y.zarrdb", one, two)
    assert sorted(os.listdir(tmp_path)) == ["x.zarrdb"]
    into(tmp_path / "skip.zarrdb", one, two, on_conflict="skip", verify=True)
    into(tmp_path / "last.zarrdb", one, two, on_conflict="replace", verify=True)
    assert rows_of(tmp_path / "skip.zarrdb")["a/c/0"] == b"1"
    assert rows_of(tmp_path / "last.zarrdb")["a/c/0"] == b"3"


@pytest.mark.parametrize("sizes", list(permutations([0, 5, 70_000])))
def test_which_source_counts_is_no_matter_of_sizes(tmp_path: Path, sizes: tuple[int, ...]) -> None:
    values = [bytes([number]) * size for number, size in enumerate(sizes, 1)]
    sources = [MemorySource({"zarr.json": GROUP, "a/c/0": value}) for value in values]
    for number, source in enumerate(sources, 1):
        source.name = f"source {number}"
    into(tmp_path / "skip.zarrdb", *sources, on_conflict="skip", verify=True)
    into(tmp_path / "last.zarrdb", *sources, on_conflict="replace", verify=True)
    assert rows_of(tmp_path / "skip.zarrdb")["a/c/0"] == values[0]
    assert rows_of(tmp_path / "last.zarrdb")["a/c/0"] == values[-1]
    with pytest.raises(TargetExistsError, match=r"a/c/0: is in source . and in source ."):
        into(tmp_path / "x.zarrdb", *sources)
    with pytest.raises(TargetExistsError, match=r"a/c/0: is in source . and in source ."):
        into(tmp_path / "x.zarrdb", *sources[:2])


def test_all_that_cannot_be_read_is_listed(tmp_path: Path) -> None:
    broken = {f"a/c/{n}": SourceError(f"memory: a/c/{n}: input/output error") for n in (3, 7)}
    source = MemorySource(STORE, broken=broken)
    with pytest.raises(SourceError) as caught:
        into(tmp_path / "x.zarrdb", source)
    assert "a/c/3" in caught.value.message
    assert "a/c/7" in caught.value.message
    assert os.listdir(tmp_path) == []


def test_remarks_on_lost_data_stop_the_copy(tmp_path: Path) -> None:
    notes = [Remark("unreadable-file", "a/c/0", "permission denied"), Remark("junk", "x~")]
    with pytest.raises(SourceError, match=r"memory: a/c/0: permission denied"):
        into(tmp_path / "x.zarrdb", MemorySource(STORE, notes=notes))
    assert os.listdir(tmp_path) == []


@pytest.mark.parametrize("change", ["grow", "shrink", "vanish"])
@pytest.mark.parametrize("size", [10, 300_000, 5 << 20])
def test_a_source_that_changes_is_noticed(tmp_path: Path, change: str, size: int) -> None:
    store = write_tree(tmp_path / "s.zarr", STORE | {"a/c/5": bytes(size)})

    class Restless(DirectorySource):
        def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
            yield from super().entries(prefix, after)
            if change == "vanish":
                (store / "a/c/5").unlink()
            else:
                (store / "a/c/5").write_bytes(bytes(size + (1 if change == "grow" else -1)))

    with pytest.raises(SourceChangedError, match="a/c/5"):
        into(tmp_path / "x.zarrdb", Restless(store))
    assert sorted(os.listdir(tmp_path)) == ["s.zarr"]


def test_large_values_go_through_in_pieces(tmp_path: Path) -> None:
    values = {"zarr.json": GROUP, "a/c/0": os.urandom(9_000_001), "a/c/1": b"", "b": b"x"}
    store = write_tree(tmp_path / "s.zarr", values)
    into(tmp_path / "x.zarrdb", DirectorySource(store), verify=True)
    assert rows_of(tmp_path / "x.zarrdb") == values
    require_sound(tmp_path / "x.zarrdb")
    with Database.open(tmp_path / "x.zarrdb") as database:
        export(
            database, database.name, str(tmp_path / "y"), CopyOptions(verify=True), kind="directory"
        )
    assert read_tree(tmp_path / "y") == values


def test_a_value_that_sqlite_cannot_hold_is_named_and_nothing_is_left(tmp_path: Path) -> None:
    store = write_tree(tmp_path / "s.zarr", STORE)
    with open(store / "a/c/7", "wb") as file:
        file.truncate(1_000_000_001)

    class Unread(DirectorySource):
        def get(self, key: str) -> bytes | None:
            raise AssertionError("read before the sizes were looked at")

    with pytest.raises(ValueTooLargeError, match=r"a/c/7: 1,000,000,001 bytes"):
        into(tmp_path / "x.zarrdb", Unread(store))
    assert sorted(os.listdir(tmp_path)) == ["s.zarr"]


def test_verification_reads_what_was_really_written(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    original = RowWriter.put

    def put(self: RowWriter, key: bytes, value: bytes) -> None:
        original(self, key, b"y" * len(value) if key == b"b/c/1" else value)

    monkeypatch.setattr(RowWriter, "put", put)
    with pytest.raises(VerificationError, match="b/c/1"):
        into(tmp_path / "x.zarrdb", MemorySource(STORE), verify=True)
    assert os.listdir(tmp_path) == []


def test_room_is_looked_for_before_the_start(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from zarrdb.transfer import target

    monkeypatch.setattr(target, "free_space", lambda _: 5000)
    with pytest.raises(NoSpaceError, match=r"are needed and 4\.9 KiB are free"):
        into(tmp_path / "x.zarrdb", MemorySource(STORE))
    assert os.listdir(tmp_path) == []


def test_room_is_needed_where_the_file_will_be_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from zarrdb.transfer import target

    for name in ("there", "temp"):
        (tmp_path / name).mkdir()
    room = {str(tmp_path / "there"): 0, str(tmp_path / "temp"): 1 << 40}
    monkeypatch.setattr(target, "free_space", room.__getitem__)
    with pytest.raises(NoSpaceError, match=r"are free in .*there; nothing"):
        into(tmp_path / "there" / "x.zarrdb", MemorySource(STORE), temp_dir=str(tmp_path / "temp"))
    assert os.listdir(tmp_path / "there") == os.listdir(tmp_path / "temp") == []


@pytest.mark.parametrize(
    ("code", "words"),
    [(errno.ENOSPC, "no space left"), (errno.EDQUOT, "quota"), (errno.EFBIG, "limit on the size")],
)
def test_running_out_of_room_says_how_far_it_came(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, code: int, words: str
) -> None:
    from zarrdb.db import flusher

    def full(*_: object) -> int:
        raise OSError(code, os.strerror(code))

    monkeypatch.setattr(flusher.Flusher, "_write", full)
    (tmp_path / "x.zarrdb").write_bytes(b"")
    with pytest.raises(NoSpaceError, match=f"{words}.* of .*nothing was left behind"):
        into(tmp_path / "x.zarrdb", MemorySource(STORE))
    assert os.listdir(tmp_path) == ["x.zarrdb"]
    assert (tmp_path / "x.zarrdb").read_bytes() == b""


def test_existing_files_stay_unless_they_are_stores_to_be_replaced(tmp_path: Path) -> None:
    target = tmp_path / "x.zarrdb"
    for content in (b"my thesis", b"SQLite format 3\0 and so on"):
        target.write_bytes(content)
        with pytest.raises(TargetExistsError):
            into(target, MemorySource(STORE))
        with pytest.raises(NotAStoreError):
            into(target, MemorySource(STORE), overwrite=True)
        assert target.read_bytes() == content
    target.unlink()
    connection = sqlite3.connect(target)
    connection.execute("CREATE TABLE moz_places(url)")
    connection.close()
    before = target.read_bytes()
    with pytest.raises(NotAStoreError, match=r"no \.zarrdb"):
        into(target, MemorySource(STORE), overwrite=True)
    assert target.read_bytes() == before


def test_a_database_source_is_read_in_one_state(tmp_path: Path) -> None:
    into(tmp_path / "x.zarrdb", MemorySource(STORE))
    told = []

    class Watching:
        def expect(self, keys: int | None, size: int | None) -> None:
            told.append(in_another_process(tmp_path / "x.zarrdb", "DELETE FROM zarr"))

        def update(self, keys: int, size: int) -> None:
            pass

    with Database.open(tmp_path / "x.zarrdb") as database:
        options = CopyOptions(progress=Watching())
        into_file([Part(database)], str(tmp_path / "y.zarrdb"), options)
    assert told == ["database is locked"]
    assert rows_of(tmp_path / "y.zarrdb") == STORE


def test_a_dry_run_writes_nothing_and_knows_the_size(tmp_path: Path) -> None:
    source = MemorySource(STORE)
    report = into_file([Part(source)], str(tmp_path / "x.zarrdb"), CopyOptions(dry_run=True))
    assert os.listdir(tmp_path) == []
    assert (report.keys, report.documents) == (len(STORE), 3)
    assert report.bytes == sum(map(len, STORE.values()))
    written = into_file([Part(source)], str(tmp_path / "x.zarrdb"), CopyOptions())
    assert os.path.getsize(tmp_path / "x.zarrdb") <= report.needed
    assert (written.keys, written.bytes, written.documents) == (
        report.keys,
        report.bytes,
        report.documents,
    )


def test_progress_is_told_from_start_to_end(tmp_path: Path) -> None:
    told: list[tuple[str, int | None, int | None]] = []

    class Listener:
        def expect(self, keys: int | None, size: int | None) -> None:
            told.append(("expect", keys, size))

        def update(self, keys: int, size: int) -> None:
            told.append(("update", keys, size))

    into(tmp_path / "x.zarrdb", MemorySource(STORE), progress=Listener())
    total = sum(map(len, STORE.values()))
    assert told[0] == ("expect", len(STORE), total)
    assert told[-1] == ("update", len(STORE), total)


def test_an_interruption_leaves_nothing(tmp_path: Path) -> None:
    class Interrupting(MemorySource):
        def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
            raise KeyboardInterrupt

    (tmp_path / "x.zarrdb").write_bytes(b"")
    with pytest.raises(KeyboardInterrupt):
        into(tmp_path / "x.zarrdb", Interrupting(STORE))
    assert os.listdir(tmp_path) == ["x.zarrdb"]


def test_the_mode_of_a_replaced_file_stays_and_a_new_one_gets_the_umasks(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        into(tmp_path / "x.zarrdb", MemorySource(STORE))
    finally:
        os.umask(before)
    assert (tmp_path / "x.zarrdb").stat().st_mode & 0o777 == 0o640
    (tmp_path / "x.zarrdb").chmod(0o604)
    into(tmp_path / "x.zarrdb", MemorySource(STORE), overwrite=True)
    assert (tmp_path / "x.zarrdb").stat().st_mode & 0o777 == 0o604


def test_a_link_is_followed_and_stays(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "x.zarrdb").symlink_to("real/y.zarrdb")
    into(tmp_path / "x.zarrdb", MemorySource(STORE))
    assert (tmp_path / "x.zarrdb").is_symlink()
    assert rows_of(tmp_path / "real/y.zarrdb") == STORE
    into(tmp_path / "x.zarrdb", MemorySource({"zarr.json": GROUP}), overwrite=True)
    assert (tmp_path / "x.zarrdb").is_symlink()
    assert rows_of(tmp_path / "real/y.zarrdb") == {"zarr.json": GROUP}
    assert leftovers(tmp_path) + leftovers(tmp_path / "real") == []


def test_temporary_data_on_another_file_system(tmp_path: Path) -> None:
    elsewhere = Path("/dev/shm")
    if not elsewhere.is_dir() or elsewhere.stat().st_dev == tmp_path.stat().st_dev:
        pytest.skip("needs a second file system")
    before = set(os.listdir(elsewhere))
    into(tmp_path / "x.zarrdb", MemorySource(STORE), temp_dir=str(elsewhere), verify=True)
    assert rows_of(tmp_path / "x.zarrdb") == STORE
    assert os.listdir(tmp_path) == ["x.zarrdb"]
    assert set(os.listdir(elsewhere)) == before


def test_values_in_flight_are_bounded(tmp_path: Path) -> None:
    live = peak = 0

    class Weighed(MemorySource):
        kind = "directory"

        def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
            nonlocal live, peak
            for key in keys:
                value = self.values[key]
                live += len(value)
                peak = max(peak, live)
                yield key, value

    class Counting:
        def expect(self, keys: int | None, size: int | None) -> None:
            pass

        def update(self, keys: int, size: int) -> None:
            nonlocal live
            live = max(0, live - (1 << 20))

    values = {"zarr.json": GROUP} | {f"a/c/{n}": bytes(1 << 20) for n in range(100)}
    into(tmp_path / "x.zarrdb", Weighed(values), progress=Counting(), jobs=4)
    assert peak < engine.READERS << 22
