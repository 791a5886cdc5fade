"""The same hierarchy out of every kind of store; values that cannot be read; flat memory."""

import io
import sqlite3
import tarfile
import tracemalloc
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_sources import (
    GROUP_V2,
    MemorySource,
    Store,
    array_v2,
    array_v3,
    group_v3,
    has_no_file_below_a_file,
    small_store,
    write_directory,
    write_zip,
)
from zarrdb.db import Database
from zarrdb.errors import CorruptError, SourceError
from zarrdb.hierarchy import Node, walk
from zarrdb.keys import Child, Entry, KeySource
from zarrdb.sources.directory import DirectorySource
from zarrdb.sources.tar import TarSource
from zarrdb.sources.zip import ZipSource


def database(path: Path, store: Store) -> KeySource:
    with Database.open(path / "x.zarrdb", mode="create") as made:
        made.set_many(store.items())
    return Database.open(path / "x.zarrdb")


def legacy(path: Path, store: Store) -> KeySource:
    with closing(sqlite3.connect(path / "x.sqlite")) as connection, connection:
        connection.execute("CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)")
        connection.executemany("INSERT INTO zarr VALUES (?, ?)", store.items())
    return Database.open_legacy(path / "x.sqlite")


def tar(_: Path, store: Store) -> KeySource:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for key, value in store.items():
            info = tarfile.TarInfo(key)
            info.size = len(value)
            archive.addfile(info, io.BytesIO(value))
    out.seek(0)
    return TarSource(out)


KINDS: dict[str, Callable[[Path, Store], KeySource]] = {
    "zarrdb": database,
    "legacy": legacy,
    "directory": lambda path, store: DirectorySource(write_directory(path / "x.zarr", store)),
    "zip": lambda path, store: ZipSource(write_zip(path / "x.zip", store.items())),
    "tar": tar,
}

PATHS = st.lists(st.sampled_from(["a", "b", "c", "0", "x_y", "x%", "a-b", "é"]), max_size=3)
DOCUMENTS = st.sampled_from(
    [
        (".zarray", array_v2()),
        (".zarray", array_v2(dimension_separator="/")),
        (".zgroup", GROUP_V2),
        (".zattrs", b'{"x": 1}'),
        ("zarr.json", array_v3()),
        ("zarr.json", group_v3()),
        ("zarr.json", b"{"),
    ]
)
CHUNKS = st.sampled_from([("0", b"x" * 8), ("1", b""), ("c/0", b"x"), ("c/7", b"x"), ("0.0", b"x")])


def fields(nodes: Iterator[Node]) -> list[Node]:
    return [node._replace(grid=None) for node in nodes]


@given(st.lists(st.tuples(PATHS, DOCUMENTS | CHUNKS), max_size=10), st.booleans())
def test_every_kind_of_store_shows_the_same_nodes(
    tmp_path_factory: pytest.TempPathFactory,
    items: list[tuple[list[str], tuple[str, bytes]]],
    counts: bool,
) -> None:
    # With a document at the root no archive has an outer folder.
    store = {"zarr.json": group_v3()}
    for parts, (name, value) in items:
        key = "/".join([*parts, name])
        if has_no_file_below_a_file({*store, key}):
            store[key] = value
    expected = fields(walk(MemorySource(store), counts=counts))
    folder = tmp_path_factory.mktemp("kinds")
    for kind, make in KINDS.items():
        source = make(folder, store)
        with closing(source):
            assert source.kind == kind
            assert fields(walk(source, counts=counts)) == expected


class Remote(MemorySource):
    """A store far away, where every question is a request."""

    kind = "remote"

    def __init__(self, store: Store) -> None:
        super().__init__(store)
        self.rounds = 0

    def size(self, key: str) -> int | None:
        self.rounds += 1
        return super().size(key)

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        self.rounds += 1
        return super().get_many(keys)

    def children(self, prefix: str = "") -> Iterator[Child]:
        self.rounds += 1
        return super().children(prefix)


def test_far_away_a_node_takes_one_round_of_requests() -> None:
    store = {f"{i}/zarr.json": array_v3() for i in range(10)} | {"zarr.json": group_v3()}
    source = Remote(store)
    assert fields(walk(source, counts=False)) == fields(walk(MemorySource(store), counts=False))
    assert source.rounds <= len(store) + 1
    implied: Store = {"g/a/.zarray": array_v2(), "h/.zmetadata": b"{}", "i/0": b""}
    assert fields(walk(Remote(implied))) == fields(walk(MemorySource(implied)))


def test_names_that_are_patterns_elsewhere(tmp_path: Path) -> None:
    names = [
        "a b",
        "100%",
        "x_y",
        "xAy",
        "s*r",
        "q?m",
        "[ab]",
        "it's",
        'say"hi"',
        "semi;colon",
        "-rf",
    ]
    names += ["#hash", "k=v", "~", "a%20b", "%2e%2e", "x%", "x%y", "back\\slash"]
    store = {f"{name}/zarr.json": array_v3((2,)) for name in names} | {"zarr.json": group_v3()}
    store |= {f"{name}/c/0": b"12345678" for name in names}
    with closing(database(tmp_path, store)) as source:
        found = {node.path: node for node in walk(source)}
        assert sorted(found) == sorted(["", *names])
        assert all(found[name].chunks_present == 1 for name in names)
        assert [node.path for node in walk(source, "x_y")] == ["x_y"]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_values_of_no_bytes(tmp_path: Path, kind: str) -> None:
    store = {**small_store(), "a/c/0": b"", "b/zarr.json": b""}
    with closing(KINDS[kind](tmp_path, store)) as source:
        nodes = {node.path: node for node in walk(source)}
    assert (nodes["a"].chunks_present, nodes["a"].stored_bytes) == (2, 8)
    assert (nodes["b"].kind, nodes["b"].problem) == ("broken", "zarr.json is empty (1:1)")


class Unreadable(MemorySource):
    """A store where one document cannot be read."""

    def __init__(self, store: Store, key: str, error: Exception) -> None:
        super().__init__(store)
        self._key = key
        self._error = error

    def get(self, key: str) -> bytes | None:
        if key == self._key:
            raise self._error
        return super().get(key)


@pytest.mark.parametrize("error", [SourceError("no permission"), CorruptError("bad checksum")])
def test_a_document_that_cannot_be_read_hides_nobody(error: Exception) -> None:
    store = {
        ".zgroup": GROUP_V2,
        "a/.zarray": array_v2(),
        "a/.zattrs": b"{}",
        "b/.zarray": array_v2(),
    }
    nodes = list(walk(Unreadable(store, "a/.zarray", error)))
    assert [(node.path, node.kind) for node in nodes] == [
        ("", "group"),
        ("a", "broken"),
        ("b", "array"),
    ]
    assert nodes[1].problem == f".zarray cannot be read: {error}"
    nodes = list(walk(Unreadable(store, "a/.zattrs", error)))
    assert (nodes[1].kind, nodes[1].problem) == ("array", f".zattrs cannot be read: {error}")


def test_a_document_that_vanishes_is_told() -> None:
    class Vanishing(MemorySource):
        def size(self, key: str) -> int | None:
            return 10 if key == "a/.zarray" else super().size(key)

    nodes = list(walk(Vanishing({".zgroup": GROUP_V2, "a/0": b""})))
    assert nodes[1].problem == ".zarray vanished while it was read"


def test_values_in_a_database_that_are_no_bytes(tmp_path: Path) -> None:
    with closing(database(tmp_path, small_store())):
        pass
    with closing(sqlite3.connect(tmp_path / "x.zarrdb")) as connection, connection:
        connection.execute("INSERT INTO zarr VALUES ('b/zarr.json', 17)")
        connection.execute("INSERT INTO zarr VALUES ('c/zarr.json', ?)", (group_v3().decode(),))
    with closing(Database.open(tmp_path / "x.zarrdb", strict=False)) as source:
        nodes = {node.path: node for node in walk(source)}
    assert nodes["a"].chunks_present == 2
    assert nodes["b"].kind == "broken"
    assert nodes["c"].kind == "group"


def test_a_member_of_a_zip_that_is_damaged(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", small_store().items())
    document = small_store()["a/zarr.json"]
    path.write_bytes(path.read_bytes().replace(document, document[:-1] + b"]"))
    with closing(ZipSource(path)) as source:
        nodes = {node.path: node for node in walk(source)}
    assert nodes[""].kind == "group"
    assert nodes["a"].problem is not None
    assert "a/zarr.json is damaged" in nodes["a"].problem


class Endless(MemorySource):
    """An array of very many chunks that are made up as they are asked for."""

    chunks = 50_000

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        assert prefix == "a/"
        assert after is None
        return (Entry(f"a/c/{index}", 4) for index in range(self.chunks))


def test_chunks_are_counted_in_flat_memory() -> None:
    source = Endless({"zarr.json": group_v3(), "a/zarr.json": array_v3((10**9,), (1,))})
    tracemalloc.start()
    try:
        nodes = {node.path: node for node in walk(source)}
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()
    assert (nodes["a"].chunks_present, nodes["a"].chunks_total) == (source.chunks, 10**9)
    assert nodes["a"].stored_bytes == 4 * source.chunks
