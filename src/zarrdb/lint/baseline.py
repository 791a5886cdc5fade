"""Findings that are known and accepted: `--baseline` and `--write-baseline`.

An entry is a file, a rule, a key (or a node) and a pointer; wording, line and count may
change. Files are named as given on the command line.
"""

import os
from collections.abc import Iterable
from typing import Any, Final, NamedTuple

from zarrdb.errors import ConfigError, TargetError
from zarrdb.lint.finding import Finding

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
        checked = {_named(file) for file in files}
        left = (entry for entry in self.entries - self.used if entry.file in checked)
        return sorted(left)


def entry_of(file: str, finding: Finding) -> Entry:
    """The entry that accepts a finding."""
    place = finding.key if finding.key is not None else finding.node
    return Entry(_named(file), finding.rule, place or "", finding.pointer or "")


def load_baseline(path: str) -> Baseline:
    """Read a baseline. Raises ConfigError for a file that is none."""
    import json

    try:
        with open(path, encoding="utf-8") as file:
            value: Any = json.load(file)
        entries = [Entry(*(str(each[name]) for name in _MEMBERS)) for each in value["findings"]]
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {(error.strerror or '').lower()}") from None
    except (ValueError, KeyError, TypeError):
        raise ConfigError(f"{path}: no baseline", hint="--write-baseline makes one") from None
    return Baseline(path, entries)


def write_baseline(path: str, entries: Iterable[Entry]) -> int:
    """Write the entries, sorted; how many they are. Raises TargetError."""
    import json

    found = sorted(set(entries))
    text = json.dumps({"schema": 1, "findings": [each._asdict() for each in found]}, indent=1)
    temporary = f"{path}.{os.getpid()}.partial"
    try:
        with open(temporary, "w", encoding="utf-8") as file:
            file.write(text + "\n")
        os.replace(temporary, path)
    except OSError as error:
        raise TargetError(f"{path}: cannot be written: {(error.strerror or '').lower()}") from None
    return len(found)


def _named(file: str) -> str:
    return file.replace(os.sep, "/")
