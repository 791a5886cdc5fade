"""Where the odd things of a document are: a walk over all of its tokens."""

import functools
import re
from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

from zarrdb.jsontext.places import Place, skipper, unquote
from zarrdb.jsontext.read import CONSTANT, DUPLICATE, OVERFLOW, SURROGATE, overflows, parse
from zarrdb.jsontext.text import decode, has_lone_surrogate, pointer, position


class Oddity(NamedTuple):
    """One odd thing; `kind` is one of those in `Parsed.odd`.

    `text` is the value as written (of a lone surrogate in a name: the name). A duplicate
    member has the place and the text of the one before it in `other` and `other_text`.
    """

    kind: str
    place: Place
    text: str
    other: Place | None = None
    other_text: str = ""


def oddities(data: bytes) -> Iterator[Oddity]:
    """The odd things of a document that `parse` could read, in the order of its text."""
    text = decode(data).text
    if text is not None and parse(data).fault is None:
        yield from _Survey(text).run()


def first_bracket_past(text: str, depth: int) -> int | None:
    """The offset of the first bracket that opens a level past `depth`, valid text or not."""
    level = 0
    for token in _tokens().finditer(text):
        if token[0] in ("{", "["):
            level += 1
            if level > depth:
                return token.start()
        elif token[0] in ("}", "]"):
            level -= 1
    return None


@functools.cache
def _tokens() -> re.Pattern[str]:
    return re.compile(r'"[^"\\]*(?:\\.[^"\\]*)*"?|[{}\[\],:]|[^\s{}\[\],:"]+')


class _Survey:
    """A walk over a valid text; the lists have one item for each open object or array."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.steps: list[str | int] = []
        self.names: list[dict[str, int] | None] = []
        self.member = 0

    def run(self) -> Iterator[Oddity]:
        expects_name = False
        for token in _tokens().finditer(self.text):
            mark = token[0][0]
            if mark in "{[":
                self._note_item(token)
                self.steps.append(0)
                self.names.append({} if mark == "{" else None)
            elif mark in "}]":
                self.steps.pop()
                self.names.pop()
            elif mark == ",":
                self._next_item()
            elif expects_name and self.names[-1] is not None:
                yield from self._name(token, self.names[-1])
            elif mark != ":":
                self._note_item(token)
                yield from self._scalar(token)
            expects_name = mark in "{,"

    def _note_item(self, token: re.Match[str]) -> None:
        if not self.names or self.names[-1] is None:
            self.member = token.start()

    def _next_item(self) -> None:
        step = self.steps[-1]
        if isinstance(step, int):
            self.steps[-1] = step + 1

    def _name(self, token: re.Match[str], names: dict[str, int]) -> Iterator[Oddity]:
        name = unquote(token[0])
        self.steps[-1], self.member = name, token.start()
        before = names.get(name)
        names[name] = token.start()
        if before is not None:
            place, other = self._place_of(token.start()), self._place_of(before)
            yield Oddity(DUPLICATE, place, self._written(place), other, self._written(other))
        if has_lone_surrogate(name):
            yield Oddity(SURROGATE, self._place_of(token.start()), token[0])

    def _scalar(self, token: re.Match[str]) -> Iterator[Oddity]:
        written = token[0]
        if written[0] == '"':
            kind = SURROGATE if has_lone_surrogate(unquote(written)) else None
        elif written in ("NaN", "Infinity", "-Infinity"):
            kind = CONSTANT
        elif written not in ("true", "false", "null") and overflows(written):
            kind = OVERFLOW
        else:
            kind = None
        if kind:
            yield Oddity(kind, self._place(*token.span(), self.member), written)

    def _place_of(self, name: int) -> Place:
        """The place of the member whose name begins at an offset."""
        tokens = _tokens().finditer(self.text, name)
        start = next(islice(tokens, 2, None)).start()
        return self._place(start, skipper()(self.text, start)[1], name)

    def _place(self, start: int, end: int, member: int) -> Place:
        return Place(pointer(self.steps), start, end, *position(self.text, start), member)

    def _written(self, place: Place) -> str:
        return self.text[place.start : place.end]
