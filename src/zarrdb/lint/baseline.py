"""Findings that are known and accepted: `--baseline` and `--write-baseline`.

An entry is a file, a rule, a key (or a node) and a pointer; wording, line and count may
change. Files are named as on the command line, but for detours: `./a` is `a`.
"""

from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from zarrdb.errors import ConfigError
from zarrdb.lint.finding import Finding
from zarrdb.location import normal

_MEMBERS: Final = ("file", "rule", "key", "pointer")


class Entry(NamedTuple):
    """One accepted finding."""

    file: str
    rule: str
    key: str
    pointer: str


class Baseline:
    """Accepted findings; `used` are those that were met in this run."""

    def __init__(self, path: str, entries: Iterable[Entry]) -> None:
        self.path = path
        self.entries = frozenset(entries)
        self.used: set[Entry] = set()

    def accepts(self, file: str, finding: Finding) -> bool:
        """Whether a finding is among the accepted ones."""
        entry = entry_of(file, finding)
        if entry not in self.entries:
            return False
        self.used.add(entry)
        return True

    def stale(self, files: Iterable[str]) -> list[Entry]:
        """Entries for files of this run that no finding matches any more."""
        checked = {normal(file) for file in files}
        left = (entry for entry in self.entries - self.used if entry.file in checked)
        return sorted(left)


def entry_of(file: str, finding: Finding) -> Entry:
    """The entry that accepts a finding."""
    place = finding.key if finding.key is not None else finding.node
    return Entry(normal(file), finding.rule, place or "", finding.pointer or "")


def load_baseline(path: str) -> Baseline:
    """Read a baseline. Raises ConfigError for a file that is none."""
    import json

    try:
        with open(path, encoding="utf-8") as file:
            value: Any = json.load(file)
        found = [Entry(*(str(each[name]) for name in _MEMBERS)) for each in value["findings"]]
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {(error.strerror or '').lower()}") from None
    except (ValueError, KeyError, TypeError):
        raise ConfigError(f"{path}: no baseline", hint="--write-baseline makes one") from None
    return Baseline(path, (each._replace(file=normal(each.file)) for each in found))


def baseline_text(entries: Iterable[Entry]) -> str:
    """What a baseline with these entries holds, sorted."""
    import json

    found = [each._asdict() for each in sorted(set(entries))]
    return json.dumps({"schema": 1, "findings": found}, indent=1) + "\n"
