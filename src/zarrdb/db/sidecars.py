"""The files that SQLite keeps beside a database: `-wal`, `-shm`, `-journal`.

Formats: SQLite's "Database File Format", sections "The Rollback Journal" and "The
Write-Ahead Log".
"""

import os
import struct
from collections.abc import Callable
from contextlib import suppress
from typing import Final, NamedTuple

from zarrdb.db.filebytes import FileBytes
from zarrdb.db.header import Header, parse
from zarrdb.errors import MissingError

JOURNAL_MAGIC: Final = bytes.fromhex("d9d505f920a163d7")

_WAL_HEADER: Final = struct.Struct(">8I")
_WAL_FRAME: Final = struct.Struct(">6I")
_WAL_VERSION: Final = 3007000
_WAL_MAGICS: Final = {0x377F0682: "<", 0x377F0683: ">"}

# 0.1 ms a page of 4096 bytes: verifying the first transaction is enough to know that rows
# are there, and a longer one than this is believed by its salts.
_VERIFIED_FRAMES: Final = 2000


class Sidecar(NamedTuple):
    """One of them, and what is in it.

    States of a `-wal`: `empty`, `committed` (rows that the file alone may not have),
    `uncommitted` (only an unfinished transaction), `invalid` (no valid frame), `foreign`
    (of another file: SQLite would replay it all the same). Of a `-journal`: `empty`,
    `zeroed` (finished and kept), `active` (a transaction in progress), `hot` (an
    interrupted one), `invalid`. Of a `-shm`: `index`.
    """

    suffix: str
    size: int
    state: str


def examine(
    path: str, header: Header | None, *, being_written: Callable[[], bool]
) -> tuple[Sidecar, ...]:
    """The sidecars that lie beside a database file; `being_written` asks about that file."""
    found = []
    for suffix in ("-wal", "-journal"):
        try:
            with FileBytes(path + suffix) as file:
                found.append(_examine_one(suffix, file, header, being_written))
        except MissingError:
            continue
    # Not even SQLite can open a `-shm` without dropping the locks that this process has on it.
    with suppress(OSError):
        found.append(Sidecar("-shm", os.stat(path + "-shm").st_size, "index"))
    return tuple(found)


def _examine_one(
    suffix: str, file: FileBytes, header: Header | None, being_written: Callable[[], bool]
) -> Sidecar:
    size = file.size()
    if suffix == "-journal":
        return Sidecar(suffix, size, _journal_state(file, size, being_written))
    return Sidecar(suffix, size, _wal_state(file, header) if size else "empty")


def _journal_state(file: FileBytes, size: int, being_written: Callable[[], bool]) -> str:
    # Asked before and after: the transaction may begin or end while its journal is read.
    active = being_written()
    start = file.read(0, len(JOURNAL_MAGIC)) if size else b""
    if active or being_written():
        # Until it is synced, the journal of a transaction in progress has zeros at its start.
        return "active"
    if not size:
        return "empty"
    # SQLite looks at the first byte alone to tell a finished journal from an interrupted one.
    if start[:1] == b"\0":
        return "zeroed"
    return "hot" if start == JOURNAL_MAGIC else "invalid"


def _wal_state(file: FileBytes, header: Header | None) -> str:
    """State of a log that is not empty."""
    if header is not None and not header.wal:
        return "foreign"
    start = file.read(0, _WAL_HEADER.size)
    if len(start) < _WAL_HEADER.size:
        return "invalid"
    magic, version, page_size, _, _, _, *sums = _WAL_HEADER.unpack(start)
    order = _WAL_MAGICS.get(magic)
    if order is None or version != _WAL_VERSION:
        return "invalid"
    if _checksum(start[:24], order, (0, 0)) != tuple(sums):
        return "invalid"
    if header is not None and page_size != header.page_size:
        return "foreign"
    return _first_transaction(file, start, header, page_size, order)


def _first_transaction(
    file: FileBytes, start: bytes, header: Header | None, page_size: int, order: str
) -> str:
    """Whether the log that begins with `start` holds a whole transaction, and whose."""
    salts, sums = start[16:24], struct.unpack(">2I", start[24:])
    step = _WAL_FRAME.size + page_size
    total = (file.size() - _WAL_HEADER.size) // step
    for number in range(total):
        verify = number < _VERIFIED_FRAMES
        length = step if verify else _WAL_FRAME.size
        frame = file.read(_WAL_HEADER.size + number * step, length)
        if len(frame) < length:
            # Somebody has just folded it.
            return "uncommitted" if number else "invalid"
        number_of_page, database_size, _, _, *expected = _WAL_FRAME.unpack_from(frame)
        if frame[8:16] != salts:
            return "uncommitted" if number else "invalid"
        if verify:
            page = frame[_WAL_FRAME.size :]
            sums = _checksum(page, order, _checksum(frame[:8], order, sums))
            if sums != tuple(expected):
                return "uncommitted" if number else "invalid"
            if number_of_page == 1 and header is not None and _other_file(page, header):
                return "foreign"
        if database_size:
            return "committed"
    return "uncommitted" if total else "invalid"


def _other_file(page: bytes, header: Header) -> bool:
    """Whether a first page in the log contradicts the one in the file."""
    logged = parse(page)
    if logged is None:
        return True
    known = header.application_id != 0 and header.application_id != logged.application_id
    return known or (header.encoding != 0 and header.encoding != logged.encoding)


def _checksum(data: bytes, order: str, sums: tuple[int, int]) -> tuple[int, int]:
    first, second = sums
    words = struct.unpack(f"{order}{len(data) // 4}I", data)
    for even, odd in zip(words[::2], words[1::2], strict=True):
        first = (first + even + second) & 0xFFFFFFFF
        second = (second + odd + first) & 0xFFFFFFFF
    return first, second
