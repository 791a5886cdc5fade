"""Blosc2 frames (`.b2nd`): arrays in one contiguous file, read by ranges and written.

`FsspecNDSource("s3://bucket/x.b2nd")[0, :3]` fetches the blocks that hold these items, and no
others. `ByteRangeNDSource` is the same over a transport that a subclass supplies, and `Frame`
over a range reader; `write_frame` writes a frame. All of it needs the extra `blosc2`.
"""

from zarrdb.frame.attributes import Opaque, as_json
from zarrdb.frame.file import FrameFile
from zarrdb.frame.inspection import FrameFacts, inspect
from zarrdb.frame.read import Frame
from zarrdb.frame.ready import FsspecNDSource, HttpNDSource
from zarrdb.frame.refusal import NotRanged, PartsMissing
from zarrdb.frame.source import ByteRangeNDSource
from zarrdb.frame.sparse import is_sparse, sparse_error
from zarrdb.frame.state import FrameReader
from zarrdb.frame.write import storable, write_frame

__all__ = [
    "ByteRangeNDSource",
    "Frame",
    "FrameFacts",
    "FrameFile",
    "FsspecNDSource",
    "HttpNDSource",
    "NotRanged",
    "Opaque",
    "PartsMissing",
    "as_json",
    "inspect",
    "is_sparse",
    "open",
    "sparse_error",
    "storable",
    "write_frame",
]


def open(reader: FrameReader) -> Frame:
    """The array in the frame that a range reader reads; the reader stays the caller's.

    Raises FrameError for a file that holds none, DependencyError without the extra `blosc2`.
    """
    return Frame(reader)
