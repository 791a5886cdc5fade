"""The files that SQLite keeps beside a database: `-wal`, `-shm`, `-journal`."""

from typing import NamedTuple


class Sidecar(NamedTuple):
    """One of them, and what is in it.

    States of a `-wal`: `empty`, `committed` (rows that the file alone does not have),
    `uncommitted` (only an unfinished transaction), `invalid` (no valid frame), `foreign`
    (of another file: SQLite would replay it all the same). Of a `-journal`: `empty`,
    `zeroed` (finished and kept), `hot` (interrupted, or in progress), `invalid`. Of a
    `-shm`: `index`.
    """

    suffix: str
    size: int
    state: str
    frames: int = 0
    """Committed frames of a `-wal`."""
