"""Where values stand in a document."""

import functools
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, NamedTuple

from zarrdb.jsontext.read import MAX_DEPTH, Scanner
from zarrdb.jsontext.text import BLANKS, decode, pointer, position

Steps = tuple[str | int, ...]
_Tree = dict[str, Any]
_Match = Callable[[str, int], re.Match[str] | None]


class Place(NamedTuple):
    """A value in a document.

    `pointer` is where it is: shorter than the one asked for when that is absent. The value
    takes the code points from `start` to `end`; `line` and `column` are of its start.
    `member` is where its name begins; for an item of an array, and for the root, `start`.
    """

    pointer: str
    start: int
    end: int
    line: int
    column: int
    member: int


def locate(data: bytes, pointers: Iterable[str]) -> dict[str, Place]:
    """Where the values at JSON pointers (RFC 6901) are.

    An absent member is given the place of the nearest object or array around it; of a
    duplicate member the last counts. Empty for bytes that are no JSON at all.
    """
    text = decode(data).text
    return {} if text is None else locate_in(text, pointers)


def locate_in(text: str, pointers: Iterable[str]) -> dict[str, Place]:
    """`locate` in a text that is decoded already."""
    wanted = list(pointers)
    tree: _Tree = {}
    for asked in wanted:
        branch = tree
        for step in asked.split("/")[1:]:
            branch = branch.setdefault(step.replace("~1", "/").replace("~0", "~"), {})
    walk = _Walk(text)
    start = len(text) - len(text.lstrip(BLANKS))
    # What was passed before the text breaks has its place all the same.
    with suppress(ValueError, IndexError, RecursionError):
        walk.value(start, start, tree, ())
    return {asked: walk.nearest(asked) for asked in wanted if "" in walk.found}


@functools.cache
def skipper() -> Scanner:
    """A scanner for values that are passed over: it converts no number and refuses none."""
    from json import JSONDecoder

    return JSONDecoder(parse_int=len, parse_float=len, parse_constant=len).raw_decode


@functools.cache
def _patterns() -> tuple[_Match, _Match, _Match]:
    """What comes before a member's value, before an item, and what ends an object."""
    blanks = f"[{BLANKS}]*+"
    name = rf'{blanks}[{{,]{blanks}("[^"\\]*(?:\\.[^"\\]*)*"){blanks}:{blanks}'
    return (
        re.compile(name).match,
        re.compile(rf"{blanks}[\[,]{blanks}(?!\])").match,
        re.compile(rf"{blanks}\{{?{blanks}\}}").match,
    )


def unquote(raw: str) -> str:
    """The text of a JSON string as it is written, quotes included."""
    if "\\" not in raw:
        return raw[1:-1]
    text: str = skipper()(raw, 0)[0]
    return text


class _Walk:
    """One walk along the wanted pointers; every other value is passed over."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.found: dict[str, Place] = {}
        self.skip = skipper()
        self.name, self.item, self.close = _patterns()

    def value(self, start: int, member: int, wanted: _Tree, steps: Steps) -> int:
        """Note the value at an offset, and what is wanted inside it; the offset after it."""
        where = pointer(steps)
        if where in self.found:
            self._forget(where)
        place = Place(where, start, start, *position(self.text, start), member)
        self.found[where] = place
        if wanted and len(steps) < MAX_DEPTH and self.text[start] in "{[":
            inside = self._object if self.text[start] == "{" else self._array
            end = inside(start, wanted, steps)
        else:
            end = self.skip(self.text, start)[1]
        self.found[where] = place._replace(end=end)
        return end

    def nearest(self, asked: str) -> Place:
        """The place at a pointer, or at the longest part of it that is there."""
        while asked not in self.found:
            asked = asked.rpartition("/")[0]
        return self.found[asked]

    def _object(self, start: int, wanted: _Tree, steps: Steps) -> int:
        text, offset = self.text, start
        while begin := self.name(text, offset):
            name = unquote(begin[1])
            branch = wanted.get(name)
            if branch is None:
                offset = self.skip(text, begin.end())[1]
            else:
                offset = self.value(begin.end(), begin.start(1), branch, (*steps, name))
        end = self.close(text, offset)
        if end is None:
            raise ValueError
        return end.end()

    def _array(self, start: int, wanted: _Tree, steps: Steps) -> int:
        text, offset, index = self.text, start, 0
        end = self.skip(text, start)[1]
        pending = len(wanted)
        while pending and (begin := self.item(text, offset)):
            branch = wanted.get(str(index))
            if branch is None:
                offset = self.skip(text, begin.end())[1]
            else:
                offset = self.value(begin.end(), begin.end(), branch, (*steps, index))
                pending -= 1
            index += 1
        return end

    def _forget(self, where: str) -> None:
        """Drop what was found in a member that comes once more."""
        for inner in [p for p in self.found if p.startswith(where + "/")]:
            del self.found[inner]
