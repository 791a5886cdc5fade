"""Progress on stderr: what it looks like, and where it does not appear."""

import json
import os
import re
import signal
import sys
import tempfile
from collections.abc import Callable

import pytest

from helpers_cli import Stream
from zarrdb.cli import progress
from zarrdb.cli.options import ProgressMode
from zarrdb.cli.progress import Progress

MIB = 1 << 20


class Clock:
    """Time that passes when it is told to."""

    def __init__(self) -> None:
        self.now = 1000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    clock = Clock()
    monkeypatch.setattr(progress, "monotonic", clock)
    return clock


@pytest.fixture
def errors(monkeypatch: pytest.MonkeyPatch) -> Callable[..., Stream]:
    def set_stderr(*, terminal: bool = False) -> Stream:
        stream = Stream(terminal=terminal)
        monkeypatch.setattr(sys, "stderr", stream)
        return stream

    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM"):
        monkeypatch.delenv(name, raising=False)
    return set_stderr


def copy(clock: Clock, mode: ProgressMode, *, quiet: bool = False) -> None:
    """Report on a copy of 100 MiB that takes a hundred seconds."""
    with Progress(mode, "p013\x1b.zarrdb", quiet=quiet) as shown:
        shown.expect(1000, 100 * MIB)
        for second in range(100):
            clock.now += 1
            shown.update(10 * second, second * MIB)


@pytest.mark.parametrize("environment", [{}, {"FORCE_COLOR": "1"}, {"CI": "true"}])
@pytest.mark.parametrize("mode", ["auto", "none"])
def test_nothing_where_there_is_no_terminal(
    clock: Clock,
    errors: Callable[..., Stream],
    monkeypatch: pytest.MonkeyPatch,
    mode: ProgressMode,
    environment: dict[str, str],
) -> None:
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    stream = errors()
    copy(clock, mode)
    assert stream.value() == b""


@pytest.mark.parametrize("mode", ["auto", "bar", "plain", "json"])
def test_quiet_says_nothing(
    clock: Clock, errors: Callable[..., Stream], mode: ProgressMode
) -> None:
    stream = errors(terminal=True)
    copy(clock, mode, quiet=True)
    assert stream.value() == b""


@pytest.mark.parametrize(("terminal", "term"), [(False, "xterm"), (True, "dumb")])
def test_a_bar_needs_a_terminal_that_can(
    clock: Clock,
    errors: Callable[..., Stream],
    monkeypatch: pytest.MonkeyPatch,
    terminal: bool,
    term: str,
) -> None:
    monkeypatch.setenv("TERM", term)
    stream = errors(terminal=terminal)
    copy(clock, "auto")
    assert stream.value() == b""
    copy(clock, "bar")
    assert b"\r" not in stream.value()
    assert stream.value().count(b"\n") == 3


def test_a_bar_stays_on_its_line_and_is_wiped(clock: Clock, errors: Callable[..., Stream]) -> None:
    stream = errors(terminal=True)
    copy(clock, "auto")
    text = stream.value().decode()
    frames = text.split("\r")
    assert "\n" not in text
    assert len(frames) > 90
    assert max(map(len, frames)) < 80
    assert frames[-2].strip() == frames[-1] == ""
    assert "p013\\x1b.zarrdb  50 %  500 keys  50.0 MiB of 100.0 MiB" in text


def test_plain_is_a_line_every_half_minute(clock: Clock, errors: Callable[..., Stream]) -> None:
    stream = errors()
    copy(clock, "plain")
    lines = stream.value().decode().splitlines()
    assert len(lines) == 3
    assert re.fullmatch(
        r"\d\d:\d\d:\d\d  p013\\x1b\.zarrdb  29 %  290 keys  29\.0 MiB of 100\.0 MiB  "
        r"989\.\d KiB/s  73 s left",
        lines[0],
    )


def test_json_is_an_object_a_second(clock: Clock, errors: Callable[..., Stream]) -> None:
    stream = errors()
    copy(clock, "json")
    objects = [json.loads(line) for line in stream.value().splitlines()]
    assert len(objects) == 100
    assert next(iter(objects[0])) == "schema"
    assert objects[-1] == {
        "schema": 1,
        "name": "p013\x1b.zarrdb",
        "keys": 990,
        "bytes": 99 * MIB,
        "total_keys": 1000,
        "total_bytes": 100 * MIB,
        "seconds": 100.0,
    }


@pytest.mark.skipif(not hasattr(signal, "SIGUSR1"), reason="POSIX signals")
def test_a_signal_prints_a_line_at_any_time(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    before = signal.getsignal(signal.SIGUSR1)
    with tempfile.TemporaryFile("w+") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        with Progress("none", "x") as shown:
            shown.update(3, 2048)
            clock.now += 4
            os.kill(os.getpid(), signal.SIGUSR1)
        stream.seek(0)
        assert re.fullmatch(r"[\d:]{8}  x  3 keys  2\.0 KiB  512 B/s\n", stream.read())
    assert signal.getsignal(signal.SIGUSR1) == before


@pytest.mark.parametrize(
    ("seconds", "text"), [(0.4, "0 s"), (99, "99 s"), (150, "2 min 30 s"), (20000, "5 h 33 min")]
)
def test_durations(seconds: float, text: str) -> None:
    assert progress.duration(seconds) == text
