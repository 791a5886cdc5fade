"""How far a long command is: a bar, a line now and then, JSON, or nothing."""

import os
import signal
import sys
from contextlib import suppress
from threading import current_thread, main_thread
from time import localtime, monotonic, strftime
from types import FrameType, TracebackType
from typing import Self

from zarrdb.cli.options import ProgressMode
from zarrdb.cli.output import SCHEMA, is_terminal, json_text, text_width, write_error
from zarrdb.keys import printable
from zarrdb.units import size_text

# Seconds between two reports: a bar is for eyes, lines are for logs.
_INTERVALS = {"bar": 0.1, "json": 1.0, "plain": 30.0}


class Progress:
    """Reports on stderr while bytes and keys are handled; a context manager for one input.

    `auto` is a bar where stderr is a terminal and nothing otherwise, whatever the colour
    settings; `bar` becomes `plain` where there is none. `quiet` leaves only SIGUSR1, which
    prints a line at any time. Call `update` from the main thread.
    """

    def __init__(self, mode: ProgressMode, name: str, *, quiet: bool = False) -> None:
        terminal = is_terminal(sys.stderr) and os.environ.get("TERM") != "dumb"
        if quiet or (mode == "auto" and not terminal):
            mode = "none"
        elif mode == "auto":
            mode = "bar"
        elif mode == "bar" and not terminal:
            mode = "plain"
        self._mode = mode
        self._plain_name = name
        self._name = printable(name)
        self._keys = self._bytes = 0
        self._total_keys: int | None = None
        self._total_bytes: int | None = None
        self._started = monotonic()
        self._next = self._started + _INTERVALS.get(mode, 0.0)
        self._shown = 0
        self._before: object = None

    def expect(self, keys: int | None, size: int | None) -> None:
        """Say how much there is, once it is known."""
        self._total_keys, self._total_bytes = keys, size

    def update(self, keys: int, size: int) -> None:
        """Say how many keys and bytes are done, counted from the start."""
        self._keys, self._bytes = keys, size
        if self._mode != "none" and monotonic() >= self._next:
            self._next = monotonic() + _INTERVALS[self._mode]
            self._report()

    def __enter__(self) -> Self:
        if hasattr(signal, "SIGUSR1") and current_thread() is main_thread():
            self._before = signal.signal(signal.SIGUSR1, self._on_signal)
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._before is not None:
            signal.signal(signal.SIGUSR1, self._before)  # type: ignore[arg-type]
        self._wipe()

    def line(self) -> str:
        """Time, name, share, keys, bytes, rate and what is left, as far as they are known."""
        elapsed = max(monotonic() - self._started, 0.001)
        parts = [strftime("%H:%M:%S", localtime()), self._name]
        if self._total_bytes:
            parts.append(f"{self._bytes * 100 // self._total_bytes} %")
        parts.append(f"{self._keys:,} keys")
        parts.append(_amount(self._bytes, self._total_bytes))
        parts.append(f"{size_text(int(self._bytes / elapsed))}/s")
        if self._total_bytes and self._bytes:
            left = elapsed * (self._total_bytes - self._bytes) / self._bytes
            parts.append(f"{duration(left)} left")
        return "  ".join(parts)

    def _report(self) -> None:
        if self._mode == "json":
            write_error(json_text(self._members()) + "\n")
        elif self._mode == "plain":
            write_error(self.line() + "\n")
        else:
            self._draw()

    def _members(self) -> dict[str, object]:
        return {
            "schema": SCHEMA,
            "name": self._plain_name,
            "keys": self._keys,
            "bytes": self._bytes,
            "total_keys": self._total_keys,
            "total_bytes": self._total_bytes,
            "seconds": round(monotonic() - self._started, 3),
        }

    def _draw(self) -> None:
        from shutil import get_terminal_size

        text = self.line()[: get_terminal_size((80, 24)).columns - 1]
        width = text_width(text)
        write_error("\r" + text + " " * (self._shown - width))
        self._shown = width

    def _wipe(self) -> None:
        if self._shown:
            write_error("\r" + " " * self._shown + "\r")
            self._shown = 0

    def _on_signal(self, _number: int, _frame: FrameType | None) -> None:
        # Past sys.stderr, which the main thread may be in the middle of writing to.
        start = "\r" if self._shown else ""
        with suppress(OSError, ValueError):
            os.write(sys.stderr.fileno(), f"{start}{self.line()}\n".encode(errors="replace"))


def _amount(done: int, total: int | None) -> str:
    if total is None:
        return size_text(done)
    return f"{size_text(done)} of {size_text(total)}"


def duration(seconds: float) -> str:
    """A time as people say it: `96 s`, `2 min 30 s`, `5 h 33 min`."""
    whole = round(seconds)
    if whole < 100:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 100:
        return f"{minutes} min {rest} s"
    return f"{minutes // 60} h {minutes % 60} min"
