"""Checking one file: the facts of the container, then one pass over its keys."""

import os
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager, closing, nullcontext
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zarrdb.db import ContainerFacts, Database, inspect
from zarrdb.detect import identify, is_frame, open_any
from zarrdb.errors import (
    ContainerError,
    CorruptError,
    FrameError,
    NotAStoreError,
    PluginError,
    TruncatedError,
    ZarrdbError,
)
from zarrdb.keys import KeySource, printable
from zarrdb.lint.baseline import Baseline
from zarrdb.lint.collector import Collector
from zarrdb.lint.extension import by_subject
from zarrdb.lint.finding import Hit, place
from zarrdb.lint.positions import located
from zarrdb.lint.remarks import take_remarks
from zarrdb.lint.report import FileReport, Report
from zarrdb.lint.rule import Rule
from zarrdb.lint.rules import RULES, container_file
from zarrdb.lint.scan import Progress, Scan
from zarrdb.lint.scopes import Scopes
from zarrdb.lint.selection import EffectiveLevels, Selection
from zarrdb.location import parse
from zarrdb.transport.options import RemoteOptions

if TYPE_CHECKING:
    from zarrdb.db.remote import RemoteDatabase
    from zarrdb.frame import FrameFacts
    from zarrdb.lint.datawatch import DataWatch

# Every page of a local file is read unless it is larger than this: about 2 s of reading.
_INTEGRITY_LIMIT: Final = 1_000_000_000


class Options(NamedTuple):
    """How to check.

    `limit` is how many findings of one rule and file are kept. `integrity` None reads every
    page of local files up to 1 GB.
    """

    selection: Selection = Selection()
    limit: int | None = 1000
    integrity: bool | None = None
    baseline: Baseline | None = None
    timeout: float = 5.0
    data: bool = False
    """Whether to decode every chunk; `jobs` threads do (None: one a core)."""
    jobs: int | None = None
    progress: Progress | None = None
    scopes: Scopes = Scopes()
    more_rules: tuple[Rule[Any], ...] = ()
    """Of plugins."""
    remote: RemoteOptions = RemoteOptions()
    """What goes with a URL."""

    @property
    def rules(self) -> tuple[Rule[Any], ...]:
        """All rules of the run."""
        return RULES + self.more_rules


def check(
    paths: str | os.PathLike[str] | Iterable[str | os.PathLike[str]],
    options: Options | None = None,
    *,
    done: Callable[[FileReport], None] | None = None,
) -> Report:
    """Check one store or several; whatever is wrong with them ends up in the report.

    `paths` are paths or URLs of stores of any kind and of frames; no directory is searched for
    them. `report.files` has a FileReport with the findings of each, `report.exit_code()` is
    that of the command. `done` is called with each file's report as soon as it is there. Raises
    UsageError for a selection that names no rule.
    """
    options = options or Options()
    levels = EffectiveLevels(options.rules, options.selection)
    if isinstance(paths, (str, os.PathLike)):
        paths = [paths]
    report, start = Report(), perf_counter()
    for path in paths:
        report.files.append(FileCheck(os.fspath(path), options, levels).run())
        if done is not None:
            done(report.files[-1])
    report.seconds = perf_counter() - start
    return report


def check_file(path: str | os.PathLike[str], options: Options | None = None) -> FileReport:
    """Check one store."""
    return check(path, options).files[0]


def check_source(source: KeySource, options: Options | None = None) -> FileReport:
    """Check a source that is open already; what it lies in is not looked at."""
    options = options or Options()
    levels = EffectiveLevels(options.rules, options.selection)
    return FileCheck(source.name, options, levels).run(source)


class FileCheck:
    """One file being checked."""

    def __init__(
        self,
        path: str,
        options: Options,
        levels: EffectiveLevels,
    ) -> None:
        self._options = options
        self._rules = options.rules
        self._more = by_subject(options.more_rules)
        self._by_id = {rule.id: rule for rule in self._rules}
        baseline = options.baseline
        self._collector = Collector(
            self._rules,
            levels,
            limit=options.limit,
            accepts=None if baseline is None else partial(baseline.accepts, path),
        )
        self._place = parse(path)
        self._report = FileReport(self._place.display if self._place.is_url else path)

    def run(self, source: KeySource | None = None) -> FileReport:
        """The report; errors of reading are in it, nothing is raised for the file's content."""
        report = self._report
        try:
            source = source or self._open()
            if source is not None:
                try:
                    self._pass_over(source)
                finally:
                    source.close()
        except NotAStoreError as error:
            report.error = self._without_name(error.message)
            self._add(container_file.unreadable, Hit(report.error, error.hint))
        except FrameError as error:
            from zarrdb.frame import FrameFacts

            self._frame(FrameFacts(parse(report.file).display, problems=(error,)))
        except TruncatedError as error:
            self._add(container_file.truncated, Hit(self._without_name(error.message), error.hint))
        except CorruptError as error:
            self._damaged(error)
        except PluginError:
            raise
        except ZarrdbError as error:
            report.error = self._without_name(error.message).removeprefix("cannot be read: ")
        self._finish()
        return report

    def _open(self) -> KeySource | None:
        """The store's keys; None where there are none to be read: in a frame, in a ruin."""
        path, report = self._report.file, self._report
        far = self._place.is_url
        if far or identify(path).kind != "sqlite":
            remote = self._options.remote._replace(strict=False)
            found = open_any(self._place, timeout=self._options.timeout, remote=remote)
            report.far = far and not remote.download
            report.kind = found.kind
            if found.kind == "zip" and not far and not is_frame(found):
                self._members(found)
            if (database := self._from_afar(found)) is not None:
                self._container(self._facts_from_afar(database))
            if not is_frame(found):
                return found
            with closing(found):
                report.data_checked = self._options.data
                self._frame(found.inspect(data=self._options.data))
            return None
        integrity = self._wants_integrity()
        facts = inspect(path, integrity=integrity, timeout=self._options.timeout)
        report.kind = facts.kind
        report.integrity_checked = integrity
        self._container(facts)
        return self._open_database(facts)

    def _wants_integrity(self) -> bool:
        """Whether all bytes of a local file are to be read."""
        wanted = self._options.integrity
        if wanted is None:
            small = os.path.getsize(self._place.path) <= _INTEGRITY_LIMIT
            return self._options.data or small
        return wanted

    def _members(self, source: KeySource) -> None:
        """Have the checksums of a zip's members compared, where all bytes are to be read."""
        from zarrdb.lint.members import damaged_members

        self._report.integrity_checked = self._wants_integrity()
        if self._report.integrity_checked and (hit := damaged_members(source)) is not None:
            self._add(container_file.corrupt, hit)

    def _from_afar(self, source: object) -> "RemoteDatabase | None":
        """The source, if it is a `.zarrdb` behind a URL."""
        if not self._place.is_url:
            return None
        from zarrdb.db.remote import RemoteDatabase

        return source if isinstance(source, RemoteDatabase) else None

    def _facts_from_afar(self, database: "RemoteDatabase") -> ContainerFacts:
        """The facts of a file behind a URL; its pages are all read only if it was fetched."""
        report, wanted = self._report, self._options.integrity
        report.integrity_checked = not report.far and (wanted is None or wanted)
        return database.integrity() if report.integrity_checked else database.facts

    def _container(self, facts: ContainerFacts) -> None:
        self._collector.apply(self._more.get("container", ()), facts, set())
        found: set[str] = {f"container/{problem.reason}" for problem in facts.problems}
        for problem in facts.problems:
            rule = self._by_id[f"container/{problem.reason}"]
            if not self._collector.blocked(rule.id, found - {rule.id}):
                self._add(rule, Hit(problem.message, problem.hint))
                if rule is container_file.unreadable:
                    self._report.error = problem.message

    def _frame(self, facts: "FrameFacts") -> None:
        from zarrdb.lint.framecheck import judge_frame

        self._report.kind = "frame"
        self._report.error = judge_frame(facts, self._collector, self._more.get("frame", ()))

    def _open_database(self, facts: ContainerFacts) -> KeySource | None:
        if facts.data is None:
            return None
        path, timeout = self._report.file, self._options.timeout
        if facts.kind == "legacy":
            return Database.open_legacy(path, timeout=timeout)
        try:
            return Database.open(path, strict=False, timeout=timeout)
        except ContainerError:
            # Whatever keeps it shut has been reported with the facts.
            if self._collector.counts:
                return None
            raise

    def _pass_over(self, source: KeySource) -> None:
        with self._decoding(source) as decoding:
            self._scan(source, decoding)

    def _decoding(self, source: KeySource) -> "AbstractContextManager[DataWatch | None]":
        """What decodes the chunks, if that is wanted."""
        options = self._options
        self._report.data_checked = options.data
        if not options.data:
            return nullcontext()
        from zarrdb.lint.datawatch import DataWatch

        return DataWatch(source, options.jobs)

    def _scan(self, source: KeySource, decoding: "DataWatch | None") -> None:
        options = self._options
        scan = Scan(
            source,
            self._collector,
            options.scopes,
            self._more,
            decoding,
            options.progress,
            heads=not self._report.far,
        )
        try:
            with source.snapshot() if isinstance(source, Database) else nullcontext():
                scan.run()
                if (database := self._from_afar(source)) is not None:
                    self._report.sizes_checked = database.sizes_at_hand()
                # What breaks the rules for rows can only be told from all of them.
                if self._report.sizes_checked:
                    take_remarks(source.remarks(), self._collector, self._rules)
        finally:
            self._report.keys, self._report.documents = scan.keys, scan.documents
            self._collector.findings = located(self._collector.findings, source)
        if scan.damage is not None:
            self._damaged(scan.damage)

    def _damaged(self, error: CorruptError) -> None:
        """Report damage met while reading, unless the facts told of it already."""
        if not self._collector.counts["container/corrupt"]:
            self._add(container_file.corrupt, Hit(self._without_name(error.message), error.hint))

    def _add(self, rule: Rule[Any], hit: Hit) -> None:
        self._collector.add(rule, hit)

    def _without_name(self, message: str) -> str:
        name = printable(self._report.file)
        return message.removeprefix(f"{name}: ").removeprefix(f"{name} ")

    def _finish(self) -> None:
        report, collector = self._report, self._collector
        report.findings = sorted(collector.findings, key=place)
        report.counts, report.levels = collector.counts, collector.levels
        report.accepted = collector.accepted
