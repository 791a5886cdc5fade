"""The result of a check: one report a file, and the sum of them."""

from collections import Counter
from collections.abc import Sequence
from typing import Final, Literal

from zarrdb.lint.finding import Finding, Level

FailOn = Literal["error", "warning", "info", "never"]

FAILING: Final[dict[FailOn, tuple[Level, ...]]] = {
    "error": ("error",),
    "warning": ("error", "warning"),
    "info": ("error", "warning", "info"),
    "never": (),
}


class FileReport:
    """What was found in one file.

    `counts` has every finding, by rule, `findings` those that were kept. `error` says why a
    file could not be read; its status is then `unreadable`. `integrity_checked` is None
    where there are no pages.
    `far` says that it was read over the network: then no value is looked at unless its chunks
    are decoded, and `sizes_checked` tells whether the sizes of values were.
    `accepted` counts the findings that a baseline accepts; they are neither kept nor counted.
    """

    def __init__(self, file: str) -> None:
        self.file = file
        self.kind: str | None = None
        self.error: str | None = None
        self.documents = 0
        self.keys = 0
        self.data_checked = False
        self.integrity_checked: bool | None = None
        self.far = False
        self.sizes_checked = True
        self.findings: Sequence[Finding] = ()
        self.counts: Counter[str] = Counter()
        self.levels: Counter[Level] = Counter()
        self.accepted = 0

    @property
    def status(self) -> str:
        """`checked` or `unreadable`."""
        return "checked" if self.error is None else "unreadable"

    @property
    def clean(self) -> bool:
        """Whether it was read and has neither errors nor warnings."""
        return self.error is None and not (self.levels["error"] or self.levels["warning"])

    @property
    def omitted(self) -> dict[str, int]:
        """How many findings of each rule are counted but not kept."""
        kept = Counter(finding.rule for finding in self.findings)
        return {rule: n - kept[rule] for rule, n in self.counts.items() if n > kept[rule]}


class Report:
    """Reports of several files, in the order of their names on the command line."""

    def __init__(self) -> None:
        self.files: list[FileReport] = []
        self.seconds = 0.0
        self.fixed = 0

    @property
    def accepted(self) -> int:
        """Findings that a baseline accepts."""
        return sum(report.accepted for report in self.files)

    def count(self, level: Level) -> int:
        """All findings at that level."""
        return sum(report.levels[level] for report in self.files)

    @property
    def clean(self) -> int:
        """Files without errors and warnings."""
        return sum(report.clean for report in self.files)

    @property
    def unreadable(self) -> int:
        """Files that could not be read."""
        return sum(report.error is not None for report in self.files)

    def exit_code(self, fail_on: FailOn = "error") -> int:
        """3 if a file could not be read, else 1 if a finding is at or above `fail_on`."""
        if self.unreadable:
            return 3
        return int(any(self.count(level) for level in FAILING[fail_on]))
