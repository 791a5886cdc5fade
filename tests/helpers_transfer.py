"""Stores to copy, and looks at what was written that do not go through zarrdb."""

import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from zarrdb.keys import Child, Entry, Remark

GROUP = b'{"zarr_format":3,"node_type":"group","attributes":{}}'
ARRAY = (
    b'{"zarr_format":3,"node_type":"array","shape":[4],"data_type":"uint8",'
    b'"chunk_grid":{"name":"regular","configuration":{"chunk_shape":[1]}},'
    b'"chunk_key_encoding":{"name":"default","configuration":{"separator":"/"}},'
    b'"fill_value":0,"codecs":[{"name":"bytes"}],"attributes":{}}'
)
STORE = {
    "zarr.json": GROUP,
    "a/zarr.json": ARRAY,
    **{f"a/c/{n}": bytes([n % 251]) * (n + 1) for n in range(12)},
    "b/zarr.json": ARRAY,
    "b/c/0": b"",
    "b/c/1": b"x" * 9000,
}


def write_tree(folder: Path, files: Mapping[str, bytes]) -> Path:
    """A directory store with these files."""
    for key, value in files.items():
        path = folder / key
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(value)
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def read_tree(folder: Path) -> dict[str, bytes]:
    """All files below a directory."""
    return {
        os.path.relpath(os.path.join(place, name), folder).replace(os.sep, "/"): Path(
            place, name
        ).read_bytes()
        for place, _, names in os.walk(folder)
        for name in names
    }


def rows_of(path: Path) -> dict[str, bytes]:
    """Keys and values in the order of their rows, read by Python's own sqlite3."""
    connection = sqlite3.connect(path)
    try:
        return dict(connection.execute("SELECT k, v FROM zarr ORDER BY rowid").fetchall())
    finally:
        connection.close()


def records_of(path: Path) -> dict[str, str]:
    """The metadata records."""
    connection = sqlite3.connect(path)
    try:
        return dict(connection.execute("SELECT k, v FROM zarr_sqlitestore_metadata").fetchall())
    finally:
        connection.close()


def require_sound(path: Path) -> None:
    """Hold a file against SQLite's own check, read by Python's own sqlite3."""
    connection = sqlite3.connect(path)
    try:
        assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        assert connection.execute("PRAGMA freelist_count").fetchall() == [(0,)]
        index = connection.execute("PRAGMA index_list(zarr)").fetchall()
        assert [(row[1], row[2], row[3]) for row in index] == [("sqlite_autoindex_zarr_1", 1, "pk")]
        plan = connection.execute("EXPLAIN QUERY PLAN SELECT v FROM zarr WHERE k = 'x'").fetchall()
        assert "USING INDEX sqlite_autoindex_zarr_1" in plan[0][3]
    finally:
        connection.close()
    assert path.read_bytes()[18:20] == b"\x01\x01"
    assert sorted(p.name for p in path.parent.glob(path.name + "-*")) == []


def leftovers(folder: Path) -> list[str]:
    """Private files of ours in a directory."""
    return sorted(name for name in os.listdir(folder) if name.startswith("."))


def in_another_process(path: Path, statement: str) -> str:
    """What another process is told when it executes a statement: an error, or `done`."""
    code = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], timeout=0, isolation_level=None)\n"
        "try:\n"
        "    connection.execute(sys.argv[2]).fetchall(); print('done')\n"
        "except sqlite3.Error as error:\n"
        "    print(error)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, path, statement], capture_output=True, text=True, check=True
    )
    return done.stdout.strip()


@contextmanager
def held_by_another_process(path: Path, *statements: str) -> Iterator[None]:
    """Another process that executed statements and keeps its connection open."""
    code = (
        "import sqlite3, sys\n"
        "connection = sqlite3.connect(sys.argv[1], isolation_level=None)\n"
        "for statement in sys.argv[2:]: connection.execute(statement).fetchall()\n"
        "print('held', flush=True); sys.stdin.read()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", code, path, *statements],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    )
    with process:
        assert process.stdin is not None
        assert process.stdout is not None
        assert process.stdout.readline() == b"held\n"
        yield
        process.stdin.close()


class MemorySource:
    """A source over a dict; what `broken` maps a key to is raised when it is read."""

    kind = "directory"
    name = "memory"

    def __init__(
        self,
        values: Mapping[str, bytes],
        *,
        broken: Mapping[str, Exception] | None = None,
        notes: Iterable[Remark] = (),
    ) -> None:
        self.values = dict(values)
        self.broken = dict(broken or {})
        self.notes = list(notes)
        self.closed = False

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        for key in sorted(self.values):
            if key.startswith(prefix) and (after is None or key > after):
                yield Entry(key, len(self.values[key]))

    def children(self, prefix: str = "") -> Iterator[Child]:
        names = {entry.key[len(prefix) :].partition("/")[0] for entry in self.entries(prefix)}
        return (Child(name, prefix + name in self.values, True) for name in sorted(names))

    def get(self, key: str) -> bytes | None:
        if key in self.broken:
            raise self.broken[key]
        return self.values.get(key)

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        return ((key, self.get(key)) for key in keys)

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        value = self.get(key)
        end = None if length is None else offset + length
        return None if value is None else value[offset:end]

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        value = self.get(key) or b""
        for start in range(0, len(value), chunk_size):
            yield value[start : start + chunk_size]

    def size(self, key: str) -> int | None:
        return len(self.values[key]) if key in self.values else None

    def remarks(self) -> Iterator[Remark]:
        return iter(self.notes)

    def close(self) -> None:
        self.closed = True
