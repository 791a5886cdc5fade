"""Chunks without an array; of the family `chunk`, but told by places, not by an array."""

from collections.abc import Iterator
from typing import Final

from zarrdb.lint.finding import Hit
from zarrdb.lint.place import Place
from zarrdb.lint.rule import rule

UNREAD: Final = "key/unreadable-file"
"""What is found of a document that is there, and that nobody can read."""

_REQUIRES: Final = ("json/*", "hierarchy/unknown-document", "key/value-not-blob", UNREAD)


@rule("chunk/orphan", level="warning", subject="hierarchy", requires=_REQUIRES)
def orphan(place: Place) -> Iterator[Hit]:
    """Keys like those of chunks, without the document of an array above them.

    Why: no reader looks at them; an array that was removed or renamed leaves them, or its
    document was lost.

    Fix: restore the document, or delete the keys.
    """
    tally = place.orphans
    if tally is not None:
        yield Hit(
            f"{tally.text('chunk', sizes=True)} without an array document {tally.examples()}",
            "no reader looks at them",
            node=place.path,
            count=tally.count,
            size=tally.size,
            keys=tuple(tally.keys),
        )
