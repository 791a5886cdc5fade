"""Sparse frames: directories with a file for each chunk. They are named, not read."""

import os

from zarrdb.errors import FrameError
from zarrdb.frame.chunk import parse_chunk_header
from zarrdb.frame.codec import decompress
from zarrdb.frame.header import parse_numbers
from zarrdb.frame.streams import check_all_blocks

NAME = "chunks.b2frame"
"""The file that makes a directory a sparse frame: header, numbers of the chunks, trailer."""

# The file has a header, eight bytes a chunk and a trailer; more is no list of chunks.
_MOST = 256 << 20
_SHOWN = 3


def is_sparse(path: str) -> bool:
    """Whether a path is the directory of a sparse frame."""
    return os.path.isfile(os.path.join(path, NAME))


def directory_error(path: str) -> FrameError:
    """Why a directory is not read as a frame: a sparse one, or a store of several."""
    if is_sparse(path):
        return sparse_error(path)
    return FrameError(
        f"{path}: a directory, not a frame",
        reason="not-an-array",
        hint="give one of the files in it",
    )


def sparse_error(path: str) -> FrameError:
    """Why the directory of a sparse frame is not read, with the chunk files it lacks."""
    try:
        missing = _missing(path)
    except (OSError, ValueError):
        found = f"{path}: a sparse frame whose {NAME} cannot be read"
    else:
        found = f"{path}: a sparse frame, a directory with a file for each chunk"
        if missing:
            names = ", ".join(missing[:_SHOWN]) + (", …" if len(missing) > _SHOWN else "")
            found += f"; {len(missing)} missing: {names}"
    return sparse_refusal(found)


def sparse_refusal(found: str) -> FrameError:
    """The error for a sparse frame, with what to do about it."""
    return FrameError(
        found,
        reason="not-an-array",
        hint="copy it into one file: blosc2.open(…).copy(urlpath=…, contiguous=True)",
    )


def _missing(path: str) -> list[str]:
    """The names of the chunk files that the list of chunks has and the directory has not."""
    import numpy as np

    place = os.path.join(path, NAME)
    if os.path.getsize(place) > _MOST:
        raise ValueError
    with open(place, "rb") as file:
        data = file.read()
    fixed = parse_numbers(path, data)
    if not fixed.nbytes:
        return []
    index = memoryview(data)[fixed.header_len :]
    chunk = parse_chunk_header(index, len(index))
    if chunk.nbytes > _MOST:
        raise ValueError
    check_all_blocks(chunk, index)
    numbers = np.frombuffer(decompress(index[: chunk.cbytes]), "<i8")
    names = (f"{number:08X}.chunk" for number in numbers[numbers >= 0].tolist())
    present = set(os.listdir(path))
    return [name for name in names if name not in present]
