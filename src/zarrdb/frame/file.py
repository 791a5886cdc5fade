"""A frame together with the reader that it is read through."""

from typing import TYPE_CHECKING, Final

from zarrdb.frame.inspection import FrameFacts, facts_of
from zarrdb.frame.read import Frame

if TYPE_CHECKING:
    from zarrdb.transport.reader import RangeReader, Traffic


class FrameFile(Frame):
    """A frame that owns its reader: whoever opened it closes it.

    Raises FrameError for a file that holds no array; the reader is closed then.
    """

    kind: Final = "frame"
    """Beside the kinds of sources of keys."""

    def __init__(self, reader: "RangeReader") -> None:
        self.reader = reader
        try:
            super().__init__(reader)
        except BaseException:
            reader.close()
            raise

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
