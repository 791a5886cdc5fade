"""Everything there is to know about a file as a container.

`inspect` never raises for what is in a file: what breaks the format becomes a Problem, and
the same problems decide what `Database.open` refuses.
"""

import os
from collections.abc import Iterator
from contextlib import closing
from typing import Final, NamedTuple

import apsw

from zarrdb.db import records, sql
from zarrdb.db.connect import no_fork
from zarrdb.db.failures import plain, translate
from zarrdb.db.handle import Handle
from zarrdb.db.header import CODECS, Header
from zarrdb.db.judge import is_legacy, judge_application_id, judge_file, judge_schema
from zarrdb.db.problem import Problem
from zarrdb.db.records import Record
from zarrdb.db.schema import SchemaObject, Table, read_objects, read_table
from zarrdb.db.sidecars import Sidecar
from zarrdb.db.ways import FileState, look, open_reader, unsettled
from zarrdb.errors import CorruptError, SchemaError
from zarrdb.keys import printable
from zarrdb.spec import DATA_TABLE, METADATA_TABLE

__all__ = ["ContainerFacts", "Problem", "Record", "Sidecar", "inspect"]

_UNREADABLE: Final = frozenset({"unreadable", "truncated", "corrupt"})

_MESSAGES_KEPT: Final = 20
"""Of an integrity check: one broken page can bring thousands."""


class ContainerFacts(NamedTuple):
    """A file seen as a container."""

    name: str
    """The path as it was given, printable."""
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
        values = (r.value for r in self.records if r.key == key)
        return next((value for value in values if isinstance(value, str)), None)

    @property
    def free_bytes(self) -> int:
        """Bytes in free pages, which `vacuum` would give back."""
        return self.header.free_pages * self.header.page_size if self.header else 0

    @property
    def self_contained(self) -> bool:
        """Whether the file alone is all of the data."""
        return not any(s.state in ("committed", "active", "hot") for s in self.sidecars)

    @property
    def codec(self) -> str:
        """Python's name for the encoding of texts in the file."""
        return CODECS.get(self.header.encoding or 1, "utf-8") if self.header else "utf-8"

    def has(self, reason: str) -> bool:
        """Whether one of the problems is of that kind."""
        return any(problem.reason == reason for problem in self.problems)


def inspect(
    path: str | os.PathLike[str], *, integrity: bool = False, timeout: float = 5.0
) -> ContainerFacts:
    """Collect the facts of a file; only one that cannot be opened raises.

    `integrity` reads every page and compares indexes with tables.
    Raises MissingError, SourceError, NotAStoreError (no regular file) and LockedError.
    """
    state = look(os.fspath(path))
    facts = of_file(state)
    if unsettled(state) or any(_is_unreadable(p) for p in facts.problems):
        return facts
    try:
        with no_fork():
            reader = open_reader(state, timeout=timeout)
    except apsw.Error as error:
        return with_problem(facts, _unreadable(error, facts.name, timeout))
    handle = Handle(
        reader,
        lambda: open_reader(look(state.path), timeout=timeout),
        path=state.path,
        name=state.name,
        identity=state.identity,
        timeout=timeout,
        writable=False,
    )
    with closing(handle):
        return handle.read(_complete, facts, integrity, timeout)


def _complete(
    connection: apsw.Connection, facts: ContainerFacts, integrity: bool, timeout: float
) -> ContainerFacts:
    facts = with_content(facts, connection, timeout=timeout)
    if integrity and not any(_is_unreadable(p) for p in facts.problems):
        found = tuple(check_integrity(facts, connection))
        return facts._replace(problems=facts.problems + found)
    return facts


def _is_unreadable(problem: Problem) -> bool:
    return problem.reason in _UNREADABLE and problem.blocks == "reading"


def of_file(state: FileState) -> ContainerFacts:
    """The facts before SQLite is asked."""
    problems = tuple(judge_file(state))
    kind = "none" if state.header is None else "sqlite"
    return ContainerFacts(
        state.name, kind, state.size, state.header, state.sidecars, (), None, None, (), 0, problems
    )


def with_content(
    facts: ContainerFacts, connection: apsw.Connection, *, timeout: float | None = None
) -> ContainerFacts:
    """The facts with what the database says of itself.

    Raises LockedError, which tells that a lock was waited for `timeout` seconds.
    """
    header = facts.header
    if header is None:
        return facts
    try:
        header, problems = _in_effect(facts, header, connection)
        facts = facts._replace(header=header)
        objects = read_objects(connection)
        data = _table(connection, objects, DATA_TABLE)
        metadata = _table(connection, objects, METADATA_TABLE)
        found = tuple(judge_schema(header, objects, data, metadata))
        rows: tuple[Record, ...] = ()
        total = 0
        if metadata is not None and metadata.column("k") and metadata.column("v"):
            rows, total = records.read(connection, facts.codec)
            found += tuple(records.judge(rows, total))
        if header.wal and facts.self_contained and _is_empty(connection, data):
            message = "the header says WAL and there is no key: the rows were left in a -wal file"
            found += (Problem("empty-wal-store", message, "fetch the -wal file as well"),)
    except apsw.Error as error:
        return with_problem(facts, _unreadable(error, facts.name, timeout))
    if data is None or metadata is None:
        # What is no store does not become one by its application id.
        problems = tuple(
            p._replace(hint=None) if p.reason == "wrong-application-id" else p for p in problems
        )
    kind = "sqlite"
    if data is not None:
        kind = "legacy" if metadata is None and is_legacy(data, header) else "zarrdb"
    return facts._replace(
        kind=kind,
        objects=objects,
        data=data,
        metadata=metadata,
        records=rows,
        record_count=total,
        problems=problems + found,
    )


def _in_effect(
    facts: ContainerFacts, header: Header, connection: apsw.Connection
) -> tuple[Header, tuple[Problem, ...]]:
    """The header as a log beside the file has it, and the problems without those it solves.

    In a file that was written but never folded, the first page itself is in the log.
    """
    if not any(sidecar.state == "committed" for sidecar in facts.sidecars):
        return header, facts.problems
    encodings = {"UTF-8": 1, "UTF-16le": 2, "UTF-16be": 3}
    header = header._replace(
        application_id=connection.pragma("application_id") & 0xFFFFFFFF,
        encoding=encodings[connection.pragma("encoding")],
        page_count=connection.pragma("page_count"),
        free_pages=connection.pragma("freelist_count"),
    )
    kept = [p for p in facts.problems if p.reason != "wrong-application-id"]
    return header, (*kept, *judge_application_id(header))


def with_problem(facts: ContainerFacts, problem: Problem) -> ContainerFacts:
    """The facts with one problem more."""
    return facts._replace(problems=(*facts.problems, problem))


def check_integrity(facts: ContainerFacts, connection: apsw.Connection) -> Iterator[Problem]:
    """Read every page of the two tables and their indexes, or of everything."""
    try:
        # A whole check would call the code of virtual tables, on data that may be hostile.
        if any(entry.type == "virtual table" for entry in facts.objects):
            tables = [t.name for t in (facts.data, facts.metadata) if t is not None]
            messages = [
                str(message)
                for table in tables
                for (message,) in connection.execute(sql.CHECK_TABLE, (table,)).fetchall()
            ]
        else:
            messages = [str(m) for (m,) in connection.execute(sql.CHECK_ALL).fetchall()]
    except apsw.Error as error:
        yield _unreadable(error, facts.name)._replace(blocks="")
        return
    lines = [line for message in messages for line in message.splitlines()]
    for line in lines[:_MESSAGES_KEPT]:
        if line != "ok" and not line.startswith("***"):
            yield Problem("corrupt", f"integrity check: {printable(line.strip())}")


def _table(
    connection: apsw.Connection, objects: tuple[SchemaObject, ...], name: str
) -> Table | None:
    entry = next((o for o in objects if o.type == "table" and o.name.lower() == name), None)
    return read_table(connection, entry) if entry is not None else None


def _is_empty(connection: apsw.Connection, data: Table | None) -> bool:
    return data is None or connection.execute(sql.ANY_ROW).get is None


def _unreadable(error: apsw.Error, name: str, timeout: float | None = None) -> Problem:
    """A failure to read as a problem; one of locks or of the system is raised."""
    found = translate(error, name, timeout=timeout)
    if isinstance(found, CorruptError):
        return Problem("corrupt", f"damaged: {plain(error)}", found.hint, "", "reading")
    if isinstance(found, SchemaError):
        return Problem("corrupt", f"cannot be read: {plain(error)}", None, "", "reading")
    raise found from error
