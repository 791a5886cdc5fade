"""A place in the hierarchy while the scan passes through it."""

from typing import Final

from zarrdb.lint.chunkwatch import BlindWatch, ChunkWatch
from zarrdb.lint.tally import Tally
from zarrdb.lint.verdict import Verdict

V2: Final = 1
V3: Final = 2
NODE_DOCUMENTS: Final = {".zarray": V2, ".zgroup": V2, "zarr.json": V3}
"""Documents that make a place a node, and the format of each."""

_ORDINARY: Final = frozenset(
    frozenset(names)
    for names in (
        (".zarray",),
        (".zarray", ".zattrs"),
        (".zgroup",),
        (".zgroup", ".zattrs"),
        (".zgroup", ".zmetadata"),
        (".zgroup", ".zattrs", ".zmetadata"),
        ("zarr.json",),
    )
)


class Place:
    """One path: the documents there, and what the keys below it have shown so far.

    `prefix` is that of all keys below, `path` the same without its slash. `formats` are those
    of the node documents here, readable or not, `below` those of nodes further down. `array`
    is the watch over the chunks of the array here or, for a place inside an array, around it.
    """

    __slots__ = (
        "array",
        "below",
        "documents",
        "folded",
        "formats",
        "orphans",
        "parent",
        "path",
        "prefix",
        "resolved",
        "valid",
    )

    def __init__(self, prefix: str, parent: "Place | None", *, valid: bool = True) -> None:
        self.prefix = prefix
        self.path = prefix[:-1]
        self.parent = parent
        self.valid = valid
        self.documents: dict[str, Verdict] = {}
        self.formats = 0
        self.below = 0
        self.orphans: Tally | None = None
        self.folded: dict[str, str] | None = None
        """Uncommon names met here, by what is left of them where case does not count."""
        self.array: ChunkWatch | BlindWatch | None = None
        self.resolved = False

    @property
    def is_ordinary(self) -> bool:
        """Whether the documents are those of one node, and nothing else has shown."""
        return self.orphans is None and frozenset(self.documents) in _ORDINARY
