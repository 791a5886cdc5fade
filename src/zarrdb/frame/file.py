"""A frame together with the reader that it is read through."""

from typing import TYPE_CHECKING, Final

from zarrdb.errors import FrameError
from zarrdb.frame.inspection import FrameFacts, facts_of
from zarrdb.frame.read import Frame
from zarrdb.transport.local import LocalReader

if TYPE_CHECKING:
    from zarrdb.transport.reader import RangeReader, Traffic


class FrameFile(Frame):
    """A frame that owns its reader: whoever opened it closes it."""

    kind: Final = "frame"
    """Beside the kinds of sources of keys."""

    def __init__(self, reader: "RangeReader") -> None:
        super().__init__(reader)
        self.reader = reader

    @property
    def traffic(self) -> "Traffic":
        """The requests so far."""
        return self.reader.traffic

    def inspect(self, *, headers: bool = True, data: bool = False) -> FrameFacts:
        """Facts and faults; `headers` looks at every chunk, `data` decodes all of them."""
        return facts_of(self.reader, self.state, headers=headers, data=data)

    def close(self) -> None:
        """Give back file or connections; a second call does nothing."""
        self.reader.close()


def open_file(path: str, *, name: str | None = None) -> FrameFile:
    """The frame at a path. Raises FrameError, MissingError and SourceError."""
    reader = LocalReader(path, name=name)
    try:
        return FrameFile(reader)
    except BaseException:
        reader.close()
        raise


def open_suffixed(reader: "RangeReader") -> FrameFile | None:
    """The frame that a file is by its suffix, in one round; None if its bytes say otherwise.

    Raises FrameError for a frame that cannot be read.
    """
    try:
        return FrameFile(reader)
    except FrameError as error:
        if error.reason != "unreadable":
            raise
        return None
