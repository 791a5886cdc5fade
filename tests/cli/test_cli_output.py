"""What commands print, apart from what they say."""

import json
import math
import sys
from collections.abc import Callable, Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_cli import Stream
from zarrdb.cli.output import Output, json_text, text_width, use_color, worst
from zarrdb.units import size_text

Use = Callable[..., Stream]


@pytest.fixture
def use(monkeypatch: pytest.MonkeyPatch) -> Use:
    """Replace standard output by a stream in memory."""
    for name in ("NO_COLOR", "FORCE_COLOR", "COLUMNS", "TERM"):
        monkeypatch.delenv(name, raising=False)

    def set_stdout(encoding: str = "utf-8", *, terminal: bool = False) -> Stream:
        stream = Stream(encoding, terminal=terminal)
        monkeypatch.setattr(sys, "stdout", stream)
        return stream

    return set_stdout


@pytest.mark.parametrize("encoding", ["utf-8", "ascii", "latin-1", "cp1252"])
def test_any_text_is_printed_in_any_encoding(use: Use, encoding: str) -> None:
    stream = use(encoding)
    Output().line("µ中\udc80\U0001f600")
    text = stream.value()
    assert text.endswith(
        b"\\udc80" + ("\U0001f600" if encoding == "utf-8" else "\\U0001f600").encode() + b"\n"
    )


def test_bytes_and_text_keep_their_order(use: Use) -> None:
    stream = use()
    out = Output()
    out.line("a")
    out.data(bytes(range(256)))
    out.data(memoryview(b"12345678").cast("I"))
    out.line("b", end="")
    assert stream.value() == b"a\n" + bytes(range(256)) + b"12345678b"


def test_a_stream_that_takes_bytes_in_parts(monkeypatch: pytest.MonkeyPatch) -> None:
    taken = bytearray()

    class Partial:
        buffer: "Partial"

        def write(self, data: memoryview) -> int:
            taken.extend(data[:3])
            return min(3, len(data))

        def flush(self) -> None:
            pass

        def isatty(self) -> bool:
            return False

    stream = Partial()
    stream.buffer = stream
    monkeypatch.setattr(sys, "stdout", stream)
    Output().data(b"0123456789")
    assert bytes(taken) == b"0123456789"


ROWS = [("array", "a\tb", "1"), ("group", "中文", "22222"), ("x", "\x1b[2J", "3", "more")]


def test_table_on_a_pipe_has_tabs_and_no_heading(use: Use) -> None:
    stream = use()
    Output().table(ROWS, heading=("kind", "name", "n"), align="llr")
    assert stream.value().decode().splitlines() == [
        "array\ta\\x09b\t1",
        "group\t中文\t22222",
        "x\t\\x1b[2J\t3\tmore",
    ]


def test_table_on_a_terminal_is_aligned(use: Use) -> None:
    stream = use(terminal=True)
    Output(color="never").table(ROWS, heading=("kind", "name", "n"), align="llr")
    lines = stream.value().decode().splitlines()
    assert [line[:5].rstrip() for line in lines] == ["kind", "array", "group", "x"]
    ends = [text_width(line.removesuffix("  more")) for line in lines]
    assert len(set(ends)) == 1
    assert lines[-1].endswith("  more")


def test_table_streams(use: Use) -> None:
    stream = use(terminal=True)

    def rows() -> Iterator[tuple[str, str]]:
        for number in range(2000):
            if number == 1500:
                assert b"999" in stream.value()
            yield str(number), "x"

    Output().table(rows(), heading=("number", "x"))
    assert stream.value().count(b"number") == 1
    assert stream.value().count(b"\n") == 2001


def test_empty_table_has_a_heading_on_a_terminal_only(use: Use) -> None:
    stream = use(terminal=True)
    Output(color="never").table([], heading=("kind",))
    assert stream.value() == b"kind\n"
    stream = use()
    Output().table([], heading=("kind",))
    assert stream.value() == b""


@pytest.mark.parametrize(
    ("when", "environment", "terminal", "expected"),
    [
        ("auto", {}, True, True),
        ("auto", {}, False, False),
        ("auto", {"TERM": "dumb"}, True, False),
        ("auto", {"NO_COLOR": "1"}, True, False),
        ("auto", {"NO_COLOR": ""}, True, True),
        ("auto", {"FORCE_COLOR": "1"}, False, True),
        ("auto", {"FORCE_COLOR": ""}, False, False),
        ("auto", {"FORCE_COLOR": "1", "NO_COLOR": "1"}, True, False),
        ("always", {"NO_COLOR": "1"}, False, True),
        ("never", {"FORCE_COLOR": "1"}, True, False),
    ],
)
def test_when_there_is_colour(
    use: Use,
    monkeypatch: pytest.MonkeyPatch,
    when: str,
    environment: dict[str, str],
    terminal: bool,
    expected: bool,
) -> None:
    stream = use(terminal=terminal)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert use_color(when, stream) is expected  # type: ignore[arg-type]
    shown = Output(color=when).style("x", "bold", "red")  # type: ignore[arg-type]
    assert shown == ("\x1b[1;31mx\x1b[0m" if expected else "x")


@pytest.mark.parametrize(("columns", "width"), [("42", 42), ("0", 80), ("x", 80), (None, 80)])
def test_width(use: Use, monkeypatch: pytest.MonkeyPatch, columns: str | None, width: int) -> None:
    use()
    monkeypatch.setattr(sys, "__stdout__", None)
    if columns is not None:
        monkeypatch.setenv("COLUMNS", columns)
    assert Output().width == width


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


@given(JSON)
def test_json_is_ascii_strict_and_on_one_line(value: object) -> None:
    text = json_text(value)
    assert text.isascii()
    assert text.isprintable()

    def refuse(constant: str) -> object:
        raise AssertionError(f"bare {constant}")

    def same(before: object, after: object) -> bool:
        if isinstance(before, float) and not math.isfinite(before):
            return after in ("NaN", "Infinity", "-Infinity")
        if isinstance(before, dict):
            assert isinstance(after, dict)
            return all(same(before[key], after[key]) for key in before)
        if isinstance(before, list):
            assert isinstance(after, list)
            return all(map(same, before, after))
        return before == after

    assert same(value, json.loads(text, parse_constant=refuse))


def test_json_lines_begin_with_the_schema(use: Use) -> None:
    stream = use()
    Output(json=True).json_line({"path": "a", "size": 2**70})
    assert stream.value() == b'{"schema": 1, "path": "a", "size": 1180591620717411303424}\n'


def test_notes_and_details(capsys: pytest.CaptureFixture[str]) -> None:
    for quiet in (False, True):
        for verbose in (0, 1):
            out = Output(quiet=quiet, verbose=verbose)
            out.note(f"note {quiet} {verbose}")
            out.detail(f"detail {quiet} {verbose}")
    assert capsys.readouterr() == (
        "",
        "note: note False 0\nnote: note False 1\nnote: detail False 1\n",
    )


def test_notes_into_nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "stderr", None)
    Output().note("nobody")


@pytest.mark.parametrize(
    ("codes", "expected"), [([], 0), ([0, 0], 0), ([0, 1, 0], 1), ([1, 3, 0], 3)]
)
def test_the_worst_of_several_files_counts(codes: list[int], expected: int) -> None:
    assert worst(codes) == expected


@pytest.mark.parametrize(
    ("size", "text"),
    [
        (0, "0 B"),
        (1023, "1023 B"),
        (1024, "1.0 KiB"),
        (1075, "1.0 KiB"),
        (1076, "1.1 KiB"),
        (1048575, "1.0 MiB"),
        (39950000, "38.1 MiB"),
        (2**60, "1.0 EiB"),
        (2**80, "1,048,576.0 EiB"),
    ],
)
def test_sizes(size: int, text: str) -> None:
    assert size_text(size) == text


@given(st.integers(0, 2**70))
def test_sizes_are_within_a_twentieth_of_a_unit(size: int) -> None:
    number, unit = size_text(size).replace(",", "").split()
    power = ["B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"].index(unit)
    assert float(number) < 1024 or unit == "EiB"
    assert abs(float(number) * 1024**power - size) <= 1024**power * 0.0501 + size * 1e-9
