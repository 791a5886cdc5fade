"""Reading values out of a source, and noticing when it changes meanwhile."""

from collections.abc import Iterable, Iterator
from typing import NamedTuple, Protocol, runtime_checkable

from zarrdb.errors import NotFoundError, SourceChangedError, SourceError
from zarrdb.keys import KeySource, printable
from zarrdb.layout import SourceEntry

_PIECE = 1 << 20


class Hasher(Protocol):
    """What a value goes through to be compared later."""

    def update(self, data: bytes, /) -> None:
        """Take some bytes more."""
        ...

    def digest(self) -> bytes:
        """The digest of all of them."""
        ...


@runtime_checkable
class Listed(Protocol):
    """A source that reads what it listed before in fewer steps."""

    def get_listed(self, entries: Iterable[tuple[str, int]]) -> Iterator[tuple[str, bytes | None]]:
        """Values of keys with the sizes that `entries` gave."""
        ...


class Part(NamedTuple):
    """A source, the prefix of the keys in it that are taken, and the one they get instead."""

    source: KeySource
    below: str = ""
    at: str = ""

    def source_key(self, key: str) -> str:
        """The key in the source of what is `key` in the target."""
        return self.below + key[len(self.at) :]

    def target_key(self, key: str) -> str:
        """The key in the target of what is `key` in the source."""
        return self.at + key[len(self.below) :]

    def stream(self, key: str) -> Iterator[bytes]:
        """The value of a key of the target, piece by piece."""
        return self.source.stream(self.source_key(key), _PIECE)


class Batch(NamedTuple):
    """Some consecutive entries and, unless they are large, their values."""

    entries: list[SourceEntry]
    size: int
    items: list[tuple[str, bytes]] | None
    digest: bytes = b""
    unreadable: tuple[str, ...] = ()
    """A sentence for each value that cannot be read; then there are no items."""


def read_batch(part: Part, entries: list[SourceEntry], size: int, *, hashed: bool) -> Batch:
    """Read the values of some entries, all in memory. Raises SourceChangedError."""
    try:
        items = list(_values(part, entries))
    except SourceChangedError:
        raise
    except SourceError:
        return Batch(entries, size, None, unreadable=_unreadable(part, entries))
    return Batch(entries, size, items, _digest(items) if hashed else b"")


def _values(part: Part, entries: list[SourceEntry]) -> Iterator[tuple[str, bytes]]:
    for entry, (_, value) in zip(entries, _read(part, entries), strict=True):
        if value is None or len(value) != entry.size:
            raise _changed(part, entry, None if value is None else len(value))
        yield entry.key, value


def _read(part: Part, entries: list[SourceEntry]) -> Iterator[tuple[str, bytes | None]]:
    source, at, below = part.source, len(part.at), part.below
    if isinstance(source, Listed):
        return source.get_listed([(below + key[at:], size) for key, size, _ in entries])
    return source.get_many([below + key[at:] for key, _, _ in entries])


def _unreadable(part: Part, entries: list[SourceEntry]) -> tuple[str, ...]:
    found = []
    for entry in entries:
        try:
            list(_values(part, [entry]))
        except SourceChangedError:
            raise
        except SourceError as error:
            found.append(error.message)
    return tuple(found)


class Pieces:
    """A large value piece by piece; its digest once all of it went through."""

    def __init__(self, part: Part, entry: SourceEntry, hasher: Hasher | None) -> None:
        self._part = part
        self._entry = entry
        self._hasher = hasher

    def __iter__(self) -> Iterator[bytes]:
        seen = 0
        try:
            for piece in self._part.stream(self._entry.key):
                seen += len(piece)
                if self._hasher is not None:
                    self._hasher.update(piece)
                yield piece
        except NotFoundError:
            raise _changed(self._part, self._entry, None) from None
        if seen != self._entry.size:
            raise _changed(self._part, self._entry, seen)

    @property
    def digest(self) -> bytes:
        """Of key and value; empty if nobody asked for it."""
        return b"" if self._hasher is None else self._hasher.digest()


def read_pieces(part: Part, entry: SourceEntry, *, hashed: bool) -> Pieces:
    """A value too large to be in memory. Raises SourceChangedError while it is read."""
    hasher = None
    if hashed:
        hasher = _new_hasher()
        hasher.update(_frame(entry.key, entry.size))
    return Pieces(part, entry, hasher)


def _new_hasher() -> Hasher:
    from hashlib import sha256

    return sha256(usedforsecurity=False)


def _digest(items: list[tuple[str, bytes]]) -> bytes:
    hasher = _new_hasher()
    for key, value in items:
        hasher.update(_frame(key, len(value)))
        hasher.update(value)
    return hasher.digest()


def _frame(key: str, size: int) -> bytes:
    return f"{len(key)}:{size}:{key}".encode("utf-8", "surrogatepass")


def _changed(part: Part, entry: SourceEntry, size: int | None) -> SourceChangedError:
    key = printable(part.source_key(entry.key))
    what = "vanished" if size is None else f"changed from {entry.size:,} to {size:,} bytes"
    return SourceChangedError(
        f"{part.source.name}: {key} {what} while it was copied",
        hint="try again when nobody writes to it",
    )
