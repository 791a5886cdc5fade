"""An array of any source written as a Blosc2 frame."""

from collections.abc import Iterator, Mapping
from hashlib import sha256
from typing import Any, Protocol

from zarrdb.arrays.read import Chunk, StoredArray
from zarrdb.errors import TargetError, VerificationError
from zarrdb.frame.dtypes import format_dtype, parse_dtype
from zarrdb.frame.file import open_file
from zarrdb.frame.write import write_frame
from zarrdb.keys import printable


class Progress(Protocol):
    """What is told how far the writing is."""

    def update(self, keys: int, size: int) -> None:
        """How many chunks and decoded bytes are done."""
        ...


def require_holdable(array: StoredArray, name: str) -> None:
    """Raise TargetError for an array whose items a frame has no data type for."""
    try:
        parse_dtype(format_dtype(array.dtype))
    except ValueError as error:
        raise TargetError(
            f"{printable(name)}: a Blosc2 frame has no data type for {array.dtype}: {error}"
        ) from error


def write_array(
    array: StoredArray,
    target: str,
    *,
    attributes: Mapping[str, object],
    verify: bool = False,
    jobs: int | None = None,
    progress: Progress | None = None,
) -> None:
    """Write all of an array to a new frame, which takes the place of what stands there.

    Absent chunks become runs of the fill value; where there is none, never-written chunks.
    `verify` reads the frame back, before it has its name, and compares every item. Raises
    what reading the array raises, UsageError for what a frame cannot hold, TargetError,
    NoSpaceError and VerificationError.
    """
    digests: dict[int, bytes] = {}

    def given() -> Iterator[Chunk]:
        size = 0
        for done, (number, items) in enumerate(array.chunks(jobs), 1):
            if verify:
                digests[number] = _digest(items)
            yield number, items
            size += items.nbytes
            if progress is not None:
                progress.update(done, size)

    def check(path: str) -> None:
        _compare(path, printable(target), digests, array.fill_value)

    write_frame(
        target,
        given(),
        shape=array.geometry.shape,
        dtype=array.dtype,
        chunks=array.geometry.chunks,
        attributes=attributes,
        fill_value=array.fill_value,
        overwrite=True,
        threads=array.threads(jobs),
        check=check if verify else None,
    )


def _compare(path: str, name: str, digests: Mapping[int, bytes], fill_value: Any) -> None:
    """Hold what a frame has in its chunks against what was read."""
    import numpy as np

    frame = open_file(path)
    try:
        missing = set(digests)
        for number, items in frame.written_chunks():
            missing.discard(number)
            wanted = digests.get(number)
            if wanted is None:
                wanted = _digest(np.full(items.shape, np.array(fill_value, items.dtype)))
            if _digest(items) != wanted:
                raise _differs(name, number)
        if missing:
            raise _differs(name, min(missing))
    finally:
        frame.close()


def _digest(items: Any) -> bytes:
    return sha256(items.tobytes(), usedforsecurity=False).digest()


def _differs(name: str, number: int) -> VerificationError:
    return VerificationError(
        f"{name}: what was written differs from what was read, in chunk {number}",
        hint="the disk or the memory of this machine may be at fault",
    )
