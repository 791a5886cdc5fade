"""Copies from any store to any other."""

import os
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from typing import TypedDict

from zarrdb.db.database import Database
from zarrdb.db.measure import file_size, require_row
from zarrdb.db.private import remove_leftovers
from zarrdb.keys import Entry, FarSource, KeySource, Remark, as_prefix, require_valid
from zarrdb.layout import Plan, Rank, key_rank
from zarrdb.transfer.engine import Engine, OnConflict, ProgressLike
from zarrdb.transfer.gather import gather, remarks_of
from zarrdb.transfer.groups import GroupDocuments
from zarrdb.transfer.read import Part
from zarrdb.transfer.report import CopyReport, with_notes
from zarrdb.transfer.resume import LastingSink, identity, settled_size, stale
from zarrdb.transfer.select import Selection
from zarrdb.transfer.target import (
    FileSink,
    Sink,
    require_folder,
    require_free_path,
    require_space,
    space_for_file,
)
from zarrdb.transfer.times import known_time, modified_at


@dataclass(frozen=True, slots=True, kw_only=True)
class CopyOptions:
    """How to copy; the defaults are those of the command line."""

    include: tuple[str, ...] = ()
    exclude: tuple[str, ...] = ()
    on_conflict: OnConflict = "error"
    overwrite: bool = False
    """Whether a store at the target's place is replaced."""
    any_keys: bool = False
    """Whether a source without metadata documents is copied all the same."""
    verify: bool = False
    """Whether what was written is read back, and held against what was read: once, also from
    afar."""
    resume: bool = False
    """Whether what is done is kept when something interrupts it, and continued."""
    dry_run: bool = False
    new_folder: bool = False
    """Whether the target's directory will be made if it is missing; for a dry run."""
    page_size: int | None = None
    """Bytes a page of a written `.zarrdb`; None chooses it from the sizes of the values."""
    jobs: int | None = None
    temp_dir: str | None = None
    timeout: float = 5.0
    """Seconds to wait for locks."""
    progress: ProgressLike | None = None


class _FileOptions(TypedDict):
    """What every sink of a file is told."""

    page_size: int
    temp_dir: str | None
    timeout: float
    rows: Iterable[tuple[str, int]]
    largest: Entry | None


def into_file(parts: list[Part], target: str, options: CopyOptions) -> CopyReport:
    """Write one `.zarrdb` with the keys of all parts, which share one place in it.

    Raises TargetExistsError, NotAStoreError, SourceError, NoSpaceError, ValueTooLargeError,
    VerificationError and InUseError; then the target is as it was before.
    """
    started = time.monotonic()
    require_free_path(target, overwrite=options.overwrite, timeout=options.timeout)
    notes: list[Remark] = []
    if not options.dry_run:
        remove_leftovers(target, directory=options.temp_dir)
        if not options.resume:
            notes += stale(target, options.temp_dir, overwrite=options.overwrite)
    sources = [part.source for part in parts]
    folder = require_folder(target, to_be_made=options.new_folder)
    home = options.temp_dir or folder
    with (
        unchanging(sources),
        gather(
            parts,
            selection=Selection(options.include, options.exclude),
            temp_dir=home,
            any_keys=options.any_keys,
            parents_of=parts[0].at.rstrip("/"),
        ) as plan,
    ):
        page_size = options.page_size or plan.sizes.page_size()
        needed = space_for_file(plan, page_size)
        done = settled_size(target, options.temp_dir) if options.resume else 0
        for place in {home, folder}:
            require_space(place, needed - done, target)

        def sink(engine: Engine) -> FileSink:
            common = _FileOptions(
                page_size=page_size,
                temp_dir=options.temp_dir,
                timeout=options.timeout,
                rows=engine.rows(),
                largest=plan.sizes.largest,
            )
            if not options.resume:
                return FileSink(target, records={"modified_at": modified_at(sources)}, **common)
            return LastingSink(
                target,
                identity=identity(
                    engine.entries(), sources, page_size=page_size, verify=options.verify
                ),
                modified_at=known_time(sources),
                overwrite=options.overwrite,
                **common,
            )

        def rehearse(engine: Engine) -> None:
            nonlocal needed
            if plan.sizes.largest is not None:
                require_row(*plan.sizes.largest)
            records = {"modified_at": modified_at(sources)}
            needed = file_size(engine.rehearse(), page_size, records)

        engine = _run(parts, plan, sink, rehearse, options)
        report = _report(
            parts, engine, plan, options, target, started, needed=needed, page_size=page_size
        )
        return with_notes(report, notes)


def out_of(
    source: KeySource,
    open_target: Callable[[Plan], Sink],
    target: str,
    options: CopyOptions,
    *,
    admit: Callable[[Plan], None],
    path: str = "",
    at: str = "",
    rank: Rank = key_rank,
) -> CopyReport:
    """Write the keys below the node `path` of a source to a target, below the node `at` there.

    They come in code-point order, or by another rank.

    `admit` refuses what the target cannot take, in a dry run too; then `open_target` makes it.
    `target` is its name. Raises as `into_file`, and NotFoundError if there is no such node.
    """
    started = time.monotonic()
    below = node_prefix(path)
    parts = [Part(source, below=below, at=node_prefix(at))]
    with (
        unchanging([source]),
        gather(
            parts,
            selection=Selection(options.include, options.exclude),
            temp_dir=options.temp_dir or os.path.dirname(os.path.realpath(target)),
            any_keys=options.any_keys,
            rank=rank,
        ) as plan,
    ):
        admit(plan)
        engine = _run(parts, plan, lambda _: open_target(plan), _count, options)
        return _report(parts, engine, plan, options, target, started)


@contextmanager
def unchanging(sources: Sequence[KeySource]) -> Iterator[None]:
    """Read one state of those sources that others may be writing."""
    with ExitStack() as stack:
        for source in sources:
            # What is far away is read by several threads, and does not change.
            if isinstance(source, Database) and not isinstance(source, FarSource):
                stack.enter_context(source.snapshot())
        yield


def node_prefix(path: str) -> str:
    """The prefix of the keys at a node path as people type it. Raises InvalidKeyError."""
    node = path.strip("/")
    require_valid(node)
    return as_prefix(node)


def _count(engine: Engine) -> None:
    for _ in engine.rehearse():
        pass


def _run(
    parts: list[Part],
    plan: Plan,
    open_sink: Callable[[Engine], Sink],
    rehearse: Callable[[Engine], None],
    options: CopyOptions,
) -> Engine:
    engine = Engine(
        parts,
        plan,
        on_conflict=options.on_conflict,
        verify=options.verify,
        progress=options.progress,
        jobs=options.jobs,
    )
    if options.dry_run:
        rehearse(engine)
        return engine
    with open_sink(engine) as sink:
        engine.copy(sink)
        if options.verify and sink.readable_before:
            _compare(engine, sink)
        sink.publish()
        if options.verify and not sink.readable_before:
            _compare(engine, sink)
    return engine


def _compare(engine: Engine, sink: Sink) -> None:
    written = sink.read_back()
    try:
        engine.compare(written, sink.name)
    finally:
        written.close()


def _report(
    parts: Sequence[Part],
    engine: Engine,
    plan: Plan,
    options: CopyOptions,
    target: str,
    started: float,
    *,
    needed: int = 0,
    page_size: int | None = None,
) -> CopyReport:
    dry_run = options.dry_run
    sources = [part for part in parts if not isinstance(part.source, GroupDocuments)]
    counts, remarks = remarks_of(sources)
    groups = [part.source for part in parts if isinstance(part.source, GroupDocuments)]
    return CopyReport(
        source=", ".join(part.source.name for part in sources),
        target=target,
        keys=engine.keys,
        bytes=engine.bytes,
        documents=plan.documents,
        seconds=time.monotonic() - started,
        verified=options.verify and not dry_run,
        dry_run=dry_run,
        page_size=page_size,
        needed=needed or plan.bytes,
        skipped=engine.skipped,
        resumed=engine.resumed,
        added=tuple(entry.key for group in groups for entry in group.entries()),
        counts=counts,
        remarks=remarks,
    )
