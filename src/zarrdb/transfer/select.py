"""Which keys a copy takes: glob patterns over whole keys.

What is excluded is excluded, whatever includes it.
"""

from collections.abc import Iterable, Iterator

from zarrdb.keys import is_document, split
from zarrdb.layout import Sourced
from zarrdb.patterns import matcher


class Selection:
    """Patterns of keys to take; without any, all keys are taken."""

    def __init__(self, include: Iterable[str] = (), exclude: Iterable[str] = ()) -> None:
        self._include = matcher(include)
        self._exclude = matcher(exclude)

    @property
    def takes_all(self) -> bool:
        """Whether nothing is left out."""
        return self._include is None and self._exclude is None

    def leaves_out(self, path: str) -> bool:
        """Whether nothing at a path is taken: a key, or with a slash at its end a folder."""
        if self._exclude is not None and (self._exclude(path) or self._exclude(path.rstrip("/"))):
            return True
        if self._include is None or path.endswith("/") or is_document(path):
            return False
        return not self._include(path)

    def apply(self, entries: Iterable[Sourced]) -> Iterator[Sourced]:
        """The entries to take, and the metadata documents of the nodes above them.

        Those come last: which nodes are above is known only then.
        """
        include, exclude = self._include, self._exclude
        above: set[str] = {""}
        documents: list[Sourced] = []
        taken = False
        for entry in entries:
            key = entry[0]
            if exclude is not None and exclude(key):
                continue
            if include is None or include(key):
                taken = True
                if include is not None:
                    _add_parents(key, above)
                yield entry
            elif is_document(key):
                documents.append(entry)
        if taken:
            yield from (entry for entry in documents if split(entry[0])[0] in above)


def _add_parents(key: str, above: set[str]) -> None:
    path = key.rpartition("/")[0]
    while path not in above:
        above.add(path)
        path = path.rpartition("/")[0]
