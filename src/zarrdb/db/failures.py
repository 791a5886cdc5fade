"""SQLite's failures as exceptions of zarrdb, each with what to do about it."""

import errno
import os
from typing import Final

import apsw

from zarrdb.db.private import SPACE_REASONS
from zarrdb.errors import (
    CorruptError,
    JournalError,
    LockedError,
    MissingError,
    NoSpaceError,
    ReadOnlyError,
    SchemaError,
    SourceError,
    TargetError,
    ValueTooLargeError,
    ZarrdbError,
)
from zarrdb.keys import printable

_LOCKING: Final = frozenset(
    {apsw.SQLITE_IOERR_LOCK, apsw.SQLITE_IOERR_RDLOCK, apsw.SQLITE_IOERR_UNLOCK}
    | {apsw.SQLITE_IOERR_CHECKRESERVEDLOCK, apsw.SQLITE_IOERR_SHMLOCK}
)
_WRITING: Final = frozenset(
    {apsw.SQLITE_IOERR_WRITE, apsw.SQLITE_IOERR_FSYNC, apsw.SQLITE_IOERR_DIR_FSYNC}
    | {apsw.SQLITE_IOERR_TRUNCATE, apsw.SQLITE_IOERR_DELETE, apsw.SQLITE_IOERR_SHMSIZE}
)
_UNSETTLED: Final = frozenset(
    {apsw.SQLITE_READONLY_ROLLBACK, apsw.SQLITE_READONLY_RECOVERY}
    | {apsw.SQLITE_READONLY_CANTLOCK, apsw.SQLITE_READONLY_CANTINIT}
)

SETTLE_HINT: Final = "`zarrdb vacuum` settles it, in a place that can be written"


def translate(
    error: apsw.Error, name: str, *, timeout: float | None = None, number: int = 0, path: str = ""
) -> ZarrdbError:
    """The exception to raise for an error of SQLite while working on a file.

    `name` is what to call it, `path` where it is, if that differs. `timeout` is how long a
    lock was waited for, in seconds; `number` the operating system's error number where the
    connection knows it.
    """
    code = getattr(error, "extendedresult", 0)
    if isinstance(error, (apsw.BusyError, apsw.LockedError, apsw.ProtocolError)):
        waited = "" if timeout is None else f" for {timeout:g} s"
        return LockedError(
            f"{name}: locked by another process{waited}",
            hint="try again, or wait longer with --timeout",
        )
    if isinstance(error, (apsw.CorruptError, apsw.NotADBError, apsw.FormatError)):
        return CorruptError(
            f"{name}: damaged: {plain(error)}",
            hint="`zarrdb check` shows what can still be read; restore it from a copy",
        )
    if isinstance(error, apsw.ReadOnlyError):
        return _read_only(code, name)
    of_system = isinstance(error, (apsw.IOError, apsw.CantOpenError))
    if isinstance(error, apsw.FullError) or (of_system and number in SPACE_REASONS):
        return NoSpaceError(f"{name}: {SPACE_REASONS.get(number, SPACE_REASONS[errno.ENOSPC])}")
    if isinstance(error, apsw.TooBigError):
        return ValueTooLargeError(f"{name}: a value is larger than this SQLite can hold")
    if isinstance(error, apsw.CantOpenError):
        return cannot_open(path or name, name)
    if isinstance(error, apsw.IOError):
        return _input_output(code, name, number)
    if isinstance(error, (apsw.PermissionsError, apsw.AuthError)):
        return ReadOnlyError(f"{name}: permission denied")
    if isinstance(error, apsw.ConstraintError):
        return SchemaError(f"{name}: a constraint of the file itself refuses this: {plain(error)}")
    return SchemaError(f"{name}: {plain(error)}")


def cannot_open(path: str, name: str) -> ZarrdbError:
    """The exception for a path that the system does not open, found out by asking it."""
    try:
        os.stat(path)
    except (FileNotFoundError, ValueError):
        return MissingError(f"{name}: no such file")
    except OSError as error:
        return SourceError(f"{name}: {(error.strerror or 'cannot be opened').lower()}")
    if not os.access(path, os.R_OK):
        return SourceError(f"{name}: permission denied")
    if not os.access(os.path.dirname(path) or ".", os.W_OK):
        return _no_journal(name)
    return SourceError(f"{name}: cannot be opened")


def _no_journal(name: str) -> ReadOnlyError:
    return ReadOnlyError(
        f"{name}: its directory cannot be written, where SQLite needs room for a journal",
        hint="copy it to a directory of yours",
    )


def _read_only(code: int, name: str) -> ZarrdbError:
    if code in _UNSETTLED:
        return JournalError(
            f"{name}: a transaction was interrupted and has to be settled first", hint=SETTLE_HINT
        )
    if code == apsw.SQLITE_READONLY_DBMOVED:
        return ReadOnlyError(
            f"{name}: replaced or removed while it was open; nothing was written",
            hint="open it again",
        )
    if code == apsw.SQLITE_READONLY_DIRECTORY:
        return _no_journal(name)
    return ReadOnlyError(f"{name}: cannot be written", hint="check the permissions of the file")


def _input_output(code: int, name: str, number: int) -> ZarrdbError:
    if code in _LOCKING:
        return LockedError(
            f"{name}: file locks do not work here", hint="copy it to a local file system"
        )
    what = os.strerror(number).lower() if number else "input/output error"
    kind = TargetError if code in _WRITING else SourceError
    return kind(f"{name}: {what}")


def plain(error: apsw.Error) -> str:
    """SQLite's own words for an error, which may quote the file."""
    words = str(error).removeprefix(type(error).__name__ + ": ")
    return printable(words) or "no reason given"
