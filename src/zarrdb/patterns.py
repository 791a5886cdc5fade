"""Glob patterns over whole keys, and expressions that are compiled when they are needed.

`*` and `?` stop at `/`, `**` does not; `[a-z]` is a set of characters. A pattern that names a
directory covers all that is below it.
"""

import re
from collections.abc import Callable, Iterable
from functools import cache

from zarrdb.errors import UsageError

Predicate = Callable[[str], object]


def matcher(patterns: Iterable[str]) -> Predicate | None:
    """What tells whether a key matches one of the patterns; None where there are none.

    Raises UsageError for a pattern that can match nothing.
    """
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


@cache
def compiled(pattern: str) -> re.Pattern[str]:
    """A regular expression, compiled when it is first needed."""
    return re.compile(pattern)
