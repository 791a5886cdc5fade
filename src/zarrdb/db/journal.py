"""Journal modes: a write-ahead log beside readers, one self-contained file when closed.

With a log, commits need no fsync and readers never stop a writer. But a log has to lie in
shared memory (not on network file systems), and rows may be in it that a copy of the file
alone would miss (section "Database journaling mode"): so it is folded back at close.
"""

import os
from typing import Final, Literal

import apsw

from zarrdb.db.mounts import is_network
from zarrdb.db.paths import python_path

Durability = Literal["chunk", "group", "close"]

LOG_BYTES: Final = 24 << 20
"""Size at which the log is copied into the file; each copy is two fsyncs. Writing 100 values of
1 MiB ten at a time, close included: 157 ms with 8 MiB, 148 with 24, 172 with 32; past that the
log itself falls out of the page cache (256 MiB: 262 ms)."""


def start_log(connection: apsw.Connection) -> bool:
    """Turn the write-ahead log on; False where that cannot be, and writing works without.

    It cannot be while another connection reads or writes, nor on a network file system: there
    a file that came with a log is taken out of it.
    """
    network = is_network(os.path.dirname(python_path(connection)))
    if connection.pragma("journal_mode") == "wal":
        return not (network and fold(connection))
    if network:
        return False
    try:
        return bool(connection.pragma("journal_mode", "wal") == "wal")
    except apsw.BusyError:
        return False


def set_durability(connection: apsw.Connection, durability: Durability) -> None:
    """Say when what was written reaches the disk; what it survives is said in `SQLiteStore`."""
    connection.pragma("synchronous", "full" if durability == "chunk" else "normal")
    page_size = int(connection.pragma("page_size"))
    pages = 0 if durability == "close" else LOG_BYTES // page_size
    connection.pragma("wal_autocheckpoint", pages)


def fold(connection: apsw.Connection) -> bool:
    """Move all rows into the file and leave DELETE mode behind; whether that worked.

    While other connections are open the mode stays and only the rows are moved: the file is
    complete by itself all the same.
    """
    if connection.pragma("journal_mode") != "wal":
        return True
    try:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return bool(connection.pragma("journal_mode", "delete") == "delete")
    except apsw.BusyError:
        return False


def set_page_size(connection: apsw.Connection, page_size: int) -> bool:
    """Rebuild the file with another page size; False while others have it open.

    Costs a copy of the whole file: for one that holds nothing but documents yet.
    """
    if connection.pragma("page_size") == page_size:
        return True
    try:
        if not fold(connection):
            return False
        connection.pragma("page_size", page_size)
        connection.execute("VACUUM")
    except apsw.BusyError:
        return False
    return bool(connection.pragma("page_size") == page_size)
