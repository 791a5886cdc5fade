"""A command's parser from its function, and the parser's complaints in our words."""

from collections.abc import Callable
from inspect import cleandoc
from typing import cast

import typer
from typer.core import TyperCommand, TyperOption
from typer.main import get_command

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
        context_settings={"help_option_names": ["-h", "--help"]},
    )(function)
    command = cast(TyperCommand, get_command(app))
    command.params.append(_version_option())
    for parameter in command.params:
        # Help texts name a default where it is not plain.
        cast(TyperOption, parameter).show_default = False
    return command


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
