"""What reading a `.zarrdb` from afar costs, cold, opening included, with 20 ms a request.

    python tests/bench/bench_remote.py [--latency 0.02] [--chunk 546342] [--dir DIR]

600 chunks, 56 documents and 656 keys, in the order of `import` and in random order; 20,000
small chunks; and beside them SQLite page by page, and zipfile over fsspec's own file object.
Each cell is requests / serial rounds / bytes / seconds.
"""

import argparse
import sys
import tempfile
import threading
import time
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))

from fsspec.spec import AbstractBufferedFile
from sidebyside import bound

from helpers_remote import (
    Row,
    documents_of,
    hierarchy,
    many_chunks,
    shuffled,
    write_ordered,
    write_plain,
)
from helpers_transport import CountingFileSystem
from zarrdb.db.pager import Pager
from zarrdb.db.remote import open_remote
from zarrdb.sources.remote_zip import RemoteZipSource
from zarrdb.transport.cache import BlockCache
from zarrdb.transport.filesystem import FilesystemLink
from zarrdb.transport.remote import RemoteReader

Get = Callable[[list[str]], list[bytes | None]]
Keys = Callable[[], int]


class SlowFileSystem(CountingFileSystem):
    """Counts what it is asked, and how often with nothing else under way; answers late."""

    def __init__(self, path: str, latency: float) -> None:
        super().__init__({"file": _Lazy(path)})  # type: ignore[dict-item]
        self.latency = latency
        self.rounds = self.waiting = 0
        self.lock = threading.Lock()

    def cat_file(
        self, path: str, start: int | None = None, end: int | None = None, **options: Any
    ) -> bytes:
        with self.lock:
            self.rounds += self.waiting == 0
            self.waiting += 1
        try:
            time.sleep(self.latency)
            return super().cat_file(path, start, end)
        finally:
            with self.lock:
                self.waiting -= 1

    def _open(self, path: str, mode: str = "rb", **options: Any) -> AbstractBufferedFile:
        return _File(self, path, mode, **options)


class _Lazy:
    """A file that is sliced where it lies."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.size = Path(path).stat().st_size

    def __len__(self) -> int:
        return self.size

    def __getitem__(self, part: slice) -> bytes:
        start, stop, _ = part.indices(self.size)
        with open(self.path, "rb") as file:
            file.seek(start)
            return file.read(stop - start)


class _File(AbstractBufferedFile):  # type: ignore[misc]
    def _fetch_range(self, start: int, end: int) -> bytes:
        data: bytes = self.fs.cat_file(self.path, start, end)
        return data


def ours(filesystem: SlowFileSystem) -> tuple[Get, Keys]:
    database = open_remote(RemoteReader(FilesystemLink(filesystem, "file", "file")))
    return (
        lambda keys: [value for _, value in database.get_many(keys)],
        lambda: sum(1 for _ in database.list()),
    )


def page_by_page(filesystem: SlowFileSystem) -> tuple[Get, Keys]:
    reader = RemoteReader(FilesystemLink(filesystem, "file", "file"), gap=0)
    pager = Pager(reader, head=512)
    pager.cache = pager.files.file._cache = BlockCache(
        reader, pager.header.page_size, pager.cache.size
    )

    def fetch(number: int) -> bytes:
        pager.cache.load([range(number, number + 1)])
        return pager.cache.get(number) or b""

    pager.files.file._fetch = fetch  # type: ignore[method-assign]
    run = pager.connection.execute
    return (
        lambda keys: [run("SELECT v FROM zarr WHERE k = ?", (key,)).get for key in keys],
        lambda: len(run("SELECT k FROM zarr ORDER BY k").fetchall()),
    )


def our_zip(filesystem: SlowFileSystem) -> tuple[Get, Keys]:
    source = RemoteZipSource(RemoteReader(FilesystemLink(filesystem, "file", "file")))
    return (
        lambda keys: [value for _, value in source.get_many(keys)],
        lambda: sum(1 for _ in source.entries()),
    )


def their_zip(filesystem: SlowFileSystem) -> tuple[Get, Keys]:
    archive = zipfile.ZipFile(filesystem.open("file"))
    return lambda keys: [archive.read(key) for key in keys], lambda: len(archive.namelist())


WANTED: Final = {
    "ordered 4096": ((2, 1), (2, 1), (2, 1), (3, 2), (7, 4), (41, 3)),
    "random 4096": ((4, 4), (4, 2), (58, 4), (5, 5), None, (44, 6)),
}
"""Of each job, requests and rounds at most."""


def measure(
    name: str,
    path: str,
    rows: list[Row],
    latency: float,
    opener: Callable[[SlowFileSystem], tuple[Get, Keys]],
) -> None:
    values = dict(rows)
    chunks = [key for key, _ in rows if "/c/" in key]
    middle = len(chunks) // 2
    jobs: dict[str, list[str] | None] = {
        "root": ["zarr.json"],
        "all keys": None,
        "documents": documents_of(rows),
        "a chunk": chunks[middle : middle + 1],
        "20 neighbours": chunks[middle : middle + 20],
        "20 scattered": chunks[7 :: len(chunks) // 20][:20],
    }
    cells = []
    counts = []
    for wanted in jobs.values():
        filesystem = SlowFileSystem(path, latency)
        start = time.perf_counter()
        get, keys = opener(filesystem)
        if wanted is None:
            assert keys() == len(rows)
        else:
            assert get(wanted) == [values[key] for key in wanted]
        taken = time.perf_counter() - start
        size = sum(size for _, size in filesystem.spans)
        asked = len(filesystem.spans) + filesystem.questions
        cells.append(f"{asked} / {filesystem.rounds} / {size / 1e6:.2f} MB / {taken:.2f} s")
        counts.append((asked, filesystem.rounds))
    print(f"{name:<34}" + "".join(f" | {cell:<27}" for cell in cells), flush=True)
    for job, (asked, rounds), limits in zip(jobs, counts, WANTED.get(name, ()), strict=False):
        if limits is not None:
            bound(f"file {name}, {job}", asked, "requests", at_most=limits[0])
            bound(f"file {name}, {job}", rounds, "rounds", at_most=limits[1])


def main() -> None:
    """Build the files, and print the table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--latency", type=float, default=0.02)
    parser.add_argument("--chunk", type=int, default=546_342)
    parser.add_argument("--dir", default=None)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(dir=options.dir) as folder:
        rows, small = hierarchy(options.chunk, spread=0.02), many_chunks(8200)
        paths = {
            name: f"{folder}/{name}"
            for name in ("ordered 4096", "ordered 16384", "random 4096", "small 4096", "zip")
        }
        write_ordered(paths["ordered 4096"], rows)
        write_ordered(paths["ordered 16384"], rows, page_size=16384)
        write_plain(paths["random 4096"], shuffled(rows))
        write_ordered(paths["small 4096"], small)
        with zipfile.ZipFile(paths["zip"], "w") as archive:
            for key, value in rows:
                archive.writestr(key, value)
        columns = (
            "root document",
            "all keys",
            "documents",
            "a chunk",
            "20 neighbours",
            "20 scattered",
        )
        print(f"{'':<34}" + "".join(f" | {column:<27}" for column in columns))
        for name in ("ordered 4096", "ordered 16384", "random 4096"):
            measure(name, paths[name], rows, options.latency, ours)
        measure("small 4096", paths["small 4096"], small, options.latency, ours)
        measure(
            "random 4096, page by page", paths["random 4096"], rows, options.latency, page_by_page
        )
        measure("zip", paths["zip"], rows, options.latency, our_zip)
        measure("zip, zipfile over fsspec", paths["zip"], rows, options.latency, their_zip)


if __name__ == "__main__":
    main()
