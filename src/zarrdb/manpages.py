"""Man pages, as roff, from the commands' parameters and docstrings."""

from collections.abc import Iterable, Iterator
from inspect import cleandoc
from typing import TYPE_CHECKING, Any

from typer.core import TyperCommand

from zarrdb._version import __version__
from zarrdb.cli.app import COMMANDS, build, root
from zarrdb.cli.parser import arguments, flags

if TYPE_CHECKING:
    from zarrdb.lint.rule import Rule

_EXIT_STATUS = {
    "0": "Done, and nothing to report.",
    "1": "The answer is no: findings at or above --fail-on, a difference, no such node or key.",
    "2": "The command line or a configuration file is wrong; nothing was done.",
    "3": "Something could not be read or written. With several files the others were still done, "
    "and 3 beats 1 beats 0.",
    "130, 143, 141": "SIGINT, SIGTERM, the reader of the pipe went away.",
}

_ENVIRONMENT = {
    "NO_COLOR, FORCE_COLOR": "Never or always colour, where --color is auto. Neither draws bars.",
    "COLUMNS": "The width of help, tables and pages.",
    "SOURCE_DATE_EPOCH": "The time that new files are given, in seconds since 1970.",
    "SLURM_CPUS_PER_TASK": "An upper bound of --jobs, besides the CPUs that the process may use.",
    "ZARRDB_CONFIG": "The configuration file of check.",
    "ZARRDB_DEBUG": "Show where an internal error comes from.",
}

_FILES = {
    "NAME.zarrdb": "A SQLite database with the table zarr of keys and values. It is whole by "
    "itself whenever nobody has it open for writing.",
    "NAME.zarrdb-wal, NAME.zarrdb-journal": "Changes in progress, or left by a crash. They belong "
    "to the file: move, copy and delete them with it.",
}

_NOTES = """
A store is read in one consistent state by check, export, import and vacuum; a process that
wants to write to it meanwhile waits, unless the file is in WAL mode.

Looking at a file never changes it, and leaves nothing beside it.
"""


def main_page() -> str:
    """The page `zarrdb(1)`."""
    command = root()
    description = (command.help or "").partition("\n\n\b")[0]
    parts = [
        _title("ZARRDB", 1),
        _section(
            "NAME", [_text(f"zarrdb - {description[:1].lower()}{description[1:].rstrip('.')}")]
        ),
        _section(
            "SYNOPSIS", ["\\fBzarrdb\\fR \\fICOMMAND\\fR [\\fIOPTIONS\\fR] \\fIARGUMENTS\\fR..."]
        ),
        _section(
            "COMMANDS",
            _definitions((f"zarrdb-{name}(1)", entry.summary) for name, entry in COMMANDS.items()),
        ),
        _section("OPTIONS", _options(command)),
        _section("EXIT STATUS", _definitions(_EXIT_STATUS.items())),
        _section("ENVIRONMENT", _definitions(_ENVIRONMENT.items())),
        _section("FILES", _definitions(_FILES.items())),
        _section("NOTES", [_text(_NOTES)]),
        _section("EXAMPLES", [_block(command.epilog or "")]),
        _section("SEE ALSO", ["\\fBzarrdb\\-rules\\fR(7): what check finds"]),
    ]
    return "".join(parts)


def command_page(name: str) -> str:
    """The page `zarrdb-NAME(1)` of one command."""
    command = build(name)
    synopsis = " ".join(f"\\fI{_escaped(name)}\\fR" for name, _ in arguments(command))
    summary = COMMANDS[name].summary.rstrip(".")
    parts = [
        _title(f"ZARRDB-{name.upper()}", 1),
        _section("NAME", [_text(f"zarrdb-{name} - {summary[:1].lower()}{summary[1:]}")]),
        _section("SYNOPSIS", [f"\\fBzarrdb {name}\\fR [\\fIOPTIONS\\fR] {synopsis}"]),
        _section("DESCRIPTION", [_text(command.help or "")]),
        _section("ARGUMENTS", _definitions(arguments(command))),
        _section("OPTIONS", _options(command)),
        _section("EXAMPLES", [_block(command.epilog or "")]),
        _section("SEE ALSO", ["\\fBzarrdb\\fR(1): exit status, environment, files"]),
    ]
    return "".join(parts)


def rules_page() -> str:
    """The page `zarrdb-rules(7)`: every rule of `check`, from the rules themselves."""
    from zarrdb.lint.rules import RULES

    parts = [
        _title("ZARRDB-RULES", 7),
        _section("NAME", [_text("zarrdb-rules - what `zarrdb check` finds")]),
    ]
    for family in dict.fromkeys(rule.family for rule in RULES):
        entries = [_rule(rule) for rule in RULES if rule.family == family]
        parts.append(_section(family.upper(), entries))
    parts.append(_section("SEE ALSO", ["\\fBzarrdb-check\\fR(1)"]))
    return "".join(parts)


def rules_table() -> str:
    """The rules as a Markdown table."""
    from zarrdb.lint.rules import RULES

    rows = [
        f"| `{rule.id}` | {rule.level} | {'yes' if rule.fixable else ''} | {rule.summary} |\n"
        for rule in RULES
    ]
    return "\n| rule | level | `--fix` | |\n| --- | --- | --- | --- |\n" + "".join(rows) + "\n"


def _title(name: str, section: int) -> str:
    return f'.TH "{name}" "{section}" "" "zarrdb {__version__}" "zarrdb"\n'


def _section(name: str, lines: Iterable[str]) -> str:
    body = "\n".join(lines)
    return f".SH {name}\n{body}\n" if body.strip() else ""


def _options(command: TyperCommand) -> Iterator[str]:
    return _definitions((flag.shown, flag.help) for flag in flags(command))


def _rule(rule: "Rule[Any]") -> str:
    said = [f"{rule.summary}.", rule.why and f"Why: {rule.why}", rule.fix and f"Fix: {rule.fix}"]
    text = "\n.br\n".join(_text(line) for line in said if line)
    return f".TP\n\\fB{_escaped(f'{rule.id} ({rule.level})')}\\fR\n{text}"


def _definitions(rows: Iterable[tuple[str, str]]) -> Iterator[str]:
    for term, text in rows:
        yield f".TP\n\\fB{_escaped(term)}\\fR\n{_text(text)}"


def _text(text: str) -> str:
    paragraphs = cleandoc(text).split("\n\n")
    return "\n.PP\n".join(_escaped(" ".join(p.split())) for p in paragraphs)


def _block(text: str) -> str:
    lines = cleandoc(text.replace("\b", "")).partition("\n")[2]
    return f".nf\n{_escaped(lines)}\n.fi"


def _escaped(text: str) -> str:
    lines = text.replace("\\", "\\e").replace("-", "\\-").replace("`", "\\(ga").split("\n")
    return "\n".join(f"\\&{line}" if line[:1] in (".", "'") else line for line in lines)
