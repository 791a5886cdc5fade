"""What judging a document gives."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from zarrdb.hierarchy.arrays import ArrayFacts
from zarrdb.lint.stored import Stored
from zarrdb.metadata.reading import Reading


class Verdict(NamedTuple):
    """What a document turned out to be.

    `found` are the ids of the rules that found something in it, `array` the facts of an array
    document that could be read, `stored` what is known of
    its values, `entries` what consolidated metadata lists.
    """

    value: Any
    found: frozenset[str] = frozenset()
    is_array: bool = False
    reading: Reading | None = None
    array: ArrayFacts | None = None
    stored: Stored | None = None
    entries: Mapping[str, Any] | None = None
