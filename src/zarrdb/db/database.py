"""One `.zarrdb` file as a mapping of keys to values."""

import os
from collections.abc import Iterable, Iterator, Sequence
from contextlib import AbstractContextManager
from itertools import islice
from types import TracebackType
from typing import Final, Literal, Self

import apsw

from zarrdb.db import children, documents, listing, sql, values, writes
from zarrdb.db.create import DEFAULT_PAGE_SIZE, create
from zarrdb.db.journal import fold as fold_log
from zarrdb.db.opening import Demands, Opened, open_file, open_over
from zarrdb.db.records import texts
from zarrdb.db.values import Values
from zarrdb.db.ways import FileState
from zarrdb.db.writes import Buffer
from zarrdb.errors import NotAStoreError, NotFoundError, UsageError
from zarrdb.keys import Child, Entry, Remark, printable
from zarrdb.spec import DESCRIBED_RECORDS

__all__ = ["Buffer", "Database", "Mode", "Values"]

_TOGETHER: Final = 64
"""Keys whose values are read in one go, if they are small."""

Mode = Literal["r", "rw", "create"]


class Database:
    """Keys and values of one file. Made by `open`; a context manager; usable from any thread.

    Prefixes are `""` or end with `/`. Listings are in code-point order, whatever the file's
    encoding or collation. A TEXT value is given as its UTF-8 bytes; a number or NULL where
    a value should be raises SchemaError naming the key. Any call may raise LockedError
    (another process holds the file), CorruptError and ClosedError.
    """

    kind: str = "zarrdb"

    def __init__(self, opened: Opened, *, fold: bool = True) -> None:
        self._handle, self.facts, self._layout = opened
        self.path, self.name = self._handle.path, self._handle.name
        self._fold = fold

    # Opening and closing

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        mode: Mode = "r",
        strict: bool = True,
        timeout: float = 5.0,
        page_size: int | None = None,
        allow_foreign: bool = False,
        fold: bool = True,
    ) -> "Database":
        """Open a file to read (`r`), to change (`rw`), or a new one (`create`).

        Reading leaves nothing behind beside the file. `rw` also refuses what reading may
        pass over: an application id of 0, triggers, keys that are not unique or compare
        other than BINARY. `create` wants a path where nothing is, or an empty file;
        `page_size` is 512 to 65536 bytes. `strict=False` opens, for reading, whatever has a
        table of keys and values. `allow_foreign` reads a file with another program's id.
        `fold` says whether closing a file opened for writing takes it out of WAL mode.

        Raises MissingError, NotAStoreError, TruncatedError, CorruptError, SchemaError,
        UnsupportedError, ForeignError, JournalError, ReadOnlyError, TargetExistsError.
        """
        text = _as_path(path)
        if mode == "create":
            create(text, page_size=page_size or DEFAULT_PAGE_SIZE, timeout=timeout)
        demands = Demands(strict=strict, allow_foreign=allow_foreign, writing=mode != "r")
        return cls(open_file(text, demands, timeout), fold=fold)

    @classmethod
    def open_legacy(cls, path: str | os.PathLike[str], *, timeout: float = 5.0) -> "Database":
        """Open a SQLite store of zarr-python 2 for reading; its `kind` is `legacy`.

        Raises what `open` raises, and NotAStoreError for any other database.
        """
        demands = Demands(strict=False, allow_foreign=True, writing=False)
        self = cls(open_file(_as_path(path), demands, timeout))
        if self.facts.kind != "legacy":
            self.close()
            raise NotAStoreError(f"{self.name}: is no SQLite store of zarr-python 2")
        self.kind = "legacy"
        return self

    @classmethod
    def over(
        cls,
        connection: apsw.Connection,
        state: FileState,
        *,
        name: str,
        strict: bool = True,
        allow_foreign: bool = False,
    ) -> "Database":
        """Read through a connection made elsewhere (another VFS), which `close` closes.

        `state` is the file's size and first 100 bytes. Raises what `open` raises.
        """
        demands = Demands(strict=strict, allow_foreign=allow_foreign, writing=False)
        return cls(open_over(connection, name, state, demands), fold=False)

    @property
    def read_only(self) -> bool:
        """Whether it was opened for reading only."""
        return not self._handle.writable

    @property
    def closed(self) -> bool:
        """Whether `close` was called."""
        return self._handle.closed

    @property
    def connection(self) -> apsw.Connection:
        """The connection itself, for journal modes and page sizes (`zarrdb.db.journal`)."""
        return self._handle.connection

    def close(self) -> None:
        """Give back the file, self-contained; a second call does nothing."""
        self._handle.close(fold_log if self._fold else None)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.close()

    # Reading values

    def get(self, key: str) -> bytes | None:
        """The whole value, or None if there is no such key."""
        return self._handle.read(values.get, self._layout, key)

    def get_many(self, keys: Iterable[str]) -> Iterator[tuple[str, bytes | None]]:
        """Values of several keys, in the order given."""
        remaining = iter(keys)
        while batch := list(islice(remaining, _TOGETHER)):
            while batch:
                found = self.get_some(batch)
                yield from zip(batch, found, strict=False)
                batch = batch[len(found) :]

    def get_some(self, keys: Sequence[str]) -> Values:
        """The values of the first keys, of one state of the file, until they are enough bytes.

        That is about 1 MiB, and at least one value.
        """
        return self._handle.read(values.get_some, self._layout, keys)

    def get_range(self, key: str, offset: int, length: int | None) -> bytes | None:
        """Bytes of a value, clamped to it; a negative offset counts from its end."""
        return self._handle.read(values.get_range, self._layout, key, offset, length)

    def get_ranges(self, ranges: Sequence[tuple[str, int, int | None]]) -> Values:
        """Several (key, offset, length) of one consistent state, in the order given."""
        return self._handle.read(values.get_ranges, self._layout, ranges)

    def read_into(self, key: str, buffer: bytearray | memoryview, offset: int = 0) -> int | None:
        """Fill the buffer from a place in a value; the number of bytes, or None if no key."""
        view = memoryview(buffer).cast("B")
        return self._handle.read(values.read_into, self._layout, key, view, offset)

    def stream(self, key: str, chunk_size: int = 1 << 20) -> Iterator[bytes]:
        """A value piece by piece, in flat memory; writers have to wait until it ends.

        Raises NotFoundError.
        """
        pieces = self._handle.read(values.open_pieces, self._layout, key)
        if pieces is None:
            raise NotFoundError(f"{self.name}: no key {printable(key)}")
        try:
            while piece := self._handle.read_once(pieces.next, chunk_size):
                yield piece
        finally:
            self._handle.let_go(pieces.close)

    def size(self, key: str) -> int | None:
        """Size of the value in bytes, or None if there is no such key; nothing is read."""
        return self._handle.read(values.size, self._layout, key)

    def exists(self, key: str) -> bool:
        """Whether there is such a key, whatever its value."""
        return self.size(key) is not None

    # Listing

    def entries(self, prefix: str = "", after: str | None = None) -> Iterator[Entry]:
        """Every key below `prefix` once, in code-point order of the whole key, past `after`.

        Read in pages: nothing is held between them, so others may write meanwhile, unless
        inside `snapshot`.
        """
        if not self._layout.ordered:
            found = self._handle.read(listing.everything, self._layout)
            for entry in found:
                if entry.key.startswith(prefix) and (after is None or entry.key > after):
                    yield entry
            return
        end = listing.end_of(prefix)
        past = after is not None and after >= prefix
        start: str | bytes | None = after if past else prefix
        while start is not None:
            page = self._page(start, end, listing.PAGE, past)
            yield from page.entries
            start, past = page.last, True

    def survey(self) -> Iterator[documents.Row]:
        """Every key as `entries` gives them, with its size, and with the value where it is a
        small metadata document."""
        start: str | None = None
        while self._layout.plain and self._layout.unique and self._layout.ordered:
            try:
                found = self._handle.read(documents.page, start or "", after=start is not None)
            except UnicodeDecodeError:
                # One of them is no Unicode; `entries` knows what to do about it.
                break
            yield from found
            if len(found) < documents.PAGE:
                return
            start = found[-1][0]
        for key, size in self.entries(after=start):
            yield key, size, None

    def _page(self, start: str | bytes, end: str | bytes, limit: int, after: bool) -> listing.Page:
        return self._handle.read(listing.page, self._layout, start, end, limit, after=after)

    def list(self) -> Iterator[str]:
        """Every key, in code-point order."""
        return self.list_prefix("")

    def list_prefix(self, text: str, after: str | None = None) -> Iterator[str]:
        """Every key past `after` that begins with `text`, any text, taken literally."""
        if not self._layout.ordered:
            yield from (entry.key for entry in self.entries(text, after))
            return
        end = listing.end_of(text)
        past = after is not None and after >= text
        start: str | bytes | None = after if past else text
        while start is not None:
            keys, start = self._handle.read(
                listing.texts, self._layout, start, end, listing.PAGE, after=past
            )
            yield from keys
            past = True

    def children(self, prefix: str = "") -> Iterator[Child]:
        """The names directly below `prefix`, in code-point order, each once."""
        if not self._layout.ordered:
            return children.from_entries(self.entries(prefix), prefix)
        return children.in_order(self._page, self._has_any, prefix)

    def _has_any(self, start: str, end: str | bytes) -> bool:
        return self._handle.read(listing.has_any, self._layout, start, end)

    def list_dir(self, prefix: str = "") -> Iterator[str]:
        """The names of `children`."""
        return (child.name for child in self.children(prefix))

    def keys_of_other_types(self, most: int) -> Sequence[Remark]:
        """The first rows, up to `most`, whose key is no text; no pass over all keys."""
        return self._handle.read(listing.keys_of_other_types, self._layout, most)

    def remarks(self) -> Iterator[Remark]:
        """Rows that fit no key and value; needs a pass over all keys."""
        return iter(self._handle.read(listing.remarks, self._layout))

    # Writing

    def set(self, key: str, value: Buffer) -> None:
        """Store a value under a key, replacing what was there.

        Raises InvalidKeyError, ReadOnlyError, ValueTooLargeError, NoSpaceError.
        """
        self._handle.write(writes.put, self._layout, key, value)

    def set_many(self, items: Iterable[tuple[str, Buffer]]) -> None:
        """Store several values, all or none."""
        self._handle.write(writes.put_many, self._layout, items)

    def set_if_not_exists(self, key: str, value: Buffer) -> bool:
        """Store a value where there is no such key; whether it was stored."""
        return self._handle.write(writes.put_new, self._layout, key, value)

    def set_stream(self, key: str, size: int, chunks: Iterable[Buffer]) -> None:
        """Store a value of `size` bytes that comes in pieces, in flat memory.

        Raises UsageError where the pieces are of another size.
        """
        self._handle.write(writes.put_stream, self._layout, key, size, chunks)

    def set_ranges(self, key: str, ranges: Sequence[tuple[int, Buffer]]) -> None:
        """Overwrite parts of a value in place; each (offset, bytes) lies inside it.

        Raises NotFoundError, and UsageError for a range outside the value.
        """
        self._handle.write(writes.put_ranges, self._layout, key, ranges)

    def delete(self, key: str) -> bool:
        """Delete a key; whether there was one."""
        return self._handle.write(writes.delete, self._layout, key)

    def delete_many(self, keys: Iterable[str]) -> int:
        """Delete several keys, all or none; how many there were."""
        return self._handle.write(writes.delete_many, self._layout, keys)

    def delete_prefix(self, prefix: str) -> int:
        """Delete every key below `prefix`; how many there were. `""` is all keys."""
        if not prefix:
            return self.clear()
        if self._layout.ordered:
            return self._handle.write(writes.delete_range, prefix, listing.end_of(prefix))
        with self.transaction():
            return self.delete_many([entry.key for entry in self.entries(prefix)])

    def clear(self) -> int:
        """Delete every key; records, flags and other tables stay. How many there were."""
        return self._handle.write(writes.delete_all)

    # Records

    def records(self) -> dict[str, str]:
        """The metadata records whose key and value are texts, as they are now.

        A file without a table of them, like zarr-python 2's, has none.
        """
        table = self.facts.metadata
        if table is None or table.column("k") is None or table.column("v") is None:
            return {}
        return self._handle.read(texts, self.facts.codec)

    def set_record(self, key: str, value: str) -> None:
        """Write a metadata record. Raises UsageError for one that the format does not have."""
        if key not in DESCRIBED_RECORDS:
            raise UsageError(f"metadata record {printable(key)}: the format has none of that name")
        self._handle.write(writes.put_record, key, value)

    def touch(self) -> None:
        """Set `modified_at` to SOURCE_DATE_EPOCH or to now, in UTC with milliseconds."""
        self._handle.write(self._handle.touch)

    # Transactions

    def transaction(self, *, any_thread: bool = False) -> AbstractContextManager[None]:
        """All changes made inside become visible together, or none does.

        The write lock is taken at the start. Other threads wait, or with `any_thread` belong
        to it. Inside another one it can be taken back by itself. Raises LockedError.
        """
        self._handle.require_writable()
        return self._handle.exclusive(sql.BEGIN_WRITING, any_thread=any_thread)

    def make_way(self) -> None:
        """Take the locks that the commit of the open transaction needs, which goes on even so.

        Raises LockedError while others read a file without a log.
        """
        self._handle.read(writes.make_way)

    def snapshot(self) -> AbstractContextManager[None]:
        """All reads inside see one state of the file; writers may have to wait meanwhile."""
        return self._handle.exclusive(sql.BEGIN_READING)


def _as_path(path: str | os.PathLike[str]) -> str:
    text = os.fspath(path)
    if text in ("", ":memory:") or text.startswith("file:"):
        hint = "SQLite's own names are not taken"
        if text.startswith("file:"):
            hint += f"; `./{printable(text)}` is a path"
        raise UsageError(f"`{printable(text)}` is not a path", hint=hint)
    return text
