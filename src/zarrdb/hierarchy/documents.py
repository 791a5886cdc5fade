"""The metadata documents of a source."""

from collections.abc import Iterator

from zarrdb.keys import KeySource


def documents(source: KeySource, prefix: str = "") -> Iterator[tuple[str, bytes]]:
    """Key and bytes of every metadata document below a prefix, in key order, in one pass."""
    raise NotImplementedError
