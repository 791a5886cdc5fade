"""Everything there is to know about a file as a container, found out without judging content.

`inspect` never raises for what is in a file: what breaks the format becomes a Problem, and
the same problems decide what `Database.open` refuses.
"""

import os
from typing import NamedTuple

from zarrdb.db.header import Header
from zarrdb.db.schema import SchemaObject, Table
from zarrdb.db.sidecars import Sidecar


class Problem(NamedTuple):
    """One thing that is not as the format wants it.

    `reason` is the name of a rule of the family `container` (`wrong-application-id` …);
    `message` reads on after the file's name and a colon.
    """

    reason: str
    message: str
    hint: str | None = None
    subject: str = ""
    """What it is about: a record, column, table, flag or suffix; printable."""


class Record(NamedTuple):
    """A row of the metadata table; `type` and `value_type` are SQLite's (`text`, `null` …).

    Texts that are no Unicode are given as bytes.
    """

    key: str | bytes | int | float | None
    value: str | bytes | int | float | None
    key_type: str
    value_type: str


class ContainerFacts(NamedTuple):
    """A file seen as a container."""

    path: str
    kind: str
    """`zarrdb`, `legacy` (zarr-python 2's SQLite), `sqlite` (another database), `none`."""
    size: int
    """Of the file alone, in bytes."""
    header: Header | None
    sidecars: tuple[Sidecar, ...]
    objects: tuple[SchemaObject, ...]
    data: Table | None
    """The table of keys and values."""
    metadata: Table | None
    """The table of metadata records."""
    records: tuple[Record, ...]
    """The described records, and the first hundred others."""
    record_count: int
    problems: tuple[Problem, ...]

    def record(self, key: str) -> str | None:
        """The text of a metadata record, or None."""
        return next(
            (r.value for r in self.records if r.key == key and isinstance(r.value, str)), None
        )

    @property
    def free_bytes(self) -> int:
        """Bytes in free pages, which `vacuum` would give back."""
        return self.header.free_pages * self.header.page_size if self.header else 0

    @property
    def self_contained(self) -> bool:
        """Whether the file alone is all of the data."""
        return not any(s.state in ("committed", "hot") for s in self.sidecars)

    def has(self, reason: str) -> bool:
        """Whether one of the problems is of that kind."""
        return any(p.reason == reason for p in self.problems)


def inspect(path: str | os.PathLike[str], *, integrity: bool = False) -> ContainerFacts:
    """Collect the facts of a file; only a file that cannot be opened raises.

    `integrity` reads every page and compares indexes with tables.
    Raises MissingError, ReadOnlyError (no permission) and LockedError.
    """
    raise NotImplementedError
