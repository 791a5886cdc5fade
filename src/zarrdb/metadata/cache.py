"""What one run remembers: fields that were read before, and whole documents.

Thousands of documents of a hierarchy share a handful of data types, codecs and often every
byte. The cache belongs to a run and is bounded; nothing outlives it.
"""

import marshal
from typing import Any, Final

from zarrdb.metadata.definition import Definition
from zarrdb.metadata.problem import Problems
from zarrdb.metadata.resolve import ResolvedField, resolve
from zarrdb.metadata.scope import Scope

LIMIT: Final = 4096
"""Entries of each table; a hierarchy with more distinct fields than this starts afresh."""

_EXACT: Final = 2  # the last version of marshal whose bytes depend on the value alone


class FieldCache:
    """Fields read in one scope, by what is written: a text itself, else its exact bytes."""

    __slots__ = ("_read", "limit", "scope")

    def __init__(self, scope: Scope, limit: int = LIMIT) -> None:
        self.scope = scope
        self.limit = limit
        self._read: dict[Any, tuple[ResolvedField, Problems]] = {}

    def resolve(self, value: Any, kind: type[Definition[Any]]) -> tuple[ResolvedField, Problems]:
        """`resolve` in the scope of this cache."""
        if isinstance(value, str):
            key: Any = (kind, value)
        else:
            try:
                key = (kind, marshal.dumps(value, _EXACT))
            except ValueError:
                return resolve(value, kind, self.scope)
        known = self._read.get(key)
        if known is None:
            if len(self._read) >= self.limit:
                self._read.clear()
            known = self._read[key] = resolve(value, kind, self.scope)
        return known
