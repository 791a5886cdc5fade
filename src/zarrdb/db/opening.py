"""Opening a file: what is refused, and with which reason."""

from functools import partial
from typing import Final, NamedTuple

import apsw

from zarrdb.db import ways
from zarrdb.db.connect import no_fork
from zarrdb.db.container import ContainerFacts, of_file, with_content
from zarrdb.db.failures import translate
from zarrdb.db.handle import Handle
from zarrdb.db.layout import Layout, layout_of
from zarrdb.errors import (
    ContainerError,
    CorruptError,
    ForeignError,
    JournalError,
    NotAStoreError,
    SchemaError,
    SourceChangedError,
    TruncatedError,
    UnsupportedError,
)
from zarrdb.keys import printable
from zarrdb.spec import APPLICATION_ID

_REFUSALS: Final[dict[str, type[ContainerError]]] = {
    "unreadable": NotAStoreError,
    "truncated": TruncatedError,
    "corrupt": CorruptError,
    "wrong-application-id": ForeignError,
    "legacy-store": NotAStoreError,
    "bad-version": UnsupportedError,
    "unknown-incompatible-flag": UnsupportedError,
    "hot-journal": JournalError,
    "foreign-log": JournalError,
}
"""The error for a problem that stands in the way; for all others SchemaError."""

_UNOPENABLE: Final = frozenset({"unreadable", "truncated", "corrupt", "hot-journal", "foreign-log"})


class Demands(NamedTuple):
    """What the file is opened for."""

    strict: bool
    allow_foreign: bool
    writing: bool


class Opened(NamedTuple):
    """A file that was opened."""

    handle: Handle
    facts: ContainerFacts
    layout: Layout


def open_file(path: str, demands: Demands, timeout: float) -> Opened:
    """Open a file for reading or writing. Raises what `Database.open` says."""
    name = printable(path)
    with no_fork():
        try:
            reader, facts, state = _connect(path, demands, timeout)
        except apsw.Error as error:
            raise translate(error, name, timeout=timeout, path=path) from error
        try:
            layout = _settled(facts, demands)
        except BaseException:
            reader.connection.close()
            raise
    handle = Handle(
        reader,
        partial(_reopen, state, demands.writing, timeout),
        path=state.path,
        name=name,
        identity=state.identity,
        timeout=timeout,
        writable=demands.writing,
    )
    return Opened(handle, facts, layout)


def open_over(
    connection: apsw.Connection, name: str, state: ways.FileState, demands: Demands
) -> Opened:
    """The same for a connection that was made elsewhere, through another VFS."""
    ways.harden(connection)
    facts = of_file(state._replace(name=name))
    refuse(facts, demands)
    facts = with_content(facts, connection)
    layout = _settled(facts, demands)
    reader = ways.Reader(connection, name)
    handle = Handle(
        reader,
        lambda: reader,
        path=name,
        name=name,
        identity=None,
        timeout=0.0,
        writable=False,
    )
    return Opened(handle, facts, layout)


def refuse(facts: ContainerFacts, demands: Demands) -> None:
    """Raise the error for the problem that weighs most, if one stands in the way."""
    for problem in sorted(facts.problems, key=lambda problem: problem.blocks != "reading"):
        if not problem.blocks or (problem.blocks == "writing" and not demands.writing):
            continue
        if not demands.strict and problem.reason not in _UNOPENABLE:
            continue
        if (
            problem.reason == "wrong-application-id"
            and demands.allow_foreign
            and not demands.writing
        ):
            continue
        kind = _REFUSALS.get(problem.reason, SchemaError)
        raise kind(f"{facts.name}: {problem.message}", hint=problem.hint)


def _connect(
    path: str, demands: Demands, timeout: float
) -> tuple[ways.Reader, ContainerFacts, ways.FileState]:
    state = ways.look(path)
    facts = of_file(state)
    if demands.writing and _can_be_rolled_back(facts):
        # SQLite rolls back when it first reads; what was found before counts no more.
        ways.open_writer(state.path, timeout=timeout, name=state.name).connection.close()
        state = ways.look(path)
        facts = of_file(state)
    # What the tables say weighs more than the application id: a zarr-python 2 store has none.
    refuse(facts, demands._replace(strict=False))
    if not demands.writing:
        reader = ways.open_reader(state, timeout=timeout)
        return reader, _with_content(facts, reader, timeout), state
    if ways.needs_no_locks(state):
        # A file that will be refused must not be touched by an attempt to write it.
        judge = ways.open_reader(state, timeout=timeout)
        try:
            refuse(with_content(facts, judge.connection, timeout=timeout), demands)
        finally:
            judge.connection.close()
    reader = ways.open_writer(state.path, timeout=timeout, name=state.name)
    return reader, _with_content(facts, reader, timeout), state


def _with_content(facts: ContainerFacts, reader: ways.Reader, timeout: float) -> ContainerFacts:
    try:
        return with_content(facts, reader.connection, timeout=timeout)
    except BaseException:
        reader.connection.close()
        raise


def _can_be_rolled_back(facts: ContainerFacts) -> bool:
    header = facts.header
    ours = header is not None and header.application_id == APPLICATION_ID
    return ours and facts.has("hot-journal") and not facts.has("foreign-log")


def _settled(facts: ContainerFacts, demands: Demands) -> Layout:
    refuse(facts, demands)
    layout = layout_of(facts.data, facts.codec)
    if layout is None:
        raise SchemaError(f"{facts.name}: has no table of keys and values")
    return layout


def _reopen(opened: ways.FileState, writing: bool, timeout: float) -> ways.Reader:
    state = ways.look(opened.path)._replace(name=opened.name)
    if state.identity != opened.identity:
        raise SourceChangedError(f"{state.name}: replaced while it was open", hint="open it again")
    if writing:
        return ways.open_writer(state.path, timeout=timeout, name=state.name)
    return ways.open_reader(state, timeout=timeout)
