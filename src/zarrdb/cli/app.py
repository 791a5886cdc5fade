"""From the words on the command line to an exit code.

Only the module of the command that was asked for is imported, and only its parser built.
"""

import os
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from difflib import get_close_matches
from importlib import import_module
from threading import current_thread, main_thread
from types import FrameType
from typing import Annotated, NamedTuple, NoReturn

from typer import Argument, Option
from typer.core import TyperCommand

from zarrdb.cli import options
from zarrdb.cli.output import ReaderGoneError, flush, os_reason, show_error
from zarrdb.cli.parser import invoke, parser
from zarrdb.errors import UsageError, ZarrdbError


class Command(NamedTuple):
    """The module whose `command` function it is, and its line in the list."""

    module: str
    summary: str


COMMANDS = {
    "init": Command("zarrdb.cli.init", "Make a new, empty .zarrdb."),
    "ls": Command("zarrdb.cli.ls", "List groups and arrays, or keys."),
    "cat": Command("zarrdb.cli.cat", "Print the value of a key, byte for byte."),
    "info": Command("zarrdb.cli.info", "Describe a file, a group or an array."),
    "check": Command("zarrdb.cli.check", "Report what is wrong in a store."),
    "import": Command("zarrdb.cli.import_", "Turn a store into one .zarrdb file."),
    "export": Command("zarrdb.cli.export", "Write a .zarrdb out as a directory, zip or tar."),
    "vacuum": Command("zarrdb.cli.vacuum", "Lay a file out anew: small, and quick from afar."),
}
"""In the order in which help and manual list them."""

_LATER = ("diff",)


class Terminated(BaseException):
    """SIGTERM or SIGHUP arrived; like KeyboardInterrupt, nothing but `run` catches it."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.exit_code = 128 + number


def run(arguments: Sequence[str]) -> int:
    """Run the command line and return its exit code; never raises for what a user does."""
    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(errors="backslashreplace", newline="\n")
    try:
        with _leaving_nothing(), _signals():
            return _guarded(list(arguments))
    except KeyboardInterrupt:
        return 128 + signal.SIGINT
    except Terminated as stop:
        return stop.exit_code
    finally:
        _settle()


def build(name: str) -> TyperCommand:
    """The parser of one command, as its function's annotations and docstring describe it."""
    return parser(import_module(COMMANDS[name].module).command, name)


def root() -> TyperCommand:
    """The parser of what may stand before the command's name."""
    command = parser(_root, "zarrdb")
    command.allow_interspersed_args = False
    command.options_metavar = None
    width = max(map(len, COMMANDS))
    rows = "\n".join(f"  {name:{width}}  {entry.summary}" for name, entry in COMMANDS.items())
    command.help = f"{(command.help or '').rstrip()}\n\n\b\nCommands:\n{rows}"
    return command


def _root(
    command: Annotated[
        list[str] | None, Argument(metavar="COMMAND [OPTIONS] ARGUMENTS...", hidden=True)
    ] = None,
    completion: Annotated[
        str | None,
        Option("--completion", metavar="bash|zsh|fish", help="Print a shell's completion file."),
    ] = None,
    quiet: options.Quiet = False,
    verbose: options.Verbose = 0,
    color: options.Color = "auto",
) -> int:
    """Create, inspect, validate and convert .zarrdb files: a whole Zarr hierarchy in one SQLite file.

    Example:
        zarrdb import climate.zarr
        zarrdb ls -l climate.zarrdb
        zarrdb import --help
    """
    if completion is not None:
        from zarrdb.cli.completion import print_completion

        return print_completion(completion)
    if not command:
        raise UsageError(
            "no command given", hint=f"one of {' '.join(COMMANDS)}; `zarrdb --help` tells more"
        )
    shared = ["--quiet"] * quiet + ["--verbose"] * verbose + ["--color", color]
    return _dispatch(command[0], [*shared, *command[1:]])


def _guarded(arguments: list[str]) -> int:
    """Run, and turn what can go wrong into two lines and an exit code."""
    try:
        if arguments and not arguments[0].startswith("-"):
            code = _dispatch(arguments[0], arguments[1:])
        else:
            code = invoke(root(), "zarrdb", arguments)
        flush()
    except (ReaderGoneError, BrokenPipeError):
        return 141
    except UsageError as error:
        words = " ".join(["zarrdb", *(name for name in arguments[:1] if name in COMMANDS)])
        error.hint = error.hint or f"`{words} --help` shows what it takes"
        return _failed(error)
    except ZarrdbError as error:
        return _failed(error)
    except MemoryError:
        return _failed(ZarrdbError("out of memory", hint="-j 1 takes less, where there is a -j"))
    except OSError as error:
        if not error.filename:
            return _failed(ZarrdbError(os_reason(error)))
        message = f"{os.fsdecode(error.filename)}: {os_reason(error)}"
        return _failed(ZarrdbError(message, hint="check the permissions, and the disk"))
    except Exception as error:
        if os.environ.get("ZARRDB_DEBUG"):
            raise
        return _failed(_internal(error))
    return code


def _dispatch(name: str, arguments: list[str]) -> int:
    if name not in COMMANDS:
        _refuse(name)
    return invoke(build(name), f"zarrdb {name}", arguments)


def _refuse(name: str) -> NoReturn:
    if name in _LATER:
        raise UsageError(
            f"`{name}` is not part of this version yet", hint="`zarrdb --help` lists the commands"
        )
    near = get_close_matches(name, COMMANDS, n=1)
    if near:
        hint = f"did you mean `{near[0]}`? `zarrdb --help` lists the commands"
    elif os.path.exists(name):
        hint = f"the command comes first: `zarrdb ls {name}`"
    else:
        hint = f"one of {' '.join(COMMANDS)}"
    raise UsageError(f"no command `{name}`", hint=hint)


def _failed(error: ZarrdbError) -> int:
    """Report the error after what was already printed; its exit code stands."""
    with suppress(ReaderGoneError, ZarrdbError):
        flush()
    show_error(error)
    return error.exit_code


def _internal(error: Exception) -> ZarrdbError:
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    where = ""
    if trace is not None:
        where = f" ({os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno})"
    return ZarrdbError(
        f"internal error: {type(error).__name__}: {error}{where}",
        hint="please report it with the output of `zarrdb -V -v`; "
        "ZARRDB_DEBUG=1 shows where it comes from",
    )


@contextmanager
def _signals() -> Iterator[None]:
    """Turn SIGTERM and SIGHUP into an exception, so that what is half done is taken back."""
    if current_thread() is not main_thread():
        yield
        return
    numbers = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    # What somebody else handles stays theirs: nohup ignores SIGHUP.
    ours = [number for number in numbers if signal.getsignal(number) == signal.SIG_DFL]
    for number in ours:
        signal.signal(number, _terminate)
    try:
        yield
    finally:
        for number in ours:
            signal.signal(number, signal.SIG_DFL)


def _terminate(number: int, _frame: FrameType | None) -> None:
    raise Terminated(number)


@contextmanager
def _leaving_nothing() -> Iterator[None]:
    """Take away what was being written, if something interrupts that."""
    written = "zarrdb.unfinished"
    before = sys.modules[written].noted() if written in sys.modules else frozenset()
    try:
        yield
    finally:
        if written in sys.modules:
            sys.modules[written].remove(but=before)


def _settle() -> None:
    """Flush, and leave nothing to flush that would fail once more at the interpreter's end."""
    try:
        flush()
    except (ReaderGoneError, ZarrdbError, ValueError):
        try:
            sink = os.open(os.devnull, os.O_WRONLY)
            os.dup2(sink, sys.stdout.fileno())
            os.close(sink)
        except (OSError, ValueError):
            pass
