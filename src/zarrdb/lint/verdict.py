"""What judging a document gives."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from zarrdb.lint.arraydocument import ArrayDocument


class Verdict(NamedTuple):
    """What a document turned out to be.

    `found` are the ids of the rules that found something in it, `array` an array document
    that was read, `entries` what consolidated metadata lists.
    """

    value: Any
    found: frozenset[str] = frozenset()
    is_array: bool = False
    array: ArrayDocument | None = None
    entries: Mapping[str, Any] | None = None
