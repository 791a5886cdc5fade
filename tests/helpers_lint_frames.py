"""Blosc2 frames on disk for the tests of the linter."""

import os
import struct
from collections.abc import Callable
from typing import Any

import blosc2  # type: ignore[import-untyped]
import numpy as np

from helpers_frame import edited, frame_of, items_of
from helpers_lint_files import Writer, plain

ITEMS = items_of("<f8", (40, 60))
GOOD = frame_of(ITEMS, chunks=(10, 60), blocks=(5, 20), vlmeta={"units": "K"})
"""Four chunks of six blocks."""

HEADER: int = struct.unpack_from(">i", GOOD, 11)[0]
CBYTES: int = struct.unpack_from(">q", GOOD, 39)[0]


def frame(data: bytes = GOOD) -> Writer:
    """A file of these bytes, under the name of a frame."""
    return plain(data, "x.b2nd")


def chunk_at(number: int) -> int:
    """Where a chunk of the good frame starts."""
    offsets = blosc2.decompress2(GOOD[HEADER + CBYTES :])
    return HEADER + int(np.frombuffer(offsets, "<i8")[number])


def garbled() -> bytes:
    """The good frame with a chunk whose header is right and whose blocks are not."""
    return edited(GOOD, chunk_at(2) + 32 + 4 * 6, b"\xff\xff\xff\x7f")


def patched(at: int, new: bytes) -> Writer:
    """The good frame with other bytes at one place."""
    return frame(edited(GOOD, at, new))


def sparse(change: Callable[[str], None] | None = None) -> Writer:
    """A frame that is a directory with a file for each chunk."""

    def write(folder: str) -> str:
        path = os.path.join(folder, "x.b2nd")
        blosc2.asarray(ITEMS, chunks=(10, 60), urlpath=path, contiguous=False, mode="w")
        if change is not None:
            change(path)
        return path

    return write


def never_written(*, but: Any = None) -> Writer:
    """A frame of four chunks of which none, or only some, were written."""
    made = blosc2.uninit((40,), dtype="<i4", chunks=(10,), blocks=(5,))
    if but is not None:
        made[but] = 7
    return frame(bytes(made.to_cframe()))
