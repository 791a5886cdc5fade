"""The names directly below a prefix, without reading all that is below them."""

from collections.abc import Callable, Iterator
from typing import Final

from zarrdb.db.listing import PAGE, Page, end_of
from zarrdb.keys import Child, Entry

FetchPage = Callable[[str | bytes, str | bytes, int, bool], Page]
HasAny = Callable[[str, str | bytes], bool]

_FIRST_PAGE: Final = 4
"""Most names are those of groups and arrays: their keys are jumped over, not read."""


def from_entries(entries: Iterator[Entry], prefix: str) -> Iterator[Child]:
    """The names in keys that come in any order."""
    found: dict[str, Child] = {}
    for entry in entries:
        name, slash, _ = entry.key[len(prefix) :].partition("/")
        seen = found.get(name, Child(name, is_key=False, is_prefix=False))
        found[name] = Child(name, seen.is_key or not slash, seen.is_prefix or bool(slash))
    return (found[name] for name in sorted(found))


def in_order(fetch: FetchPage, has_any: HasAny, prefix: str) -> Iterator[Child]:
    """The names in keys that an index has in order, in the order of the names.

    The two orders differ: `a-b/x` comes before `a/x`, but the name `a` before `a-b`. So the
    names that begin another one are looked up before it.
    """
    # The names that the last one begins with, and whether they were prefixes.
    started: list[tuple[str, bool]] = []

    def is_prefix(name: str) -> bool:
        below = f"{prefix}{name}/"
        return has_any(below, end_of(below))

    for key, following in _heads(fetch, prefix):
        name, slash, _ = key.partition("/")
        while started and not name.startswith(started[-1][0]):
            started.pop()
        # Whatever begins the longest of them was looked up before it.
        known = len(started[-1][0]) + 1 if started else 0
        for end in range(known, len(name)):
            if name[end] < "/":
                started.append((name[:end], is_prefix(name[:end])))
                if started[-1][1]:
                    yield Child(name[:end], is_key=False, is_prefix=True)
        if slash:
            if (name, True) not in started:
                yield Child(name, is_key=False, is_prefix=True)
            continue
        both = _may_be_prefix(name, following) and is_prefix(name)
        started.append((name, both))
        yield Child(name, is_key=True, is_prefix=both)


def _may_be_prefix(name: str, following: str | None) -> bool:
    """Whether a key below `name` can come, given the key that follows it, if that is known."""
    if following is None:
        return True
    return following.startswith(name) and following[len(name)] <= "/"


def _heads(fetch: FetchPage, prefix: str) -> Iterator[tuple[str, str | None]]:
    """Keys without the prefix, of each name's own keys only the first, and the key after it."""
    end = end_of(prefix)
    start: str | bytes | None = prefix
    after, limit = False, _FIRST_PAGE
    while start is not None:
        found, start = fetch(start, end, limit, after)
        keys = [entry.key[len(prefix) :] for entry in found]
        after, limit = True, min(4 * limit, PAGE)
        jumped = ""
        for index, key in enumerate(keys):
            if jumped and key.startswith(jumped):
                continue
            yield key, keys[index + 1] if index + 1 < len(keys) else None
            name, slash, _ = key.partition("/")
            jumped = f"{name}/" if slash else ""
        if jumped and keys and keys[-1].startswith(jumped) and start is not None:
            # Past the end of what is below this name.
            start, after, limit = end_of(prefix + jumped), False, _FIRST_PAGE
