"""What commands print: lines, tables and JSON on stdout; notes and errors on stderr.

Text is UTF-8 where the stream is and escaped (`\\xe9`) where it is not; no text can make
the output fail.
"""

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from shutil import get_terminal_size
from typing import IO, Literal, TextIO

from zarrdb.errors import TargetError, ZarrdbError
from zarrdb.keys import printable

SCHEMA = 1
"""The number that every JSON object or line begins with."""

When = Literal["auto", "always", "never"]

_STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}

# Column widths come from this many rows at a time, so that a million rows stream.
_TABLE_BATCH = 400


class ReaderGoneError(Exception):
    """The reader of the pipe went away; nothing more is wanted."""


class Output:
    """Where a command writes.

    `quiet` drops notes, never data or errors; `verbose` counts `-v`; `terminal` says whether
    stdout is one.
    """

    __slots__ = ("_color", "_sink", "_when", "json", "quiet", "terminal", "verbose")

    def __init__(
        self, *, json: bool = False, quiet: bool = False, verbose: int = 0, color: When = "auto"
    ) -> None:
        self.json = json
        self.quiet = quiet
        self.verbose = verbose
        self.terminal = is_terminal(sys.stdout)
        self._when = color
        self._color = use_color(color, sys.stdout)
        self._sink: Callable[[bytes], object] | None = None

    @contextmanager
    def redirected(self, write: Callable[[bytes], object]) -> Iterator[None]:
        """Hand what is printed inside to a function instead: bytes, and text in UTF-8."""
        before = self._sink, self.terminal, self._color
        self._sink, self.terminal, self._color = write, False, self._when == "always"
        try:
            yield
        finally:
            self._sink, self.terminal, self._color = before

    @property
    def width(self) -> int:
        """Columns of the terminal; `COLUMNS` where it is set, 80 where nobody knows."""
        return get_terminal_size((80, 24)).columns

    @property
    def unicode(self) -> bool:
        """Whether stdout takes any character; otherwise what it lacks is escaped."""
        encoding = getattr(sys.stdout, "encoding", None) or ""
        return self._sink is not None or "utf" in encoding.lower()

    def style(self, text: str, *styles: str) -> str:
        """The text in colour, if stdout is to have any: bold dim red green yellow cyan."""
        if not self._color or not styles:
            return text
        return f"\x1b[{';'.join(_STYLES[style] for style in styles)}m{text}\x1b[0m"

    def line(self, text: str = "", *, end: str = "\n") -> None:
        """A line of the result; control characters are the caller's to escape."""
        self._text(text + end)

    def json_line(self, members: dict[str, object]) -> None:
        """A JSON object on one line: ASCII, `schema` first, NaN and infinities as strings."""
        self._text(json_text({"schema": SCHEMA, **members}) + "\n")

    def data(self, data: bytes | memoryview) -> None:
        """Bytes of the result, exactly."""
        if self._sink is None:
            write_bytes(data)
        else:
            self._sink(bytes(data))

    def _text(self, text: str) -> None:
        if self._sink is None:
            write_text(text)
        else:
            self._sink(text.encode(errors="backslashreplace"))

    def table(
        self, rows: Iterable[Sequence[str]], *, heading: Sequence[str] = (), align: str = ""
    ) -> None:
        """Rows in columns: aligned on a terminal, tab-separated without heading elsewhere.

        `align` has a letter a column, `r` for those aligned to the right. Cells are escaped.
        """
        if not self.terminal:
            for row in rows:
                self.line("\t".join(map(printable, row)))
            return
        widths = [len(cell) for cell in heading]
        for batch in _batches(rows):
            widths = _widths(batch, widths)
            if heading:
                self.line(self.style(_aligned(heading, widths, align), "bold"))
                heading = ()
            for cells in batch:
                self.line(_aligned(cells, widths, align))

    def note(self, text: str) -> None:
        """A remark on stderr; `-q` drops it."""
        if not self.quiet:
            write_error(f"note: {text}\n")

    def detail(self, text: str) -> None:
        """A remark on stderr that only `-v` asks for."""
        if self.verbose:
            self.note(text)

    def error(self, error: ZarrdbError) -> int:
        """The two lines of an error that the run goes on after; returns its exit code."""
        show_error(error)
        return error.exit_code


def worst(codes: Iterable[int]) -> int:
    """The exit code of several files: 3 beats 1 beats 0."""
    return max(codes, default=0)


def json_text(value: object, *, indent: int | None = None, ascii_only: bool = True) -> str:
    """The value as JSON; NaN and infinities become the strings that Zarr gives them."""
    import json

    try:
        return json.dumps(value, allow_nan=False, indent=indent, ensure_ascii=ascii_only)
    except ValueError:
        value = _without_nan(value)
    return json.dumps(value, allow_nan=False, indent=indent, ensure_ascii=ascii_only)


def text_width(text: str) -> int:
    """Columns that printable text takes on a terminal."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(c) else 2 if east_asian_width(c) in "WF" else 1 for c in text)


def is_terminal(stream: IO[str] | None) -> bool:
    """Whether the stream is open and a terminal."""
    try:
        return stream is not None and stream.isatty()
    except ValueError:
        return False


def use_color(when: When, stream: IO[str] | None) -> bool:
    """Whether to colour: the option beats NO_COLOR, which beats FORCE_COLOR."""
    if when != "auto":
        return when == "always"
    if os.environ.get("NO_COLOR"):
        return False
    if os.environ.get("FORCE_COLOR"):
        return True
    return is_terminal(stream) and os.environ.get("TERM") != "dumb"


def write_text(text: str) -> None:
    """Write to stdout; raises ReaderGoneError, or TargetError where it cannot be written."""
    stream = stdout()
    try:
        stream.write(text)
    except OSError as error:
        raise _output_error(error) from None


def write_bytes(data: bytes | memoryview) -> None:
    """Write bytes to stdout, all of them, past the text layer."""
    stream = stdout()
    try:
        stream.flush()
        view = memoryview(data).cast("B")
        while view:
            # An unbuffered stream may take only a part.
            view = view[stream.buffer.write(view) :]
    except OSError as error:
        raise _output_error(error) from None


def flush() -> None:
    """Hand everything written to stdout to the system; raises as `write_text`."""
    try:
        if sys.stdout is not None:
            sys.stdout.flush()
    except OSError as error:
        raise _output_error(error) from None


def write_error(text: str) -> None:
    """Write to stderr; where that is closed or broken there is nobody to tell."""
    try:
        if sys.stderr is not None:
            sys.stderr.write(text)
            sys.stderr.flush()
    except (OSError, ValueError):
        pass


def show_error(error: ZarrdbError) -> None:
    """The two lines of an error on stderr: what happened and what to do."""
    lines = f"zarrdb: {_escaped(error.message)}\n"
    if error.hint:
        lines += f"hint: {_escaped(error.hint)}\n"
    write_error(lines)


def os_reason(error: OSError) -> str:
    """What the operating system says, in the words and case of our messages."""
    text = error.strerror or str(error)
    return text[:1].lower() + text[1:]


def stdout() -> TextIO:
    """Standard output. Raises TargetError where it is closed."""
    if sys.stdout is None:
        raise TargetError("cannot write the output: standard output is closed", hint="")
    return sys.stdout


def _output_error(error: OSError) -> Exception:
    if isinstance(error, BrokenPipeError):
        return ReaderGoneError()
    return TargetError(f"cannot write the output: {os_reason(error)}", hint="")


def _escaped(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))


def _without_nan(value: object) -> object:
    if isinstance(value, float) and value - value != 0:
        return "NaN" if value != value else "Infinity" if value > 0 else "-Infinity"
    if isinstance(value, dict):
        return {key: _without_nan(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_without_nan(item) for item in value]
    return value


def _batches(rows: Iterable[Sequence[str]]) -> Iterator[list[list[str]]]:
    batch: list[list[str]] = []
    for row in rows:
        batch.append([printable(cell) for cell in row])
        if len(batch) == _TABLE_BATCH:
            yield batch
            batch = []
    yield batch


def _widths(rows: list[list[str]], least: list[int]) -> list[int]:
    widths = list(least)
    for cells in rows:
        widths += [0] * (len(cells) - len(widths))
        for column, cell in enumerate(cells):
            widths[column] = max(widths[column], text_width(cell))
    return widths


def _aligned(cells: Sequence[str], widths: list[int], align: str) -> str:
    parts = []
    for column, cell in enumerate(cells):
        padding = " " * (widths[column] - text_width(cell))
        parts.append(padding + cell if align[column : column + 1] == "r" else cell + padding)
    return "  ".join(parts).rstrip()
