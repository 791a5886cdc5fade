"""Bytes of a metadata document: its value and what is odd about it, places in it, and splices.

`parse` only sets flags; places are looked for, in a second walk, when there is something to
report. Lines end at `\\n` only, columns count code points from 1 (a byte order mark is none).
"""

from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Final, NamedTuple

from zarrdb.errors import NotFoundError, UsageError

MAX_DEPTH: Final = 256
"""Levels of nesting that a document may have."""

MAX_DIGITS: Final = 4300
"""Digits of the longest integer that is read as one."""

LFS_PREFIX: Final = b"version https://git-lfs.github.com/spec/"

DUPLICATE: Final = "duplicate-member"
CONSTANT: Final = "bare-constant"
OVERFLOW: Final = "overflowing-number"
SURROGATE: Final = "lone-surrogate"


class Fault(NamedTuple):
    """Why there is no value. `kind` is `empty`, `invalid`, `wrong-encoding`, `too-deep` or
    `lfs-pointer`; `offset` counts bytes for `wrong-encoding`, else code points."""

    kind: str
    message: str
    offset: int
    line: int
    column: int


class Parsed(NamedTuple):
    """A document that was read.

    `value` is None when there is a `fault`. `encoding` is `utf-8`, `utf-8-sig` (a byte order
    mark), `utf-8-surrogates` (half pairs encoded as bytes), `utf-16-le` …, or `unknown`.
    `odd` holds DUPLICATE, CONSTANT, OVERFLOW and SURROGATE where they occur.
    """

    value: Any
    fault: Fault | None
    encoding: str
    odd: frozenset[str]


class Place(NamedTuple):
    """A value in a document: code points from `start` to `end`, 1-based line and column.

    `pointer` is where it is: shorter than the one asked for when that member is absent.
    `member` is where the item begins: at the name of an object's member.
    """

    pointer: str
    start: int
    end: int
    line: int
    column: int
    member: int


class Oddity(NamedTuple):
    """One odd thing, in the order of the text: `kind` as in `Parsed.odd`, or `too-deep`.

    `text` is the source text of it; for a duplicate member `other` is the place of the first.
    """

    kind: str
    place: Place
    text: str
    other: Place | None = None


def parse(data: bytes) -> Parsed:
    """Read a document; never raises for what is in it."""
    raise NotImplementedError


def locate(data: bytes, pointers: Iterable[str]) -> dict[str, Place]:
    """Where the values at JSON pointers (RFC 6901) are.

    The pointer of an absent member gives the nearest object or array around it.
    """
    raise NotImplementedError


def oddities(data: bytes) -> Iterator[Oddity]:
    """Where the odd things are that `parse` has flagged."""
    raise NotImplementedError


def splice(data: bytes, replacements: Mapping[str, bytes | None]) -> bytes:
    """Put other text in place of values, keeping every other byte as it is written.

    None takes a member or item out, with its comma. Raises NotFoundError for an absent
    pointer, UsageError when one value lies inside another.
    """
    raise NotImplementedError


def pointer(steps: Iterable[str | int]) -> str:
    """The JSON pointer of a path of member names and indexes."""
    return "".join("/" + str(s).replace("~", "~0").replace("/", "~1") for s in steps)


_UNUSED = (NotFoundError, UsageError)
