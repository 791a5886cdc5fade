"""Writing to a file in a thread of its own, which also sees to it that the disk keeps up.

Large writes and syncs need no interpreter, so they cost whoever produces the data nothing but
the hand-over; and when the last byte is handed over, most of the file is on the disk.
"""

import os
import threading
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Final

SYNC_BYTES: Final = 32 << 20
"""After so many bytes the disk is asked to write them: it would begin only seconds later."""

_AHEAD: Final = 16
"""Pieces handed over and not yet written; the next one waits."""


class Flusher:
    """Writes pieces of data to places in a file, in the order given; used by one thread.

    What goes wrong in a write is raised, as OSError, by a later call.
    """

    def __init__(self, descriptor: int) -> None:
        self._descriptor = descriptor
        self._queue: SimpleQueue[tuple[bytes, int] | None] = SimpleQueue()
        self._room = threading.Semaphore(_AHEAD)
        self._thread: threading.Thread | None = None
        self._error: OSError | None = None

    def write(self, data: bytes, offset: int) -> None:
        """Hand data over; it must not change any more."""
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="zarrdb-writer", daemon=True)
            self._thread.start()
        self._room.acquire()
        self._raise()
        self._queue.put((data, offset))

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

    def _end(self) -> None:
        if self._thread is not None:
            self._queue.put(None)
            self._thread.join()
            self._thread = None

    def _raise(self) -> None:
        if self._error is not None:
            raise self._error

    def _run(self) -> None:
        unsynced = 0
        while (piece := self._queue.get()) is not None:
            data, offset = piece
            try:
                if self._error is None:
                    self._write(data, offset)
                    unsynced += len(data)
                    if unsynced >= SYNC_BYTES and hasattr(os, "fdatasync"):
                        os.fdatasync(self._descriptor)
                        unsynced = 0
            except OSError as error:
                self._error = error
            self._room.release()

    def _write(self, data: bytes, offset: int) -> None:
        os.lseek(self._descriptor, offset, os.SEEK_SET)
        left = memoryview(data)
        while left:
            left = left[os.write(self._descriptor, left) :]
