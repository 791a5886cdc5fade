"""A place in the hierarchy while the scan passes through it."""

from typing import Final

from zarrdb.lint.chunkwatch import BlindWatch, ChunkWatch
from zarrdb.lint.tally import Tally
from zarrdb.lint.verdict import Verdict

NODE_DOCUMENTS: Final = {".zarray": 2, ".zgroup": 2, "zarr.json": 3}
"""Documents that make a place a node, and the format of each."""


class Place:
    """One path: the documents there, and what the keys below it have shown so far.

    `array` is the watch over the chunks of the array at this path or, for a path inside an
    array, around it.
    """

    __slots__ = (
        "array",
        "documents",
        "formats_below",
        "orphans",
        "parent",
        "path",
        "resolved",
    )

    def __init__(self, path: str, parent: "Place | None") -> None:
        self.path = path
        self.parent = parent
        self.array: ChunkWatch | BlindWatch | None = None
        self.documents: dict[str, Verdict] = {}
        self.formats_below: set[int] = set()
        self.orphans: Tally | None = None
        self.resolved = False

    @property
    def formats(self) -> set[int]:
        """The formats of which there is a node document, readable or not."""
        return {NODE_DOCUMENTS[name] for name in self.documents if name in NODE_DOCUMENTS}

    @property
    def is_node(self) -> bool:
        """Whether there is a node document of either format."""
        return bool(self.formats)

    def key(self, name: str) -> str:
        """The key of a document here."""
        return f"{self.path}/{name}" if self.path else name
