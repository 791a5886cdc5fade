"""`zarrdb check`"""

from typing import Annotated, Literal

from typer import Argument, Option

from zarrdb.cli import checking, options, reporting
from zarrdb.cli.names import read_names
from zarrdb.cli.output import Output
from zarrdb.errors import UsageError

Patterns = list[str] | None
Level = Literal["error", "warning", "info", "never"]
Format = Literal["text", "json", "sarif", "github", "junit"]


def command(
    files: Annotated[
        list[str] | None,
        Argument(
            metavar="FILE|DIR...", help="Stores, URLs of them, or directories with .zarrdb files."
        ),
    ] = None,
    select: Annotated[
        Patterns, Option("--select", metavar="RULES", help="Only these rules or families.")
    ] = None,
    ignore: Annotated[
        Patterns,
        Option(
            "--ignore", metavar="RULES", help="Leave out these rules or families; beats --select."
        ),
    ] = None,
    level: Annotated[
        Patterns, Option("--level", metavar="RULE=LEVEL", help="Report a rule at another level.")
    ] = None,
    fail_on: Annotated[
        Level | None,
        Option("--fail-on", help="The level from which on the exit code is 1; default: error."),
    ] = None,
    max_findings: Annotated[
        str | None,
        Option(
            "--max-findings",
            metavar="N|all",
            help="How many are shown of each rule and file; default: 20.",
        ),
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
        Format | None, Option("--format", help="What is printed; default: text.")
    ] = None,
    report: Annotated[
        list[str] | None,
        Option("--report", metavar="FORMAT=FILE", help="The same report in a file as well."),
    ] = None,
    config: Annotated[
        str | None,
        Option(
            "--config",
            metavar="FILE",
            help="Settings; default: zarrdb.toml or pyproject.toml above.",
        ),
    ] = None,
    no_config: Annotated[bool, Option("--no-config", help="No configuration file.")] = False,
    baseline: Annotated[
        str | None,
        Option("--baseline", metavar="FILE", help="Findings that are known and accepted."),
    ] = None,
    write_baseline: Annotated[
        str | None,
        Option("--write-baseline", metavar="FILE", help="Accept all findings of this run."),
    ] = None,
    fix: Annotated[bool, Option("--fix", help="Repair what can be, in .zarrdb files.")] = False,
    dry_run: options.DryRun = False,
    scope: Annotated[
        list[str] | None,
        Option(
            "--scope", metavar="core|installed|FILE.toml", help="What codecs and types are known."
        ),
    ] = None,
    plugin: Annotated[
        list[str] | None,
        Option("--plugin", metavar="NAME", help="Add the rules and definitions of a plugin."),
    ] = None,
    include: options.Include = None,
    exclude: options.Exclude = None,
    jobs: options.Jobs = None,
    progress: options.Progress = "auto",
    files_from: options.FilesFrom = None,
    null: options.Null = False,
    temp_dir: options.TempDir = None,
    timeout: options.Timeout = None,
    storage_option: options.StorageOption = None,
    max_bytes: options.MaxBytes = None,
    download: options.Download = False,
    json: options.Json = False,
    quiet: options.Quiet = False,
    verbose: options.Verbose = 0,
    color: options.Color = "auto",
) -> int:
    """Report what is wrong in stores: containers, keys, metadata documents and chunks.

    Nothing is changed without --fix. The exit code is 1 when a finding is as bad as --fail-on
    says, and 3 when a file could not be read or is no store. RULES are ids, families or globs,
    separated by commas: `container/wal-mode`, `key`, `json/*`, `all`.

    Example:
        zarrdb check climate.zarrdb
        zarrdb check --fail-on warning --ignore container/free-pages shipped/
        zarrdb check --explain container/wal-mode
    """
    from zarrdb.cli.opening import Reach, remote_options
    from zarrdb.lint import Options, Selection
    from zarrdb.lint.baseline import load_baseline
    from zarrdb.lint.extension import load_plugins
    from zarrdb.lint.rules import RULES
    from zarrdb.lint.selection import parse_level

    out = Output(json=json, quiet=quiet, verbose=verbose, color=color)
    settings = checking.configuration(config, wanted=not no_config)
    levels = [*settings.level, *map(parse_level, level or ())]
    if require_chunks:
        levels.append(("chunk/missing", "error"))
    selection = Selection(
        checking.patterns(select) or settings.select or ("all",),
        (*settings.ignore, *checking.patterns(ignore)),
        tuple(levels),
        include=tuple(include or ()),
        exclude=tuple(exclude or ()),
        overrides=settings.overrides,
    )
    brought = load_plugins((*settings.plugins, *(plugin or ())), RULES)
    checking.require_rules(settings, RULES + brought.rules)
    if explain is not None or list_rules:
        checking.show_rules(out, explain, selection, RULES + brought.rules)
        return 0
    names = [*(files or ()), *read_names(files_from, null=null)]
    if not names:
        raise UsageError("FILE is missing", hint="`zarrdb check FILE` or `zarrdb check DIR`")
    reports = reporting.where_to(format, report or (), settings, json=json)
    reporting.require_writable(reports, write_baseline)
    known = baseline or settings.baseline
    checks = Options(
        selection,
        None if write_baseline else checking.kept(max_findings, settings, reports),
        integrity=integrity,
        baseline=None if known is None or write_baseline else load_baseline(known),
        timeout=5.0 if timeout is None else timeout,
        scopes=checking.scopes((*(scope or ()),) or settings.scope, settings, brought.definitions),
        more_rules=brought.rules,
        data=data,
        jobs=jobs,
        remote=remote_options(Reach(storage_option, max_bytes, download, temp_dir), timeout),
    )
    if dry_run and not fix:
        raise UsageError("--dry-run goes with --fix", hint="a check alone never writes")
    stores = checking.stores(out, names)
    fixed, failed = 0, 0
    if fix:
        complete = checks._replace(limit=None, integrity=False)
        fixed, failed = checking.fix(out, stores, complete, dry_run=dry_run)
    threshold = fail_on or settings.fail_on or "error"
    result = checking.run(
        out, stores, checks, reports, threshold, settings, progress=progress, fixed=fixed
    )
    if write_baseline is not None:
        reporting.accept(out, write_baseline, result)
        return 3 if result.unreadable else 0
    return max(failed, result.exit_code(threshold))
