"""What one run remembers of the fields and documents that it read.

Thousands of documents of a hierarchy share a handful of data types and codecs. A cache
belongs to a run and is bounded; nothing outlives the run.
"""

import marshal
from collections.abc import Callable
from typing import Any, Final

from zarrdb.metadata.checks import Check
from zarrdb.metadata.definition import Definition
from zarrdb.metadata.fill_value import fill_value_check
from zarrdb.metadata.problem import Problems, under
from zarrdb.metadata.reading import Reading
from zarrdb.metadata.resolve import ResolvedField, resolve_refined
from zarrdb.metadata.scope import Scope

LIMIT: Final = 1024
"""Entries of a table, which starts afresh past it. Four times as many cost a fifth of the speed
where nothing comes twice: what is kept falls out of the processor's cache."""

_LARGEST_DOCUMENT: Final = 16384
"""Bytes of a document that is remembered as a whole, at most."""

_EXACT: Final = 2  # the last version of marshal whose bytes depend on the value alone


class FieldCache:
    """Fields read in one scope, by what is written: a text itself, else its exact bytes.

    All values given have to be finite JSON, nested no deeper than allowed.
    """

    __slots__ = ("_checks", "_fields", "_lists", "_verdicts", "limit", "scope")

    def __init__(self, scope: Scope, limit: int = LIMIT) -> None:
        self.scope = scope
        self.limit = limit
        self._fields: dict[Any, tuple[ResolvedField, Problems]] = {}
        self._lists: dict[Any, tuple[tuple[ResolvedField, ...], Problems]] = {}
        self._checks: dict[int, tuple[ResolvedField, Check]] = {}
        self._verdicts: dict[Any, tuple[object, object, Problems]] = {}

    def resolve(self, value: Any, kind: type[Definition[Any]]) -> tuple[ResolvedField, Problems]:
        """`resolve` in the scope of this cache."""
        try:
            key: Any = (kind, value if type(value) is str else marshal.dumps(value, _EXACT))
        except ValueError:  # a subclass of a JSON type
            return resolve_refined(value, kind, self.scope)
        known = self._fields.get(key)
        if known is None:
            if len(self._fields) >= self.limit:
                self._fields.clear()
                self._checks.clear()
            known = self._fields[key] = resolve_refined(value, kind, self.scope)
        return known

    def resolve_each(
        self, values: list[Any], kind: type[Definition[Any]]
    ) -> tuple[tuple[ResolvedField, ...], Problems]:
        """`resolve` of every item of a list, with the problems located from the list."""
        try:
            key = (kind, marshal.dumps(values, _EXACT))
        except ValueError:  # a subclass of a JSON type
            return self._read_each(values, kind)
        known = self._lists.get(key)
        if known is None:
            if len(self._lists) >= self.limit:
                self._lists.clear()
            known = self._lists[key] = self._read_each(values, kind)
        return known

    def _read_each(
        self, values: list[Any], kind: type[Definition[Any]]
    ) -> tuple[tuple[ResolvedField, ...], Problems]:
        read = [self.resolve(value, kind) for value in values]
        problems = [each for at, (_, found) in enumerate(read) for each in under(at, found)]
        return tuple(field for field, _ in read), tuple(problems)

    def verdict(self, one: object, other: object, fact: int) -> Problems | None:
        """What was kept of two things that this cache has read, given a fact beside them."""
        known = self._verdicts.get((id(one), id(other), fact))
        return None if known is None else known[2]

    def keep_verdict(self, one: object, other: object, fact: int, problems: Problems) -> None:
        """Keep what is wrong with two things together, for as long as they are known here."""
        if len(self._verdicts) >= self.limit:
            self._verdicts.clear()
        self._verdicts[id(one), id(other), fact] = (one, other, problems)

    def fill_value_problems(self, value: Any, data_type: ResolvedField) -> Problems:
        """`fill_value_problems` for a data type that this cache has read."""
        known = self._checks.get(id(data_type))
        if known is None or known[0] is not data_type:
            known = self._checks[id(data_type)] = (data_type, fill_value_check(data_type))
        return known[1](value)


class DocumentCache:
    """Readings of whole documents, by their names and bytes."""

    __slots__ = ("_limit", "_readings")

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._readings: dict[tuple[str, bytes], Reading] = {}

    def read(self, name: str, data: bytes, read: Callable[[str, bytes], Reading]) -> Reading:
        """What `read` makes of a document, or has made of it before."""
        known = self._readings.get((name, data))
        if known is None:
            known = read(name, data)
            if len(data) <= _LARGEST_DOCUMENT:
                if len(self._readings) >= self._limit:
                    self._readings.clear()
                self._readings[name, data] = known
        return known
