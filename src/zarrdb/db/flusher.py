"""Writing to a file in a thread of its own, and having it on the disk in another.

Large writes and syncs need no interpreter, so they cost whoever produces the data nothing but
the hand-over; and when the last byte is handed over, most of the file is on the disk.
"""

import os
import threading
from collections.abc import Sequence
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final

Buffer = bytes | bytearray | memoryview

SYNC_BYTES: Final = 32 << 20
"""After so many bytes the disk is asked to write them: it would begin only seconds later."""

_AHEAD: Final = 16
"""Megabytes handed over and not yet written, at most; what comes next waits."""

_UNIT: Final = 1 << 20
_SMALL: Final = 4096
"""Bytes a part below which joining them takes less time than handing each to the system."""

_MOST_PARTS: Final = min(1024, os.sysconf("SC_IOV_MAX")) if hasattr(os, "writev") else 0
"""How many parts one system call writes without their being joined in memory first."""


class Flusher:
    """Writes runs of parts to places in a file, in the order given; used by one thread.

    What goes wrong in a write is raised, as OSError, by a later call.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: SimpleQueue[tuple[Sequence[Buffer], int, int] | None] = SimpleQueue()
        self._room = threading.Semaphore(_AHEAD)
        self._syncs: SimpleQueue[bool] = SimpleQueue()
        self._threads: list[threading.Thread] = []
        self._error: OSError | None = None

    def write(self, parts: Sequence[Buffer], size: int, offset: int) -> None:
        """Hand over parts of `size` bytes in all; they must not change any more."""
        if size < _SMALL * len(parts):
            parts = [b"".join(parts)]
        if not self._threads:
            self._start()
        for _ in range(_units(size)):
            self._room.acquire()
        self._raise()
        self._queue.put((parts, size, offset))

    def finish(self) -> None:
        """Wait until everything is written."""
        self._end()
        self._raise()

    def abandon(self) -> None:
        """Drop what is not written yet; the descriptor is not used any more after this."""
        with suppress(Empty):
            while True:
                self._queue.get_nowait()
        self._end()

    def _start(self) -> None:
        runs = [self._run] if not hasattr(os, "fdatasync") else [self._run, self._sync]
        for run in runs:
            self._threads.append(threading.Thread(target=run, name="zarrdb-writer", daemon=True))
            self._threads[-1].start()

    def _end(self) -> None:
        if self._threads:
            self._queue.put(None)
        while self._threads:
            self._threads.pop(0).join()

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        unsynced = 0
        while (run := self._queue.get()) is not None:
            parts, size, offset = run
            try:
                if self._error is None:
                    self._write(parts, offset)
                    unsynced += size
            except OSError as error:
                self._error = error
            if unsynced >= SYNC_BYTES:
                self._syncs.put(True)
                unsynced = 0
            del run, parts
            self._room.release(_units(size))
        self._syncs.put(False)

    def _sync(self) -> None:
        while self._syncs.get():
            try:
                os.fdatasync(self._descriptor)
            except OSError as error:
                self._error = error

    def _write(self, parts: Sequence[Buffer], offset: int) -> None:
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        if not _MOST_PARTS:
            self._write_all(b"".join(parts))
            return
        for start in range(0, len(parts), _MOST_PARTS):
            group = parts[start : start + _MOST_PARTS]
            written = os.writev(self._descriptor, group)
            # A short write is rare: a signal, or a disk that is nearly full.
            if written != sum(map(len, group)):
                self._write_all(b"".join(group)[written:])

    def _write_all(self, data: bytes) -> None:
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]


def _units(size: int) -> int:
    """Megabytes, begun ones counted; never more than there may be."""
    return min(_AHEAD, -(-size // _UNIT) or 1)
