"""What a store asks of a database, as functions: they run on whichever connection is free.

Each goes through the database's own method, so that a remote one answers in its own way.
"""

from collections.abc import Iterable, Sequence
from itertools import islice

from zarrdb.db.database import Buffer, Database
from zarrdb.db.values import Range, Values
from zarrdb.keys import Child, Entry, Remark


def get(database: Database, key: str) -> bytes | None:
    """A whole value."""
    return database.get(key)


def get_some(database: Database, keys: Sequence[str]) -> list[bytes | None]:
    """The values of the first keys, until they are enough bytes; at least one."""
    return database.get_some(keys)


def get_range(database: Database, key: str, offset: int, length: int | None) -> bytes | None:
    """Part of a value."""
    return database.get_range(key, offset, length)


def get_ranges(database: Database, ranges: Sequence[Range]) -> Values:
    """Parts of several values, all of one state of the file."""
    return database.get_ranges(ranges)


def exists(database: Database, key: str) -> bool:
    """Whether there is such a key."""
    return database.exists(key)


def size(database: Database, key: str) -> int | None:
    """Size of a value in bytes."""
    return database.size(key)


def page(database: Database, prefix: str, after: str | None, limit: int) -> list[Entry]:
    """Up to `limit` keys below a prefix, past `after`, with the sizes of their values."""
    return list(islice(database.entries(prefix, after), limit))


def keys(database: Database, text: str, after: str | None, limit: int) -> list[str]:
    """Up to `limit` keys that begin with `text`, past `after`."""
    return list(islice(database.list_prefix(text, after), limit))


def children(database: Database, prefix: str) -> list[Child]:
    """The names directly below a prefix."""
    return list(database.children(prefix))


def total_size(database: Database, prefix: str) -> int:
    """Size in bytes of all values below a prefix."""
    return sum(entry.size for entry in database.entries(prefix))


def remarks(database: Database) -> list[Remark]:
    """Rows that fit no key and value."""
    return list(database.remarks())


def put(database: Database, key: str, value: Buffer) -> None:
    """Store a value."""
    database.set(key, value)


def put_many(database: Database, items: Iterable[tuple[str, Buffer]]) -> None:
    """Store several values, all or none."""
    database.set_many(items)


def put_new(database: Database, key: str, value: Buffer) -> bool:
    """Store a value where there is no such key."""
    return database.set_if_not_exists(key, value)


def make_way(database: Database) -> None:
    """Take the locks that a commit needs."""
    database.make_way()


def delete(database: Database, key: str) -> bool:
    """Delete a key."""
    return database.delete(key)


def delete_prefix(database: Database, prefix: str) -> int:
    """Delete every key below a prefix."""
    return database.delete_prefix(prefix)
