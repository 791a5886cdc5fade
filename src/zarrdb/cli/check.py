"""`zarrdb check`"""

from typing import TYPE_CHECKING, Annotated, Literal

from typer import Argument, Option

from zarrdb.cli import options
from zarrdb.cli.names import read_names
from zarrdb.cli.output import Output
from zarrdb.errors import UsageError

if TYPE_CHECKING:
    from zarrdb.lint import FileReport, Options, Report, Selection

_LATER = "is not part of this version yet"

# Findings of one rule and file that are shown without --max-findings.
_TEXT_FINDINGS = 20
_JSON_FINDINGS = 1000

Patterns = list[str] | None


def command(
    files: Annotated[
        list[str] | None,
        Argument(metavar="FILE|DIR...", help="Stores, or directories to search for *.zarrdb."),
    ] = None,
    select: Annotated[
        Patterns, Option("--select", metavar="RULES", help="Only these rules or families.")
    ] = None,
    ignore: Annotated[
        Patterns, Option("--ignore", metavar="RULES", help="Not these rules or families; wins.")
    ] = None,
    level: Annotated[
        Patterns, Option("--level", metavar="RULE=LEVEL", help="Report a rule at another level.")
    ] = None,
    fail_on: Annotated[
        Literal["error", "warning", "info", "never"],
        Option("--fail-on", help="The level from which on the exit code is 1; default: error."),
    ] = "error",
    max_findings: Annotated[
        str | None,
        Option("--max-findings", metavar="N|all", help="Shown of a rule and file; default: 20."),
    ] = None,
    require_chunks: Annotated[
        bool, Option("--require-chunks", help="Missing chunks are errors.")
    ] = False,
    integrity: Annotated[
        bool | None,
        Option("--integrity/--no-integrity", help="Read every page; default: up to 1 GB."),
    ] = None,
    data: Annotated[bool, Option("--data", help="Decode every chunk.")] = False,
    explain: Annotated[
        str | None, Option("--explain", metavar="RULE", help="Print the page of a rule.")
    ] = None,
    list_rules: Annotated[bool, Option("--list-rules", help="List the rules.")] = False,
    format: Annotated[
        Literal["text", "json"], Option("--format", help="How to print; default: text.")
    ] = "text",
    files_from: options.FilesFrom = None,
    null: options.Null = False,
    timeout: options.Timeout = None,
    json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = 0,
    color: options.Color = "auto",
) -> int:
    """Report what is wrong in stores: containers, keys, metadata documents and chunks.

    Nothing is changed. The exit code is 1 when a finding is as bad as --fail-on says, and 3
    when a file could not be read or is no store. RULES are ids, families or globs, separated
    by commas: `container/wal-mode`, `key`, `json/*`, `all`.

    Example:
        zarrdb check climate.zarrdb
        zarrdb check --fail-on warning --ignore container/free-pages shipped/
        zarrdb check --explain container/wal-mode
    """
    from zarrdb.lint import Options, Selection
    from zarrdb.lint.selection import parse_level

    out = Output(json=json or format == "json", quiet=quiet, verbose=verbose, color=color)
    levels = [parse_level(text) for text in level or ()]
    if require_chunks:
        levels.append(("chunk/missing", "error"))
    selection = Selection(_patterns(select) or ("all",), _patterns(ignore), tuple(levels))
    if explain is not None or list_rules:
        _show_rules(out, explain, selection)
        return 0
    if data:
        raise UsageError(f"--data: decoding chunks {_LATER}")
    names = [*(files or ()), *read_names(files_from, null=null)]
    if not names and files_from is None:
        raise UsageError("FILE is missing", hint="`zarrdb check FILE` or `zarrdb check DIR`")
    if max_findings is None:
        limit: int | None = _JSON_FINDINGS if out.json else _TEXT_FINDINGS
    else:
        limit = _number(max_findings)
    settings = Options(selection, limit, integrity=integrity, timeout=timeout or 5.0)
    return _check(out, names, settings).exit_code(fail_on)


def _check(out: Output, names: list[str], settings: "Options") -> "Report":
    from zarrdb.lint import check
    from zarrdb.lint.render import json_report, text
    from zarrdb.lint.targets import targets

    def print_file(report: "FileReport") -> None:
        for line in text.file_lines(report, out.style, infos=out.verbose > 0):
            out.line(line)

    report = check(targets(names), settings, done=None if out.json else print_file)
    if out.json:
        out.json_line(json_report.as_json(report, config=None))
    elif not out.quiet:
        out.line(text.summary_line(report, infos=out.verbose > 0))
    return report


def _show_rules(out: Output, explain: str | None, selection: "Selection") -> None:
    from zarrdb.lint.render.page import page_text, rule_rows
    from zarrdb.lint.rules import RULES
    from zarrdb.lint.selection import effective_levels, find_rule

    if explain is not None:
        out.line(page_text(find_rule(explain, RULES)))
        return
    levels = effective_levels(RULES, selection)
    if out.json:
        for rule in RULES:
            out.json_line(
                {
                    "rule": rule.id,
                    "level": levels.get(rule.id),
                    "fixable": rule.fixable,
                    "summary": rule.summary,
                }
            )
        return
    out.table(rule_rows(RULES, levels), heading=("rule", "level", "", "reports"))


def _patterns(values: Patterns) -> tuple[str, ...]:
    words = [word.strip() for value in values or () for word in value.split(",")]
    return tuple(word for word in words if word)


def _number(text: str) -> int | None:
    if text == "all":
        return None
    if not text.isdecimal():
        raise UsageError(f"--max-findings {text}: a number, or `all`")
    return int(text)
