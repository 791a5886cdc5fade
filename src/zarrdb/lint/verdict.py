"""What judging a document gives."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from zarrdb.hierarchy.arrays import Layout
from zarrdb.lint.stored import Stored
from zarrdb.metadata.reading import Reading


class Verdict(NamedTuple):
    """What a document turned out to be.

    `found` are the ids of the rules that found something in it. Of an array that could be
    read, `layout` is that of its chunks, `chunks_total` how many they are, and `stored` what
    is known of their values. `entries` are what consolidated metadata lists.
    """

    value: Any
    found: frozenset[str] = frozenset()
    is_array: bool = False
    reading: Reading | None = None
    layout: Layout | None = None
    chunks_total: int = 0
    fill_is_null: bool = False
    stored: Stored | None = None
    entries: Mapping[str, Any] | None = None
