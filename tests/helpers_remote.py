"""Database files for remote reading: in the order of the format's own writer, and in others."""

import json
import mmap
import random
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import apsw

from helpers_transport import CountingFileSystem
from zarrdb.db.bulk import BulkWriter
from zarrdb.keys import is_document
from zarrdb.spec import APPLICATION_ID, METADATA_TABLE, VERSION
from zarrdb.transport.filesystem import FilesystemLink
from zarrdb.transport.remote import RemoteReader

Row = tuple[str, bytes]


def hierarchy(chunk_size: int, *, seed: int = 3, spread: float = 0.04) -> list[Row]:
    """A root, 5 groups, 50 arrays of 12 chunks: 56 documents of 75 KB, 600 chunks of a size.

    Documents come first, the root's before all others; chunk sizes vary by `spread`.
    """
    numbers = random.Random(seed)
    group = json.dumps({"zarr_format": 3, "node_type": "group", "attributes": {"t": "x" * 60}})
    documents = [("zarr.json", group.encode())]
    chunks: list[Row] = []
    for g in range(5):
        documents.append((f"g{g}/zarr.json", group.encode()))
        for a in range(10):
            text = json.dumps(
                {"node_type": "array", "attributes": {"c": "c" * (1020 + 17 * (10 * g + a))}}
            )
            documents.append((f"g{g}/a{a}/zarr.json", text.encode()))
            for place in range(12):
                size = int(chunk_size * (1 + numbers.uniform(-spread, spread)))
                key = f"g{g}/a{a}/c/{place // 4}/{place % 4}"
                chunks.append((key, numbers.randbytes(size)))
    return documents + chunks


def many_chunks(size: int) -> list[Row]:
    """20 arrays of 1,000 small chunks."""
    numbers = random.Random(9)
    documents = [("zarr.json", b"{}" * 40)]
    documents += [(f"g/a{a:02}/zarr.json", b"{}" * 600) for a in range(20)]
    return documents + [
        (f"g/a{a:02}/c/{i // 40}/{i % 40}", numbers.randbytes(size + numbers.randrange(size // 20)))
        for a in range(20)
        for i in range(1000)
    ]


def write_ordered(path: str, rows: list[Row], *, page_size: int = 4096) -> None:
    """A file as `import` and `vacuum` write it."""
    sizes = [(key, len(value)) for key, value in rows]
    with BulkWriter(path, page_size=page_size, rows=sizes) as writer:
        writer.put_many(rows)
        writer.finish({"modified_at": "2026-01-01T00:00:00.000Z"})


def write_plain(
    path: str, rows: Iterable[Row], *, page_size: int = 4096, encoding: str = "UTF-8"
) -> None:
    """A file as SQLite writes rows that come one by one, in the order given."""
    connection = apsw.Connection(path)
    connection.pragma("page_size", page_size)
    connection.pragma("encoding", encoding)
    connection.pragma("synchronous", "off")
    with connection:
        connection.execute(f"PRAGMA application_id = {APPLICATION_ID}")
        connection.execute(
            f"CREATE TABLE {METADATA_TABLE} (k TEXT PRIMARY KEY NOT NULL, v TEXT NOT NULL)"
        )
        connection.execute("CREATE TABLE zarr (k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL)")
        records = [
            ("sqlitestore_version", VERSION),
            ("compatible_flags", ""),
            ("incompatible_flags", ""),
        ]
        connection.executemany(f"INSERT INTO {METADATA_TABLE} VALUES (?, ?)", records)
        connection.executemany("INSERT OR REPLACE INTO zarr(k, v) VALUES (?, ?)", rows)
    connection.close()


def shuffled(rows: list[Row], *, seed: int = 5) -> list[Row]:
    """The same rows in random order."""
    found = list(rows)
    random.Random(seed).shuffle(found)
    return found


@contextmanager
def counting(path: str) -> Iterator[tuple[RemoteReader, CountingFileSystem]]:
    """A reader of a file over a file system that counts what it is asked for."""
    with open(path, "rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as data:
        filesystem = CountingFileSystem({"file": data})
        reader = RemoteReader(FilesystemLink(filesystem, "file", "remote"))
        try:
            yield reader, filesystem
        finally:
            reader.close()


def documents_of(rows: list[Row]) -> list[str]:
    """The keys of the documents."""
    return [key for key, _ in rows if is_document(key)]
