"""Laying a `.zarrdb` out anew: small, and quick to read from afar."""

import dataclasses
import os
import time
from contextlib import ExitStack
from dataclasses import dataclass
from itertools import islice
from typing import Final

from zarrdb.db.container import ContainerFacts, inspect
from zarrdb.db.database import Database
from zarrdb.db.exclusive import require_replaceable, settle, state_of
from zarrdb.db.measure import file_size
from zarrdb.db.opening import Demands, refuse
from zarrdb.db.private import remove_leftovers
from zarrdb.db.same import require_same
from zarrdb.db.sequential import is_sequential
from zarrdb.errors import SchemaError
from zarrdb.keys import printable
from zarrdb.layout import Plan, Score, score
from zarrdb.spec import DATA_TABLE, METADATA_TABLE
from zarrdb.transfer.copy import CopyOptions
from zarrdb.transfer.engine import Engine
from zarrdb.transfer.gather import gather
from zarrdb.transfer.read import Part
from zarrdb.transfer.select import Selection
from zarrdb.transfer.target import (
    FileSink,
    require_folder,
    require_free_path,
    require_space,
    space_for_file,
)

_SAMPLE: Final = 5
"""Chunks that are read for the score."""


@dataclass(frozen=True, slots=True, kw_only=True)
class VacuumReport:
    """The result of a vacuum. Sizes are in bytes, times in seconds."""

    source: str
    target: str
    keys: int
    size_before: int
    size_after: int
    """With `dry_run` what it would be."""
    page_size: int
    tidy: bool
    """Whether the file was as it should be already, and was left untouched."""
    dry_run: bool
    seconds: float = 0.0
    score: Score | None = None
    """What the file costs to read from afar as it is; with `dry_run`, unless it has a log."""


def vacuum(
    path: str, options: CopyOptions, *, output: str | None = None, force: bool = False
) -> VacuumReport:
    """Give a file the layout of an import, in its place or as a new file `output`.

    A tidy file is left untouched unless `force`. Everybody else may read meanwhile; whoever
    wants to write waits. Metadata records stay as they are. Raises SchemaError for a file
    that holds more than a store, InUseError, VerificationError, NoSpaceError; then the file
    is as it was.
    """
    started = time.monotonic()
    target = path if output is None else output
    if output is not None:
        require_free_path(output, overwrite=options.overwrite, timeout=options.timeout)
    else:
        _require_marked(path, options.timeout)
        require_replaceable(path, timeout=options.timeout)
    if not options.dry_run:
        remove_leftovers(target, directory=options.temp_dir)
        if output is None:
            settle(path, timeout=options.timeout)
    with ExitStack() as written:
        with Database.open(path, timeout=options.timeout) as database, database.snapshot():
            report, sink = _rewrite(database, path, target, options, written, force=force)
        # The lock of the snapshot is gone now, so that nobody else's can be taken.
        if sink is not None:
            sink.publish()
    return dataclasses.replace(report, seconds=time.monotonic() - started)


def _rewrite(
    database: Database,
    path: str,
    target: str,
    options: CopyOptions,
    written: ExitStack,
    *,
    force: bool,
) -> tuple[VacuumReport, FileSink | None]:
    """What there is to do, and the new file if one was written, to be published."""
    facts, real = database.facts, os.path.realpath(path)
    in_place = target == path
    _require_only_store(facts, path)
    before = state_of(real)
    part = Part(database)
    folder = require_folder(target, to_be_made=options.new_folder)
    home = options.temp_dir or folder
    with gather(
        [part], selection=Selection(), temp_dir=home, any_keys=True, may_be_empty=True
    ) as plan:
        page_size = options.page_size or plan.sizes.page_size()
        tidy = in_place and not force and _is_tidy(facts, page_size)
        report = VacuumReport(
            source=path,
            target=target,
            keys=plan.keys,
            size_before=before.size,
            size_after=before.size,
            page_size=page_size,
            tidy=tidy,
            dry_run=options.dry_run,
        )
        if not tidy:
            require_space(home, space_for_file(plan, page_size), target)
        engine = Engine([part], plan, progress=options.progress)
        if options.dry_run:
            if facts.header is not None and not facts.header.wal:
                report = dataclasses.replace(report, score=score(real, _some_chunks(plan)))
            if not tidy:
                size = file_size(engine.rows(), page_size, database.records())
                report = dataclasses.replace(report, size_after=size)
            return report, None
        if tidy:
            return report, None
        sink = written.enter_context(
            FileSink(
                target,
                page_size=page_size,
                records=database.records(),
                temp_dir=options.temp_dir,
                timeout=options.timeout,
                rows=engine.rows(),
                unchanged_since=before if in_place else None,
            )
        )
        engine.copy(sink)
        require_same(database, sink.private_path, target)
        size = os.path.getsize(sink.private_path)
        return dataclasses.replace(report, size_after=size), sink


def _require_marked(path: str, timeout: float) -> None:
    """Refuse what cannot be read, or is not marked as one of ours by its application id.

    What lies beside the file is for `settle`.
    """
    facts = inspect(path, timeout=timeout)
    if not (facts.has("hot-journal") or facts.has("foreign-log")):
        refuse(facts, Demands(strict=True, allow_foreign=False, writing=False))
    for problem in facts.problems:
        if problem.reason == "wrong-application-id" and problem.blocks == "writing":
            raise SchemaError(f"{facts.name}: {problem.message}", hint=problem.hint)


def _is_tidy(facts: ContainerFacts, page_size: int) -> bool:
    header = facts.header
    return (
        header is not None
        and is_sequential(header)
        and header.page_size == page_size
        and header.free_pages == 0
        and not header.wal
        and not facts.sidecars
    )


def _require_only_store(facts: ContainerFacts, path: str) -> None:
    """Refuse a file of which something would be lost."""
    tables = {DATA_TABLE, METADATA_TABLE}
    extra = [
        f"the {item.type} {printable(item.name)}"
        for item in facts.objects
        if not (item.name.lower() in tables or item.name.lower().startswith("sqlite_"))
        and not (item.type == "index" and item.table.lower() in tables)
    ]
    for table in (facts.data, facts.metadata):
        if table is not None:
            extra += [
                f"the column {printable(column.name)} of {printable(table.name)}"
                for column in table.columns
                if column.name.lower() not in ("k", "v")
            ]
    if extra:
        raise SchemaError(
            f"{printable(path)}: holds more than a store, which would be lost:"
            f" {', '.join(extra[:5])}{', …' if len(extra) > 5 else ''}",
            hint="SQLite's own VACUUM keeps it; `zarrdb export FILE NEW.zarrdb` copies the store",
        )


def _some_chunks(plan: Plan) -> list[str]:
    """Some keys of chunks, spread over the whole file."""
    step = max(1, plan.keys // _SAMPLE)
    return [entry.key for entry in islice(plan, step // 2, None, step)][-_SAMPLE:]
