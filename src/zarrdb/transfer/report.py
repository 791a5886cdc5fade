"""What a copy did, or would do."""

from collections import Counter
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace

from zarrdb.keys import Remark


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyReport:
    """The result of a copy. Sizes are in bytes, times in seconds."""

    source: str
    target: str
    noun: str = "key"
    """What is counted: keys, or the chunks of a frame."""
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
    resumed: int = 0
    """Of `keys`, those that an earlier run had written already (`resume`)."""
    added: tuple[str, ...] = ()
    """Group documents written for the nodes above `path` where there were none."""
    counts: Mapping[str, int] = field(default_factory=dict)
    """How often the sources had something to remark, by the kind of remark (`junk` …)."""
    remarks: tuple[Remark, ...] = ()
    """The first thousand of those remarks."""

    def of_kind(self, kind: str) -> list[Remark]:
        """The remarks of a kind, of those that were kept."""
        return [remark for remark in self.remarks if remark.kind == kind]


def with_notes(report: CopyReport, notes: Iterable[Remark]) -> CopyReport:
    """A report with remarks more, and first."""
    more = tuple(notes)
    counts = Counter(remark.kind for remark in more) + Counter(report.counts)
    return replace(report, counts=counts, remarks=(*more, *report.remarks))
