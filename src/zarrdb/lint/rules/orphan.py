"""Chunks without an array; of the family `chunk`, but told by places, not by an array."""

from collections.abc import Iterator

from zarrdb.lint.finding import Hit
from zarrdb.lint.place import Place
from zarrdb.lint.rule import rule


@rule("chunk/orphan", level="warning", subject="hierarchy", requires=("json/*",))
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
