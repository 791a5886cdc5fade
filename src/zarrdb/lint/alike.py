"""Array documents that differ in nothing but shape, chunk shape, fill value and attributes.

Hierarchies are full of them. The first of a kind is judged by every rule; where nothing at all
was found, the next ones are looked at only in what is their own.
"""

import marshal
from math import prod
from typing import Any, Final

from zarrdb.hierarchy.arrays import lengths
from zarrdb.lint.arraydocument import ArrayDocument

_EXACT: Final = 2  # the last version of marshal whose bytes depend on the value alone
_MAX_KINDS: Final = 4096

_NUMBERS: Final = (int, float)
_SMALL: Final = 65504
"""No number up to this becomes infinite in any data type."""
_MANY: Final = 1 << 31
"""Items; of more an array may have other findings."""


class Alike:
    """Documents in which nothing was found, one of each kind."""

    def __init__(self) -> None:
        self._known: dict[bytes, ArrayDocument] = {}

    def kind_of(self, name: str, value: dict[str, Any]) -> bytes | None:
        """What documents have in common that are judged alike; None for one that is judged by
        itself."""
        rest = value.copy()
        rest.pop("shape", None)
        fill_value: Any = rest.get("fill_value")
        if type(fill_value) in _NUMBERS and -_SMALL <= fill_value <= _SMALL:
            rest["fill_value"] = 0
        if name == ".zarray":
            rest.pop("chunks", None)
        elif type(rest.get("attributes")) is dict:
            rest["attributes"] = None
        try:
            return marshal.dumps((name, rest), _EXACT)
        except ValueError:
            return None

    def document(self, kind: bytes, key: str, value: dict[str, Any]) -> ArrayDocument | None:
        """A document of a kind in which nothing was found, if nothing is wrong in this one."""
        first = self._known.get(kind)
        if first is None or first.data_type is None or first.chunks is None:
            return None
        shape = lengths(value.get("shape"))
        chunks = first.chunks if first.name != ".zarray" else lengths(value.get("chunks"))
        if shape is None or chunks is None or not len(shape) == len(chunks) == len(first.chunks):
            return None
        fill_value = value["fill_value"]
        if type(fill_value) in _NUMBERS and first.dialect.refuses(fill_value, first.data_type):
            return None
        if 0 in chunks or prod(chunks) * (first.item_size or 0) > _MANY:
            return None
        return first.alike(key, value, shape, chunks)

    def remember(self, kind: bytes, document: ArrayDocument) -> None:
        """Take note of a document in which nothing was found."""
        if document.chunks is not None and not document.notes:
            if len(self._known) >= _MAX_KINDS:
                self._known.clear()
            self._known[kind] = document
