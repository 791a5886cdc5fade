"""When a copied store was last modified, as its record will say."""

import os
from collections.abc import Iterable
from typing import Protocol, runtime_checkable

from zarrdb.db import moment
from zarrdb.db.database import Database
from zarrdb.keys import KeySource


@runtime_checkable
class Dated(Protocol):
    """A source that knows the newest modification time of what it lists."""

    def newest(self) -> int | None:
        """In seconds since 1970, UTC."""
        ...


def modified_at(sources: Iterable[KeySource]) -> str:
    """The record of a file made from sources, which were listed before.

    SOURCE_DATE_EPOCH if it is set, else the newest time in the sources, else now.
    """
    return known_time(sources) or moment.now()


def known_time(sources: Iterable[KeySource]) -> str | None:
    """The same, or None where it would be now."""
    return moment.now() if "SOURCE_DATE_EPOCH" in os.environ else newest(sources)


def newest(sources: Iterable[KeySource]) -> str | None:
    """The newest time in the sources, if any of them tells it."""
    return max(filter(None, map(_newest, sources)), default=None)


def modified_seconds(sources: Iterable[KeySource]) -> int:
    """The same moment in whole seconds since 1970, for the members of archives."""
    from datetime import datetime

    return int(datetime.fromisoformat(modified_at(sources)).timestamp())


def _newest(source: KeySource) -> str | None:
    if isinstance(source, Database):
        return moment.parse(source.records().get("modified_at", "")).utc
    newest = source.newest() if isinstance(source, Dated) else None
    return None if newest is None else moment.at(newest)
