"""What is this, and a source to read it with."""

from typing import NamedTuple

from zarrdb.keys import KeySource
from zarrdb.location import Location
from zarrdb.sources.directory import Links


class Identified(NamedTuple):
    """What stands at a place, from its first bytes or its names alone.

    `kind` is a store (`sqlite`, `directory`, `zip`, `tar`, `frame`, `frame-directory`) or what
    it is instead: `missing` `empty` `hdf5` `gzip` `html` `text` `special` `unknown` …
    """

    kind: str
    detail: str = ""
    """Ends a sentence: `is a FIFO`, `is an HDF5 file`."""


def identify(location: str | Location) -> Identified:
    """What stands at a place, by its first bytes; nothing but a regular file is opened."""
    raise NotImplementedError


def open_source(
    location: str | Location,
    *,
    links: Links = "follow",
    keep_junk: bool = False,
    exclude: tuple[str, ...] = (),
    any_name: bool = False,
    timeout: float = 5.0,
    temp_dir: str | None = None,
) -> KeySource:
    """Open whatever store stands at a path; `-` is a tar on stdin.

    `any_name` takes a directory or a zip that is called `.zarrdb` too, which is refused
    otherwise. `exclude` are paths inside a directory store that are not part of it.
    `temp_dir` is where a tar's values wait. Raises MissingError, NotAStoreError, all that
    `Database.open` raises, and UsageError for what is not there yet.
    """
    raise NotImplementedError
