"""What a copy did, or would do."""

from dataclasses import dataclass, field

from zarrdb.keys import Remark


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyReport:
    """The result of a copy. Sizes are in bytes, times in seconds."""

    source: str
    target: str
    keys: int = 0
    """Values copied; with `dry_run` those that would be."""
    bytes: int = 0
    """Their sizes together."""
    documents: int = 0
    """How many of them are metadata documents."""
    seconds: float = 0.0
    verified: bool = False
    """Whether the finished target was read back and equals what was read from the source."""
    dry_run: bool = False
    page_size: int | None = None
    """Of the written `.zarrdb`; None for other targets."""
    needed: int = 0
    """Room that the target needs while it is written."""
    skipped: int = 0
    """Keys that were there already and stayed (`on_conflict="skip"`)."""
    added: tuple[str, ...] = ()
    """Group documents written for the nodes above `path` where there were none."""
    left_out: tuple[Remark, ...] = field(default=())
    """What was not copied on purpose, and what is worth knowing about the source."""

    def of_kind(self, *kinds: str) -> list[Remark]:
        """The remarks of some kinds."""
        return [remark for remark in self.left_out if remark.kind in kinds]
