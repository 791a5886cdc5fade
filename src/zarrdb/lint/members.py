"""The members of a zip, read to their ends."""

from zarrdb.errors import CorruptError
from zarrdb.keys import KeySource
from zarrdb.lint.finding import Hit
from zarrdb.lint.tally import Tally


def damaged_members(source: KeySource) -> Hit | None:
    """The members whose checksum differs, or which cannot be decompressed, as one hit."""
    damaged = Tally()
    for key, size in source.entries():
        try:
            for _piece in source.stream(key):
                pass
        except CorruptError:
            damaged.add(key, size)
    if not damaged.count:
        return None
    return Hit(
        f"{damaged.text('member')} whose checksum differs, or that cannot be decompressed"
        f" {damaged.examples()}",
        "restore it from a copy",
        count=damaged.count,
        size=damaged.size,
        keys=tuple(damaged.keys),
    )
