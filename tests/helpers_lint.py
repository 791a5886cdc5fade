"""Stores in memory and on disk for the tests of the linter, and what a check finds there."""

import json
import sqlite3
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, NamedTuple

from zarrdb.keys import Child, Entry, Remark
from zarrdb.lint import FileReport, Finding, Options, check_file
from zarrdb.lint.run import check_source
from zarrdb.lint.scopes import project_scopes

Files = Mapping[str, Any]
"""Keys and values; what is no bytes is written as JSON."""

APPLICATION_ID = 0x10B50760
RECORDS = {"sqlitestore_version": "1.0", "compatible_flags": "", "incompatible_flags": ""}
SCHEMA = (
    "CREATE TABLE zarr_sqlitestore_metadata(k TEXT PRIMARY KEY NOT NULL, v TEXT NOT NULL)",
    "CREATE TABLE zarr(k TEXT PRIMARY KEY NOT NULL, v BLOB NOT NULL)",
)

GROUP2 = {"zarr_format": 2}
GROUP3 = {"zarr_format": 3, "node_type": "group", "attributes": {}}


def array2(**members: Any) -> dict[str, Any]:
    """A `.zarray` of four int32 in two chunks; a member given as `...` is left out."""
    return _without_dots(
        {
            "zarr_format": 2,
            "shape": [4],
            "chunks": [2],
            "dtype": "<i4",
            "compressor": None,
            "fill_value": 0,
            "order": "C",
            "filters": None,
            **members,
        }
    )


def array3(**members: Any) -> dict[str, Any]:
    """A `zarr.json` of four int32 in two chunks; a member given as `...` is left out."""
    return _without_dots(
        {
            "zarr_format": 3,
            "node_type": "array",
            "shape": [4],
            "data_type": "int32",
            "chunk_grid": regular(2),
            "chunk_key_encoding": {"name": "default", "configuration": {"separator": "/"}},
            "fill_value": 0,
            "codecs": [LITTLE],
            "attributes": {},
            **members,
        }
    )


LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
CHUNK = struct.pack("<2i", 1, 2)
"""A whole chunk of the arrays above."""


def regular(*chunks: int) -> dict[str, Any]:
    """A regular chunk grid."""
    return {"name": "regular", "configuration": {"chunk_shape": list(chunks)}}


def group3(**members: Any) -> dict[str, Any]:
    """A `zarr.json` of a group."""
    return _without_dots({**GROUP3, **members})


def _without_dots(members: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in members.items() if value is not ...}


def encoded(value: Any) -> bytes:
    """Bytes as they are, anything else as JSON."""
    return value if isinstance(value, bytes) else json.dumps(value).encode()


def spelt(value: Any, number: str) -> bytes:
    """A document with a number in place of `"@"`, spelt as no JSON writer would."""
    return encoded(value).replace(b'"@"', number.encode())


class MemorySource:
    """A source over a mapping; `remarks` are given."""

    kind = "zarrdb"
    name = "memory"

    def __init__(self, files: Files, remarks: Iterable[Remark] = ()) -> None:
        self.values = {key: encoded(value) for key, value in files.items()}
        self._remarks = tuple(remarks)

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        for key in sorted(self.values):
            if key.startswith(prefix) and (after is None or key > after):
                yield Entry(key, len(self.values[key]))

    def children(self, prefix: str = "") -> Iterator[Child]:
        raise NotImplementedError

    def get(self, key: str) -> bytes | None:
        return self.values.get(key)

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        return ((key, self.get(key)) for key in keys)

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        value = self.get(key)
        if value is None:
            return None
        start = max(0, len(value) + offset) if offset < 0 else offset
        return value[start:] if length is None else value[start : start + length]

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        yield self.values[key]

    def size(self, key: str) -> int | None:
        return None if key not in self.values else len(self.values[key])

    def remarks(self) -> Iterator[Remark]:
        return iter(self._remarks)

    def close(self) -> None:
        pass


class Case(NamedTuple):
    """A store, and where a rule finds what it is about.

    `files` are keys and values of a store in memory, or a function that writes a file into a
    directory and gives its path. `places` are members of the findings of the rule, in order;
    `also` are other rules of level error or warning that find something there.
    """

    files: Files | Callable[[str], str]
    places: tuple[Mapping[str, Any], ...] = ()
    also: tuple[str, ...] = ()
    remarks: tuple[Remark, ...] = ()
    scope: Mapping[str, Any] | None = None
    """A `[tool.zarrdb.scope]` table."""
    data: bool = False
    """Whether the chunks are decoded."""


def fails(
    files: Files | Callable[[str], str],
    *places: Mapping[str, Any],
    also: tuple[str, ...] = (),
    remarks: tuple[Remark, ...] = (),
    scope: Mapping[str, Any] | None = None,
    data: bool = False,
) -> Case:
    """A case in which the rule finds something."""
    return Case(files, places or ({},), also, remarks, scope, data)


def passes(
    files: Files | Callable[[str], str],
    *,
    also: tuple[str, ...] = (),
    remarks: tuple[Remark, ...] = (),
    scope: Mapping[str, Any] | None = None,
    data: bool = False,
) -> Case:
    """A case in which the rule finds nothing."""
    return Case(files, (), also, remarks, scope, data)


def check_case(case: Case, folder: str) -> FileReport:
    """The report on the store of a case."""
    tables = [] if case.scope is None else [("a test", case.scope)]
    options = Options(scopes=project_scopes(tables), data=case.data)
    if callable(case.files):
        return check_file(case.files(folder), options)
    return check_source(MemorySource(case.files, case.remarks), options)


def check_files(files: Files, remarks: Iterable[Remark] = ()) -> FileReport:
    """The report on a store in memory."""
    return check_source(MemorySource(files, remarks))


def rules_found(findings: Iterable[Finding], *levels: str) -> set[str]:
    """The rules of findings, of these levels or of all."""
    return {f.rule for f in findings if not levels or f.level in levels}


def write_database(
    path: str,
    files: Files = {},  # noqa: B006
    *,
    schema: Iterable[str] = SCHEMA,
    records: Iterable[tuple[Any, Any]] = tuple(RECORDS.items()),
    application_id: int = APPLICATION_ID,
    before: Iterable[str] = (),
    after: Iterable[str] = (),
) -> str:
    """A `.zarrdb` as the specification has it, unless the arguments break it."""
    connection = sqlite3.connect(path, isolation_level=None)
    for statement in (*before, *schema):
        connection.execute(statement)
    connection.execute(f"PRAGMA application_id = {application_id}")
    connection.execute("BEGIN")
    for record in records:
        connection.execute("INSERT INTO zarr_sqlitestore_metadata VALUES (?, ?)", record)
    for key, value in files.items():
        connection.execute("INSERT INTO zarr(k, v) VALUES (?, ?)", (key, encoded(value)))
    connection.execute("COMMIT")
    for statement in after:
        connection.execute(statement)
    connection.close()
    return path
