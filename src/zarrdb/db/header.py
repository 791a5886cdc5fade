"""The 100 bytes at the start of every SQLite file (SQLite's "Database File Format")."""

import struct
from typing import Final, NamedTuple

MAGIC: Final = b"SQLite format 3\x00"
SIZE: Final = 100

ENCODINGS: Final = {1: "UTF-8", 2: "UTF-16le", 3: "UTF-16be"}
CODECS: Final = {1: "utf-8", 2: "utf-16-le", 3: "utf-16-be"}

_FIELDS: Final = struct.Struct(">16sHBBBBBB12I20xII")


class Header(NamedTuple):
    """What the header says, field by field; nothing is judged."""

    page_size: int
    write_version: int
    """1 rollback journal, 2 WAL; greater values are from the future."""
    read_version: int
    reserved: int
    """Bytes unused at the end of every page."""
    change_counter: int
    page_count: int
    """As written in the header, which counts only when `counts_pages`."""
    free_pages: int
    schema_format: int
    largest_root: int
    """Not 0: the file has pointer-map pages (auto_vacuum)."""
    encoding: int
    """1 UTF-8, 2 UTF-16le, 3 UTF-16be; 0 while the database is empty."""
    user_version: int
    application_id: int
    version_valid_for: int
    sqlite_version: int

    @property
    def wal(self) -> bool:
        """Whether the file is in WAL mode."""
        return self.write_version == 2 or self.read_version == 2

    @property
    def counts_pages(self) -> bool:
        """Whether `page_count` was written by a SQLite that keeps it (3.7.0 or later)."""
        return self.page_count > 0 and self.change_counter == self.version_valid_for

    @property
    def encoding_name(self) -> str:
        """`UTF-8`, `UTF-16le`, `UTF-16be`, or `unknown`."""
        return ENCODINGS.get(self.encoding or 1, "unknown")


def parse(data: bytes) -> Header | None:
    """The header in the first 100 bytes of a file, or None where it is not SQLite's."""
    if len(data) < SIZE or data[:16] != MAGIC:
        return None
    _, page_size, write_version, read_version, reserved, _, _, _, *words = _FIELDS.unpack(
        data[:SIZE]
    )
    return Header(
        page_size=65536 if page_size == 1 else page_size,
        write_version=write_version,
        read_version=read_version,
        reserved=reserved,
        change_counter=words[0],
        page_count=words[1],
        free_pages=words[3],
        schema_format=words[5],
        largest_root=words[7],
        encoding=words[8],
        user_version=words[9],
        application_id=words[11],
        version_valid_for=words[12],
        sqlite_version=words[13],
    )
