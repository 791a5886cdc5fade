"""A command's parser from its function, and the parser's complaints in our words."""

from collections.abc import Callable
from inspect import cleandoc
from typing import Any, NamedTuple, cast

import typer
from typer.core import TyperArgument, TyperCommand, TyperOption
from typer.main import get_command

from zarrdb.cli.output import write_text
from zarrdb.errors import UsageError

# What the parser calls its types, and what people call them.
_WORDS = (
    ("a valid int range", "a whole number"),
    ("a valid integer range", "a whole number"),
    ("a valid integer", "a whole number"),
    ("a valid float range", "a number"),
    ("a valid float", "a number"),
)

# The base of typer's usage errors, which has no public name of its own.
ParserError: type[Exception] = typer.BadParameter.__bases__[0]


class Flag(NamedTuple):
    """An option: its names, its help, and what its value may be.

    `takes` is empty for a switch, `file` or `dir` for a path, the words to choose from
    separated by spaces, or `text` for anything else. `metavar` is what help calls it.
    """

    names: list[str]
    help: str
    takes: str = ""
    metavar: str = ""
    many: bool = False

    @property
    def shown(self) -> str:
        """As help and manual show it: `-o, --output FILE`."""
        return f"{', '.join(self.names)} {self.metavar}".rstrip()


class _Command(TyperCommand):
    """A command whose help names things as the documentation does."""

    def get_help_option(self, context: Any) -> Any:
        option: Any = super().get_help_option(context)
        if option is not None:
            option.callback = _show_help
        return option

    def collect_usage_pieces(self, _ctx: Any) -> list[str]:
        names = [name for name, _ in arguments(self, hidden=True)]
        return [self.options_metavar, *names] if self.options_metavar else names

    def format_options(self, _ctx: Any, formatter: Any) -> None:
        options = [(flag.shown, flag.help) for flag in flags(self)]
        for title, rows in (("Arguments", arguments(self)), ("Options", options)):
            if rows:
                with formatter.section(title):
                    formatter.write_dl(rows)


def parser(function: Callable[..., object], name: str) -> TyperCommand:
    """The parser that a function's annotations and docstring describe.

    What follows `Example:` in the docstring ends the help.
    """
    text, _, example = cleandoc(function.__doc__ or "").partition("Example:\n")
    app = typer.Typer(add_completion=False, rich_markup_mode=None, pretty_exceptions_enable=False)
    app.command(
        name,
        help=text,
        epilog=f"\b\nExample:\n{example}",
        cls=_Command,
        context_settings={"help_option_names": ["-h", "--help"]},
    )(function)
    command = cast(TyperCommand, get_command(app))
    command.params.append(_version_option())
    return command


def arguments(command: TyperCommand, *, hidden: bool = False) -> list[tuple[str, str]]:
    """Name and help of the arguments of a command."""
    found = [p for p in command.params if isinstance(p, TyperArgument)]
    return [(p.metavar or "", p.help or "") for p in found if hidden or not p.hidden]


def flags(command: TyperCommand) -> list[Flag]:
    """The options of a command, in the order of its help."""
    options = [p for p in command.params if isinstance(p, TyperOption) and not p.hidden]
    return [
        *map(_flag, options),
        Flag(["-h", "--help"], "Show this message and exit."),
    ]


def _flag(option: TyperOption) -> Flag:
    names = [*sorted(option.opts, key=len), *option.secondary_opts]
    text = option.help or ""
    if option.is_flag or option.count:
        return Flag(names, text, many=option.count)
    choices = [str(choice) for choice in getattr(option.type, "choices", ())]
    metavar = option.metavar or "|".join(choices) or "TEXT"
    words = choices or [word for word in metavar.split("|") if word.islower()]
    if metavar in ("DIR", "FILE", "FILE|-"):
        takes = "dir" if metavar == "DIR" else "file"
    else:
        takes = " ".join(words) if words and "|" in metavar else "text"
    return Flag(names, text, takes, metavar, option.multiple)


def invoke(command: TyperCommand, program: str, arguments: list[str]) -> int:
    """Parse the arguments and run the command; raises UsageError where they are wrong."""
    try:
        with command.make_context(program, arguments, obj=tuple(arguments)) as context:
            code = command.invoke(context)
            return code if isinstance(code, int) else 0
    except typer.Exit as done:
        return done.exit_code
    except ParserError as error:
        raise _usage_error(error, program) from None


def _version_option() -> TyperOption:
    return TyperOption(
        param_decls=["--version", "-V"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_show_version,
        help="The version; with -v what a bug report needs.",
    )


def _show_help(context: typer.Context, _parameter: object, wanted: bool) -> None:
    if wanted and not context.resilient_parsing:
        write_text(f"{context.get_help()}\n")
        raise typer.Exit


def _show_version(context: typer.Context, _parameter: object, wanted: bool) -> None:
    if not wanted or context.resilient_parsing:
        return
    from zarrdb.cli.version import print_version

    # Eager options come before the others are read: -v is looked for in the words.
    words = [word for word in context.obj if word.startswith("-")]
    print_version(verbose=any(w == "--verbose" or (w[1:2] != "-" and "v" in w) for w in words))
    raise typer.Exit


def _usage_error(error: Exception, program: str) -> UsageError:
    kind = type(error).__name__
    message = str(getattr(error, "message", "") or error)
    hint = f"`{program} --help` shows what it takes"
    parameter = getattr(error, "param", None)
    if kind == "NoSuchOption":
        message = f"no option `{getattr(error, 'option_name', '')}`"
        near = sorted(getattr(error, "possibilities", None) or ())
        if near:
            hint = f"did you mean {' or '.join(f'`{name}`' for name in near)}? {hint}"
    elif kind == "MissingParameter" and parameter is not None:
        message = f"{_name(parameter)} is missing"
    elif parameter is not None:
        message = f"{_name(parameter)}: {_lowered(message)}"
    else:
        message = _lowered(message)
    return UsageError(message, hint=hint)


def _name(parameter: object) -> str:
    names = getattr(parameter, "opts", [])
    if getattr(parameter, "param_type_name", "") == "argument":
        names = [(getattr(parameter, "metavar", None) or names[0]).strip("[].")]
    return f"`{names[0]}`"


def _lowered(message: str) -> str:
    for theirs, ours in _WORDS:
        message = message.replace(theirs, ours)
    return (message[:1].lower() + message[1:]).rstrip(".").replace("'", "`")
