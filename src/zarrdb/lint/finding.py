"""Findings: what a check reports, as plain values."""

from dataclasses import dataclass
from typing import Final, Literal

Level = Literal["error", "warning", "info"]

LEVELS: Final[tuple[Level, ...]] = ("error", "warning", "info")
"""Worst first."""


@dataclass(frozen=True, slots=True)
class Hit:
    """What a rule function yields: one bad thing and its place.

    `key` is the key of the document or value, `node` the path of the array or group,
    `pointer` an RFC 6901 pointer into the document (the member itself need not exist: the
    nearest value that does gives the position). `line` and `column` are known already where
    the text itself is wrong. A rule with many hits on one array yields one, with their
    `count`, total `size` in bytes and the first few `keys`.
    """

    message: str
    hint: str | None = None
    key: str | None = None
    node: str | None = None
    pointer: str | None = None
    line: int | None = None
    column: int | None = None
    count: int = 1
    size: int | None = None
    keys: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Finding:
    """A hit of one rule, at the level that holds for this run.

    `line` and `column` count from 1, columns in code points.
    """

    rule: str
    level: Level
    key: str | None
    node: str | None
    pointer: str | None
    line: int | None
    column: int | None
    count: int
    message: str
    hint: str | None
    fixable: bool
    size: int | None = None
    keys: tuple[str, ...] = ()


def place(finding: Finding) -> tuple[str, int, int, str, str, str]:
    """The sort key of findings of one file: key, location, rule.

    What concerns the container as a whole comes first.
    """
    where = finding.key if finding.key is not None else finding.node
    return (
        where or "",
        finding.line or 0,
        finding.column or 0,
        finding.rule,
        finding.pointer or "",
        finding.message,
    )
