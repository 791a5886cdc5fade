"""Moving keys and values from sources to a sink: read ahead, in order, in bounded memory."""

from collections.abc import Iterable, Iterator
from functools import partial
from operator import attrgetter
from typing import Final, Literal, NamedTuple, Protocol

from zarrdb.db.bulk import STREAMED
from zarrdb.db.private import SPACE_REASONS
from zarrdb.errors import (
    NoSpaceError,
    SourceChangedError,
    SourceError,
    TargetExistsError,
    VerificationError,
)
from zarrdb.keys import KeySource, printable
from zarrdb.layout import Plan, SourceEntry
from zarrdb.transfer.groups import GroupDocuments
from zarrdb.transfer.read import Batch, Part, read_batch, read_pieces
from zarrdb.transfer.readahead import ReadAhead, Work
from zarrdb.transfer.resume import LastingSink
from zarrdb.transfer.target import Sink
from zarrdb.transport.reader import Metered
from zarrdb.units import size_text

OnConflict = Literal["error", "skip", "replace"]

READERS: Final = 16
"""Threads that read from a slow file system; they wait, so CPUs do not matter."""

UNREADABLE_SHOWN: Final = 1000
READABLE_HINT: Final = "nothing was written; make them readable, or --exclude them"


class Pace(NamedTuple):
    """How much is read at a time."""

    values: int
    bytes: int
    streamed: int
    """Bytes from which a value is read piece by piece, alone."""


LOCAL: Final = Pace(32, 1 << 20, STREAMED)
FAR: Final = Pace(1024, 8 << 20, 16 << 20)
"""One wave of requests, which run side by side. 57 MiB behind 20 ms take 66 rounds at the pace
of local files, and 13 at this one."""
FAR_READERS: Final = 2
"""One wave is on its way while another one is written."""


class ProgressLike(Protocol):
    """What is told how far a copy is."""

    def expect(self, keys: int | None, size: int | None) -> None:
        """How much there is."""
        ...

    def update(self, keys: int, size: int) -> None:
        """How many keys and bytes are done."""
        ...


class Engine:
    """One copy of a plan. `jobs` are the threads that may read, if the caller cares."""

    def __init__(
        self,
        parts: list[Part],
        plan: Plan,
        *,
        on_conflict: OnConflict = "error",
        verify: bool = False,
        progress: ProgressLike | None = None,
        jobs: int | None = None,
    ) -> None:
        self._parts = parts
        self._plan = plan
        self._on_conflict = on_conflict
        self._progress = progress
        self._digests: list[bytes] | None = [] if verify else None
        far = all(isinstance(part.source, (Metered, GroupDocuments)) for part in parts)
        self._pace = FAR if far else LOCAL
        parallel = all(part.source.kind in ("directory", "remote") for part in parts)
        # A database is read by the thread that holds its snapshot.
        local = any(part.source.kind in ("zarrdb", "legacy") for part in parts)
        self._readers = 0 if local else (jobs or READERS) if parallel else 1
        if far:
            self._readers = FAR_READERS
        self._unreadable: list[str] = []
        self._lasting: LastingSink | None = None
        self.resumed = 0
        """Values that an earlier run had written already."""
        self.keys = 0
        self.bytes = 0
        self.skipped = 0

    def copy(self, sink: Sink) -> None:
        """Write everything to the sink, and finish it.

        Raises SourceError naming every value that cannot be read, and what the sink raises.
        """
        if self._progress is not None:
            self._progress.expect(self._plan.keys, self._plan.bytes)
        if isinstance(sink, LastingSink):
            self._lasting, self.resumed = sink, sink.rows
            if self._digests is not None:
                self._digests += sink.digests
        try:
            with ReadAhead(self._work(), readers=self._readers) as ahead:
                for batch in ahead:
                    if batch.unreadable or self._unreadable:
                        self._unreadable += batch.unreadable
                    else:
                        self._write(sink, batch)
            if self._unreadable:
                raise unreadable_error(self._unreadable)
            sink.finish()
        except NoSpaceError as error:
            raise self._out_of_space(error, sink.name) from error

    def rows(self) -> Iterator[tuple[str, int]]:
        """The keys and sizes of what `copy` writes, in that order."""
        return ((key, size) for key, size, _ in self.entries())

    def rehearse(self) -> Iterator[tuple[str, int]]:
        """The same, counted as if it were written. Raises TargetExistsError for a conflict."""
        for key, size, _ in self.entries():
            self.keys += 1
            self.bytes += size
            yield key, size

    def compare(self, written: KeySource, name: str) -> None:
        """Read back what was written. Raises VerificationError naming the first difference."""
        back = Part(written)
        for batch, digest in zip(self._batches(), self._digests or [], strict=True):
            entries = [SourceEntry(key, size, 0) for key, size, _ in batch]
            if _digest(back, entries, self._pace.streamed) != digest:
                raise VerificationError(
                    f"{printable(name)}: what was written differs from what was read,"
                    f" at {printable(self._first_difference(back, batch))} or near it",
                    hint="the disk or the memory of this machine may be at fault",
                )

    def _write(self, sink: Sink, batch: Batch) -> None:
        if batch.items is None:
            entry = batch.entries[0]
            pieces = read_pieces(self._parts[entry.source], entry, hashed=self._digests is not None)
            try:
                sink.put_pieces(entry.key, entry.size, pieces)
            except SourceChangedError:
                raise
            except SourceError as error:
                self._unreadable.append(error.message)
                return
            digest = pieces.digest
        else:
            sink.put_many(batch.items)
            digest = batch.digest
        if self._digests is not None:
            self._digests.append(digest)
        self.keys += len(batch.entries)
        self.bytes += batch.size
        if self._lasting is not None:
            self._lasting.step(batch.size, None if self._digests is None else digest)
        if self._progress is not None:
            self._progress.update(self.keys, self.bytes)

    def _work(self) -> Iterator[Work[Batch]]:
        hashed = self._digests is not None
        for entries in self._batches():
            size = sum([entry.size for entry in entries])
            if self.keys < self.resumed:
                # Work is committed after whole batches.
                self.keys += len(entries)
                self.bytes += size
            elif entries[0].size >= self._pace.streamed:
                yield Work(partial(Batch, entries, size, None), 1, 0)
            else:
                part = self._parts[entries[0].source]
                read = partial(read_batch, part, entries, size, hashed=hashed)
                # Of values far away all are waited for together.
                yield Work(read, 1 if self._pace is FAR else len(entries), size)

    def _batches(self) -> Iterator[list[SourceEntry]]:
        """Consecutive entries of one source, some values or some bytes at a time."""
        batch: list[SourceEntry] = []
        source, size, pace = 0, 0, self._pace
        for entry in self.entries():
            size += entry.size
            if batch and (size > pace.bytes or len(batch) == pace.values or entry.source != source):
                yield batch
                batch, size = [], entry.size
            source = entry.source
            batch.append(entry)
        if batch:
            yield batch

    def entries(self) -> Iterable[SourceEntry]:
        """What `copy` writes, in that order."""
        return iter(self._plan) if len(self._parts) == 1 else self._without_conflicts()

    def _without_conflicts(self) -> Iterator[SourceEntry]:
        """Each key once: of several sources that have it, one that `on_conflict` allows."""
        self.skipped = 0
        kept: SourceEntry | None = None
        for entry in self._plan:
            if kept is None or entry.key != kept.key:
                if kept is not None:
                    yield kept
                kept = entry
                continue
            self.skipped += 1
            # The plan has them by size, not in the order of the sources.
            first, last = sorted((kept, entry), key=attrgetter("source"))
            kept = last if self._on_conflict == "replace" else first
            if self._on_conflict == "error" and self._differ(first, last):
                names = [self._parts[e.source].source.name for e in (first, last)]
                raise TargetExistsError(
                    f"{printable(entry.key)}: is in {names[0]} and in {names[1]}, with"
                    " different values",
                    hint="--on-conflict skip keeps the first, replace the last",
                )
        if kept is not None:
            yield kept

    def _differ(self, one: SourceEntry, other: SourceEntry) -> bool:
        if one.size != other.size:
            return True
        left = self._parts[one.source].stream(one.key)
        right = self._parts[other.source].stream(other.key)
        return any(a != b for a, b in zip(left, right, strict=False))

    def _first_difference(self, back: Part, batch: list[SourceEntry]) -> str:
        for entry in batch:
            part = self._parts[entry.source]
            if list(part.stream(entry.key)) != list(back.stream(entry.key)):
                return entry.key
        return batch[0].key

    def _out_of_space(self, error: NoSpaceError, name: str) -> NoSpaceError:
        reason = SPACE_REASONS.get(error.errno or 0, "no space left on device")
        done = f"{size_text(self.bytes)} of {size_text(self._plan.bytes)}"
        kept = self._lasting is not None and self._lasting.is_worth_keeping
        left = "--resume goes on from there" if kept else "nothing was left behind"
        found = NoSpaceError(
            f"{printable(name)}: {reason} after {done}; {left}",
            hint="-o elsewhere, or --temp-dir on another file system",
        )
        found.errno = error.errno
        return found


def _digest(part: Part, entries: list[SourceEntry], streamed: int) -> bytes:
    if entries[0].size >= streamed:
        pieces = read_pieces(part, entries[0], hashed=True)
        for _ in pieces:
            pass
        return pieces.digest
    return read_batch(part, entries, 0, hashed=True).digest


def unreadable_error(sentences: list[str], hint: str = READABLE_HINT) -> SourceError:
    """One error that names everything that cannot be read."""
    shown = sentences[:UNREADABLE_SHOWN]
    if len(sentences) > len(shown):
        shown.append(f"and {len(sentences) - len(shown):,} more")
    return SourceError("\n".join(shown), hint=hint)
