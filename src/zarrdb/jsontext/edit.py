"""A document with some values replaced, every other byte as it was written."""

from collections.abc import Mapping
from itertools import pairwise

from zarrdb.errors import NotFoundError, UsageError
from zarrdb.jsontext.places import Place, locate_in
from zarrdb.jsontext.text import BLANKS, decode


def splice(data: bytes, replacements: Mapping[str, bytes | None]) -> bytes:
    """Put other JSON text (UTF-8) in the place of the values at some pointers.

    None takes a member or an item out, with its comma. Raises NotFoundError for a pointer to
    nothing, UsageError for values inside one another and for bytes that are no text.
    """
    decoded = decode(data)
    if decoded.text is None:
        raise UsageError("the document is no text that could be changed")
    text = _replace(decoded.text, {p: new for p, new in replacements.items() if new is not None})
    gone = [p for p, new in replacements.items() if new is None]
    # From the end, so that the indexes of items before it stay.
    for pointer in sorted(gone, key=lambda p: _exact(text, [p])[0].start, reverse=True):
        text = _without(text, _exact(text, [pointer])[0])
    return data[: decoded.mark] + decoded.encode(text)


def _replace(text: str, values: dict[str, bytes]) -> str:
    places = sorted(_exact(text, list(values)), key=lambda place: place.start)
    if any(outer.end > inner.start for outer, inner in pairwise(places)):
        raise UsageError("a value to replace lies inside another")
    for place in reversed(places):
        text = text[: place.start] + values[place.pointer].decode() + text[place.end :]
    return text


def _exact(text: str, pointers: list[str]) -> list[Place]:
    places = locate_in(text, pointers)
    for pointer in pointers:
        if pointer not in places or places[pointer].pointer != pointer:
            raise NotFoundError(f"the document has nothing at `{pointer}`")
    return list(places.values())


def _without(text: str, place: Place) -> str:
    if not place.pointer:
        raise UsageError("the whole document cannot be taken out of itself")
    before, after = text[: place.member], text[place.end :]
    if after.lstrip(BLANKS).startswith(","):
        return before + after.lstrip(BLANKS)[1:].lstrip(BLANKS)
    head = before.rstrip(BLANKS)
    return (head[:-1] if head.endswith(",") else before) + after
