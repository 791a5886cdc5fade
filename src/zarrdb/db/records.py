"""The metadata records: what they must be, and what is wrong with them.

Specification: section "Table zarr_sqlitestore_metadata".
"""

from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

import apsw

from zarrdb._version import __version__
from zarrdb.db import moment, sql
from zarrdb.db.problem import Problem
from zarrdb.db.query import first, rows
from zarrdb.keys import printable
from zarrdb.spec import DESCRIBED_RECORDS, REQUIRED_RECORDS, SUPPORTED_MAJOR, VERSION

OTHERS_KEPT: Final = 100

_FLAGS_NAMED: Final = 20
"""A message has to stay one that can be read, whatever the file holds."""

_NEWER_HINT: Final = "a newer zarrdb may read it"


class Record(NamedTuple):
    """A row of the metadata table; the types are SQLite's (`text`, `null` …).

    Texts that are no Unicode are given as bytes.
    """

    key: str | bytes | int | float | None
    value: str | bytes | int | float | None
    key_type: str
    value_type: str


def for_new_file(modified_at: str) -> dict[str, str]:
    """The records of a file that this version writes."""
    return {
        "sqlitestore_version": VERSION,
        "compatible_flags": "",
        "incompatible_flags": "",
        "created_by": f"zarrdb {__version__}",
        "modified_at": modified_at,
    }


def read(connection: apsw.Connection, codec: str) -> tuple[tuple[Record, ...], int]:
    """The described records and the first hundred others; the number of all of them.

    `codec` is the encoding of texts in this file, under Python's name.
    """
    found = rows(connection, sql.DESCRIBED_RECORDS)
    found += rows(connection, sql.OTHER_RECORDS, (OTHERS_KEPT,))
    records = tuple(
        Record(
            _readable(key, key_type, codec),
            _readable(value, value_type, codec),
            key_type,
            value_type,
        )
        for key, value, key_type, value_type in found
    )
    return records, first(connection, sql.COUNT_RECORDS)[0]


def texts(connection: apsw.Connection, codec: str) -> dict[str, str]:
    """The records whose key and value are texts."""
    found, _ = read(connection, codec)
    return {r.key: r.value for r in found if isinstance(r.key, str) and isinstance(r.value, str)}


def _readable(value: object, kind: str, codec: str) -> str | bytes | int | float | None:
    # Texts come as their bytes: one that is no Unicode must not hide the others.
    if isinstance(value, bytes) and kind == "text":
        try:
            return value.decode(codec)
        except UnicodeDecodeError:
            return value
    return value if isinstance(value, (bytes, int, float)) else None


def judge(records: Sequence[Record], total: int) -> Iterator[Problem]:
    """What is wrong with the records, of which there are `total` in all."""
    found: dict[str, str] = {}
    for name in DESCRIBED_RECORDS:
        same = [r for r in records if r.key == name and r.key_type == "text"]
        problem = _unusable(name, same) if name in REQUIRED_RECORDS else None
        if problem:
            yield problem
        elif same and isinstance(same[0].value, str):
            found[name] = same[0].value
        if len(same) > 1 and not problem:
            message = f"metadata record {name} is written {len(same)} times"
            yield Problem("extra-record", message, None, name)
    yield from _judge_version(found.get("sqlitestore_version"))
    yield from _judge_flags(found)
    yield from _judge_others(records, total)
    yield from _judge_nulls(records)
    yield from _judge_modified_at(records)
    yield from _judge_created_by(records)


def _unusable(name: str, same: Sequence[Record]) -> Problem | None:
    """What makes a required record unusable."""
    values = {record.value for record in same}
    kinds = {record.value_type for record in same}
    if not same:
        what = "is missing"
    elif len(values) > 1:
        what = "has more than one value"
    elif kinds == {"null"}:
        what = "is NULL"
    elif kinds != {"text"}:
        what = f"is of type {min(kinds).upper()}, not TEXT"
    elif not isinstance(same[0].value, str):
        what = "is not valid text"
    else:
        return None
    hint = "`zarrdb check` shows what else is wrong with the file"
    return Problem("bad-record", f"metadata record {name} {what}", hint, name, "reading")


def _judge_version(text: str | None) -> Iterator[Problem]:
    if text is None:
        return
    name = "sqlitestore_version"
    major, dot, minor = text.partition(".")
    if not (dot and _is_number(major) and _is_number(minor)):
        message = f"sqlitestore_version is {_quoted(text)}, which is not MAJOR.MINOR"
        yield Problem("bad-version", message, None, name, "reading")
    elif major != str(SUPPORTED_MAJOR):
        shown = _quoted(text)
        message = f"unsupported sqlitestore_version {shown}: only {SUPPORTED_MAJOR}.x is known"
        hint = None if major == "0" else _NEWER_HINT
        yield Problem("bad-version", message, hint, name, "reading")
    elif text != VERSION:
        message = f"sqlitestore_version {_quoted(text)} is newer than {VERSION}"
        yield Problem("newer-minor-version", message, None, name)


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit() and (text == "0" or text[0] != "0")


def _judge_flags(found: dict[str, str]) -> Iterator[Problem]:
    incompatible = found.get("incompatible_flags", "")
    if incompatible:
        flags = _flags(incompatible)
        plural = "s" if "," in incompatible else ""
        message = f"uses the incompatible flag{plural} {flags}, which this version does not know"
        yield Problem(
            "unknown-incompatible-flag", message, _NEWER_HINT, "incompatible_flags", "reading"
        )
    compatible = found.get("compatible_flags", "")
    if compatible:
        message = f"compatible_flags is {_flags(compatible)}, not empty as in version {VERSION}"
        yield Problem("unknown-compatible-flag", message, None, "compatible_flags")


def _flags(text: str) -> str:
    flags = text.split(",")
    more = len(flags) - _FLAGS_NAMED
    named = ", ".join(_quoted(flag) for flag in flags[:_FLAGS_NAMED])
    return f"{named} and {more:,} more" if more > 0 else named


def _judge_others(records: Sequence[Record], total: int) -> Iterator[Problem]:
    others = [r for r in records if r.key not in DESCRIBED_RECORDS]
    described = len(records) - len(others)
    if total == described:
        return
    names = [_name(r.key) for r in others[:3]]
    more = "" if total - described <= 3 else f" and {total - described - 3:,} more"
    message = f"metadata records that the format does not have: {', '.join(names)}{more}"
    yield Problem("extra-record", message, None, names[0] if names else "")


def _judge_nulls(records: Sequence[Record]) -> Iterator[Problem]:
    """No record may hold NULL, though readers can do without those that are not required."""
    for record in records:
        name = _name(record.key) if record.key not in DESCRIBED_RECORDS else str(record.key)
        if record.key_type == "null":
            yield Problem("bad-record", "a metadata record has NULL for its key")
        elif record.value_type == "null" and name not in (*REQUIRED_RECORDS, "modified_at"):
            yield Problem("bad-record", f"metadata record {name} is NULL", None, name)


def _judge_modified_at(records: Sequence[Record]) -> Iterator[Problem]:
    for record in records:
        if record.key != "modified_at":
            continue
        value = record.value
        if not isinstance(value, str):
            message = f"modified_at is of type {record.value_type.upper()}, not a time"
            yield Problem("bad-modified-at", message, None, "modified_at")
            continue
        time = moment.parse(value)
        if time.problem:
            message = f"modified_at {_quoted(value)} {time.problem}"
            yield Problem("bad-modified-at", message, None, "modified_at")
        elif not time.in_utc:
            message = f"modified_at {_quoted(value)} is not in UTC with an upper-case Z"
            yield Problem("modified-at-not-utc", message, None, "modified_at")


def _judge_created_by(records: Sequence[Record]) -> Iterator[Problem]:
    for record in records:
        if record.key != "created_by":
            continue
        if record.value_type == "null":
            continue
        if not isinstance(record.value, str):
            message = "created_by is not valid text"
            yield Problem("created-by-not-text", message, None, "created_by")
        elif not record.value.isprintable():
            message = f"created_by holds control characters: {_quoted(record.value)}"
            yield Problem("created-by-control-character", message, None, "created_by")


def _quoted(text: str) -> str:
    shown = printable(text[:60]) + ("…" if len(text) > 60 else "")
    return f'"{shown}"'


def _name(key: object) -> str:
    return _quoted(key) if isinstance(key, str) else printable(repr(key))[:60]
