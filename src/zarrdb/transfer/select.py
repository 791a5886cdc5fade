"""Which keys a copy takes: glob patterns over whole keys.

`*` and `?` stop at `/`, `**` does not; `[a-z]` is a set of characters. A pattern that names a
directory covers all that is below it. What is excluded is excluded, whatever includes it.
"""

import re
from collections.abc import Callable, Iterable, Iterator

from zarrdb.errors import UsageError
from zarrdb.keys import is_document, split
from zarrdb.layout import SourceEntry

Predicate = Callable[[str], object]


class Selection:
    """Patterns of keys to take; without any, all keys are taken."""

    def __init__(self, include: Iterable[str] = (), exclude: Iterable[str] = ()) -> None:
        self._include = _matcher(include)
        self._exclude = _matcher(exclude)

    @property
    def takes_all(self) -> bool:
        """Whether nothing is left out."""
        return self._include is None and self._exclude is None

    def apply(self, entries: Iterable[SourceEntry]) -> Iterator[SourceEntry]:
        """The entries to take, and the metadata documents of the nodes above them.

        Those come last: which nodes are above is known only then.
        """
        include, exclude = self._include, self._exclude
        above: set[str] = {""}
        documents: list[SourceEntry] = []
        taken = False
        for entry in entries:
            if exclude is not None and exclude(entry.key):
                continue
            if include is None or include(entry.key):
                taken = True
                if include is not None:
                    _add_parents(entry.key, above)
                yield entry
            elif is_document(entry.key):
                documents.append(entry)
        if taken:
            yield from (entry for entry in documents if split(entry.key)[0] in above)


def _add_parents(key: str, above: set[str]) -> None:
    path = key.rpartition("/")[0]
    while path not in above:
        above.add(path)
        path = path.rpartition("/")[0]


def _matcher(patterns: Iterable[str]) -> Predicate | None:
    expressions = [_expression(pattern) for pattern in patterns]
    if not expressions:
        return None
    return re.compile("|".join(expressions), re.DOTALL).fullmatch


def _expression(pattern: str) -> str:
    core = pattern.strip("/")
    if not core:
        raise UsageError(
            f"the pattern {pattern!r} matches no key",
            hint="patterns are matched against whole keys, like `a/c/**`",
        )
    parts = []
    position = 0
    while position < len(core):
        text, position = _token(core, position)
        parts.append(text)
    return f"(?:{''.join(parts)})(?:/.*)?"


def _token(pattern: str, position: int) -> tuple[str, int]:
    """The regular expression of the token at a position, and where the next one begins."""
    if pattern.startswith("**/", position):
        return "(?:.*/)?", position + 3
    if pattern.startswith("**", position):
        return ".*", position + 2
    character = pattern[position]
    if character == "*":
        return "[^/]*", position + 1
    if character == "?":
        return "[^/]", position + 1
    end = pattern.find("]", position + 2)
    if character == "[" and end > 0:
        members = pattern[position + 1 : end]
        negated = members[0] in "!^" and len(members) > 1
        inside = re.escape(members[negated:]).replace(r"\-", "-")
        try:
            re.compile(f"[{inside}]")
        except re.error:
            raise UsageError(f"the set [{members}] in the pattern is not possible") from None
        return f"(?!/)[{'^' * negated}{inside}]", end + 1
    return re.escape(character), position + 1
