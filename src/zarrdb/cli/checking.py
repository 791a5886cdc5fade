"""What `zarrdb check` does with its options: configuration, the run, and repairs."""

import os
from collections.abc import Iterable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING, Any

from zarrdb.cli import reporting
from zarrdb.cli.options import ProgressMode
from zarrdb.cli.output import Output
from zarrdb.cli.progress import Progress
from zarrdb.errors import ConfigError, UsageError
from zarrdb.keys import printable
from zarrdb.location import parse

if TYPE_CHECKING:
    from zarrdb.lint import FileReport, Options, Report, Selection
    from zarrdb.lint.baseline import Baseline, Entry
    from zarrdb.lint.config import Config
    from zarrdb.lint.report import FailOn
    from zarrdb.lint.rule import Rule
    from zarrdb.lint.scopes import Scopes
    from zarrdb.metadata import Definition

# Findings of one rule and file that are kept without --max-findings.
_TEXT_FINDINGS = 20
_OTHER_FINDINGS = 1000


def configuration(path: str | None, *, wanted: bool) -> "Config":
    """The configuration file given, that of ZARRDB_CONFIG, or the nearest one."""
    from zarrdb.lint.config import Config, find_config, load_config

    if not wanted:
        return Config()
    path = path or os.environ.get("ZARRDB_CONFIG") or find_config(os.getcwd())
    return Config() if path is None else load_config(path)


def require_rules(config: "Config", rules: "Iterable[Rule[Any]]") -> None:
    """Raise ConfigError, naming the file, where a configuration names a rule that is none."""
    from zarrdb.lint.selection import EffectiveLevels, Selection

    try:
        EffectiveLevels(
            rules,
            Selection(
                config.select or ("all",), config.ignore, config.level, overrides=config.overrides
            ),
        )
    except UsageError as error:
        raise ConfigError(f"{config.path}: {error.message}", hint=error.hint) from None


def kept(max_findings: str | None, config: "Config", reports: reporting.Reports) -> int | None:
    """How many findings of a rule and file are kept."""
    text = max_findings if max_findings is not None else config.max_findings
    if text is None:
        only_text = reports.format == "text" and not reports.files
        return _TEXT_FINDINGS if only_text else _OTHER_FINDINGS
    if text == "all":
        return None
    if not str(text).isdecimal():
        raise UsageError(f"--max-findings {text}: a number, or `all`")
    return int(text)


def scopes(names: Iterable[str], config: "Config", more: "Iterable[Definition[Any]]") -> "Scopes":
    """The scopes that --scope names, or the configuration declares; else the core.

    `more` is what plugins define.
    """
    from zarrdb.lint.scopes import project_scopes, scope_table

    tables: list[tuple[str, Any]] = []
    for name in names:
        if name == "core":
            tables.append((name, {}))
        elif name == "installed":
            from zarrdb.arrays.installed import installed_table

            tables.append((name, installed_table()))
        else:
            tables.append((name, scope_table(name)))
    if not tables and config.path is not None and config.scope_table is not None:
        tables.append((config.path, config.scope_table))
    return project_scopes(tables, more)


def patterns(values: Iterable[str] | None) -> tuple[str, ...]:
    """Names separated by commas, of an option that may come several times."""
    words = [word.strip() for value in values or () for word in value.split(",")]
    return tuple(word for word in words if word)


def stores(out: Output, names: Iterable[str]) -> list[str]:
    """The stores that the names stand for. Raises UsageError where there are none."""
    from zarrdb.lint.targets import targets

    found = targets(names)
    if found.passed_over:
        more = len(found.passed_over) - 1
        out.note(
            f"{printable(found.passed_over[0])}{f' and {more:,} more' if more else ''}:"
            " not checked; directory stores have to be named"
        )
    return found.stores


def run(
    out: Output,
    stores: Iterable[str],
    options: "Options",
    reports: reporting.Reports,
    fail_on: "FailOn",
    config: "Config",
    *,
    progress: ProgressMode = "auto",
    fixed: int = 0,
) -> "Report":
    """Check the stores, and write all reports."""
    from zarrdb.lint import check
    from zarrdb.lint.render import text

    in_text = reports.format == "text"
    shown = _Shown(progress, quiet=out.quiet)

    def finish_file(report: "FileReport") -> None:
        shown.stop()
        if in_text:
            for line in text.file_lines(report, out.style, infos=out.verbose > 0):
                out.line(line)

    if out.verbose and config.path:
        out.note(f"configuration: {config.path}")
    options = options._replace(progress=shown.update)
    with ExitStack() as stack:
        stack.callback(shown.stop)
        report = check(shown.each(stores), options, done=finish_file)
    report.fixed = fixed
    if reports.files or not in_text:
        reporting.render(out, report, reports, options, fail_on, config)
    if in_text and not out.quiet:
        out.line(text.summary_line(report, infos=out.verbose > 0))
    if options.baseline is not None:
        for entry in _stale(options.baseline, options, report):
            out.note(
                f"{options.baseline.path}: stale: {entry.file}: {entry.key} {entry.rule} is gone"
            )
    return report


def _stale(baseline: "Baseline", options: "Options", report: "Report") -> "Iterator[Entry]":
    """Entries of a baseline that this run has looked for and not met."""
    from zarrdb.lint.rule import rules_of
    from zarrdb.lint.rules import chunk_data
    from zarrdb.lint.selection import EffectiveLevels

    levels = EffectiveLevels(options.rules, options.selection)
    undecoded = set() if options.data else {rule.id for rule in rules_of(chunk_data)}
    for entry in baseline.stale(each.file for each in report.files if each.error is None):
        if entry.rule not in undecoded and levels(entry.rule, entry.key) is not None:
            yield entry


class _Shown:
    """The progress of one file after the other."""

    def __init__(self, mode: ProgressMode, *, quiet: bool) -> None:
        self._mode = mode
        self._quiet = quiet
        self._of_file: Progress | None = None

    def each(self, names: Iterable[str]) -> Iterator[str]:
        """The names; with each its progress begins."""
        for name in names:
            self._of_file = Progress(self._mode, parse(name).name, quiet=self._quiet)
            self._of_file.__enter__()
            yield name

    def update(self, keys: int, size: int) -> None:
        """Say how much of the file has been seen."""
        if self._of_file is not None:
            self._of_file.update(keys, size)

    def stop(self) -> None:
        """End that of the file."""
        if self._of_file is not None:
            self._of_file.__exit__(None, None, None)
            self._of_file = None


def fix(
    out: Output, stores: Iterable[str], options: "Options", *, dry_run: bool
) -> tuple[int, int]:
    """Repair what can be repaired, or show how; the number of repairs, and an exit code.

    What is no `.zarrdb` is left alone.
    """
    from zarrdb.detect import identify
    from zarrdb.errors import ZarrdbError
    from zarrdb.lint import check_file
    from zarrdb.lint.fix import plan

    count, code = 0, 0
    for name in stores:
        place = parse(name)
        if place.is_url or identify(place).kind != "sqlite":
            out.note(f"{place.display}: not changed: --fix writes only .zarrdb files")
            continue
        try:
            planned = plan(name, check_file(name, options).findings, timeout=options.timeout)
            if planned.repairs and not dry_run:
                planned.apply(timeout=options.timeout)
        except ZarrdbError as error:
            code = max(code, out.error(error))
            continue
        count += len(planned.repairs)
        for repair in planned.repairs:
            out.note(f"{'would be fixed' if dry_run else 'fixed'}: {repair.line(name)}")
        if dry_run and not out.json:
            for line in planned.diff():
                out.line(line)
    return (0 if dry_run else count), code


def show_rules(
    out: Output, explain: str | None, selection: "Selection", rules: "tuple[Rule[Any], ...]"
) -> None:
    """Print the page of one rule, or a row for each."""
    from zarrdb.lint.render.page import page_text, rule_rows
    from zarrdb.lint.selection import EffectiveLevels, find_rule

    if explain is not None:
        out.line(page_text(find_rule(explain, rules)))
        return
    levels = EffectiveLevels(rules, selection).by_rule
    if not out.json:
        out.table(rule_rows(rules, levels), heading=("rule", "level", "", "reports"))
        return
    for rule in rules:
        level = levels.get(rule.id)
        members = {"rule": rule.id, "level": level, "fixable": rule.fixable}
        out.json_line({**members, "summary": rule.summary})
