"""Blosc2 frames (`.b2nd`): arrays in one contiguous file, read by ranges and written."""

from zarrdb.frame.read import Frame
from zarrdb.frame.ready import FsspecNDSource, HttpNDSource
from zarrdb.frame.refusal import NotRanged, PartsMissing
from zarrdb.frame.source import ByteRangeNDSource
from zarrdb.frame.state import FrameReader
from zarrdb.frame.write import write_frame

__all__ = [
    "ByteRangeNDSource",
    "Frame",
    "FsspecNDSource",
    "HttpNDSource",
    "NotRanged",
    "PartsMissing",
    "open",
    "write_frame",
]


def open(reader: FrameReader) -> Frame:
    """The array in the frame that a range reader reads; the reader stays the caller's.

    Raises FrameError for a file that holds none, DependencyError without the extra `blosc2`.
    """
    return Frame(reader)
