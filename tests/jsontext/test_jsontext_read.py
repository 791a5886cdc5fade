"""Reading documents: the same value as the standard library, and every oddity flagged."""

import json
import math
import sys
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from helpers_json import VALUES, written
from zarrdb import jsontext
from zarrdb.jsontext import CONSTANT, DUPLICATE, OVERFLOW, SURROGATE


@settings(max_examples=300)
@given(written())
def test_reads_what_the_standard_library_reads(case: tuple[str, Any]) -> None:
    text, _ = case
    parsed = jsontext.parse(text.encode())
    assert parsed.fault is None
    assert parsed.value == json.loads(text)
    assert parsed.encoding == "utf-8"
    assert parsed.odd == frozenset()


@settings(max_examples=200)
@given(
    st.binary(max_size=60) | st.text('{}[]",:0123eE+-.NaInfity \\u"dt', max_size=60).map(str.encode)
)
def test_never_raises_and_agrees_on_what_is_json(data: bytes) -> None:
    parsed = jsontext.parse(data)
    try:
        expected = json.loads(data.decode("utf-8", "strict"))
    except ValueError:
        if parsed.encoding == "utf-8":
            assert parsed.fault is not None
        return
    assert parsed.fault is None
    assert repr(parsed.value) == repr(expected)


@given(
    VALUES,
    st.sampled_from(["utf-16", "utf-16-le", "utf-16-be", "utf-32", "utf-32-le", "utf-32-be"]),
)
def test_other_encodings_are_recognised_and_judged(value: Any, encoding: str) -> None:
    # At least two ASCII characters begin any document, which is what gives them away.
    text = json.dumps({"a": value})
    parsed = jsontext.parse(text.encode(encoding))
    assert parsed.value == {"a": value}
    assert parsed.encoding.startswith(encoding[:6])


def test_a_byte_order_mark_is_told_and_left_out() -> None:
    parsed = jsontext.parse(b'\xef\xbb\xbf{"a": 1}')
    assert (parsed.value, parsed.encoding, parsed.fault) == ({"a": 1}, "utf-8-sig", None)


@pytest.mark.parametrize(
    ("text", "odd", "value"),
    [
        ('{"a": NaN}', {CONSTANT}, {"a": math.nan}),
        ('{"a": [Infinity, -Infinity]}', {CONSTANT}, {"a": [math.inf, -math.inf]}),
        ('{"a": 1, "a": 2}', {DUPLICATE}, {"a": 2}),
        ('{"a": {"b": 1, "\\u0062": 2}}', {DUPLICATE}, {"a": {"b": 2}}),
        ('{"a": 1e999}', {OVERFLOW}, {"a": math.inf}),
        ('{"a": -1e999}', {OVERFLOW}, {"a": -math.inf}),
        ('{"a": 1' + "0" * 5000 + "}", {OVERFLOW}, {"a": math.inf}),
        ('{"a": "\\ud800"}', {SURROGATE}, {"a": "\ud800"}),
        ('{"\\udfff": 1}', {SURROGATE}, {"\udfff": 1}),
        ('{"a": "\\ud83d\\ude00"}', set(), {"a": "\U0001f600"}),
        ('{"a": "\\\\ud800"}', set(), {"a": "\\ud800"}),
        ('{"a": 1e-999}', set(), {"a": 0.0}),
        (
            '[NaN, {"a": 1, "a": 1e400}]',
            {CONSTANT, DUPLICATE, OVERFLOW},
            [math.nan, {"a": math.inf}],
        ),
    ],
)
def test_oddities_are_flagged_and_read_as_readers_do(text: str, odd: set[str], value: Any) -> None:
    parsed = jsontext.parse(text.encode())
    assert parsed.fault is None
    assert parsed.odd == odd
    assert repr(parsed.value) == repr(value)


def test_a_whole_number_keeps_all_its_digits() -> None:
    digits = "9" * 4300
    assert jsontext.parse(f'{{"a": {digits}}}'.encode()).value == {"a": int(digits)}


def test_the_limit_on_digits_does_not_depend_on_the_interpreters() -> None:
    before = sys.get_int_max_str_digits()
    try:
        sys.set_int_max_str_digits(640)
        parsed = jsontext.parse(b'{"a": ' + b"1" * 700 + b"}")
    finally:
        sys.set_int_max_str_digits(before)
    assert parsed.odd == {OVERFLOW}


def test_halves_of_pairs_encoded_as_bytes_are_told() -> None:
    parsed = jsontext.parse(b'{"a": "\xed\xa0\x80"}')
    assert parsed.encoding == "utf-8-surrogates"
    assert parsed.odd == {SURROGATE}


@pytest.mark.parametrize(
    ("data", "kind", "at", "words"),
    [
        (b"", "empty", (0, 1, 1), "is empty"),
        (b"  \n\t", "empty", (0, 1, 1), "is empty: it holds nothing but blanks"),
        (b'{"a": 1,}', "invalid", (7, 1, 8), "a comma with nothing after it"),
        (b'{"a": [1,\n 2,\n ]}', "invalid", (12, 2, 3), "a comma with nothing after it"),
        (b'{"a": 1} x', "invalid", (9, 1, 10), "something after the end"),
        (b"{}\0\0", "invalid", (2, 1, 3), "zero bytes after the end"),
        (b"\0\0\0\0\0\0", "invalid", (0, 1, 1), "it holds nothing but zero bytes"),
        (b'{"a": ', "invalid", (5, 1, 6), "it ends too early"),
        (b'{"a": "b', "invalid", (6, 1, 7), "a string that never ends"),
        (b'{"a": "b\x01"}', "invalid", (8, 1, 9), "a control character in a string"),
        (b'{"a": "\\x"}', "invalid", (7, 1, 8), "a backslash that begins no escape"),
        (b"{'a': 1}", "invalid", (1, 1, 2), "no name in double quotes where a member begins"),
        (b'{"a" 1}', "invalid", (5, 1, 6), "no colon after the name of a member"),
        (b'{"a": 1 "b": 2}', "invalid", (8, 1, 9), "no comma between two values"),
        (b"[1 2]", "invalid", (3, 1, 4), "no comma between two values"),
        (b"<html>", "invalid", (0, 1, 1), "no value where one has to be"),
        (
            b"version https://git-lfs.github.com/spec/v1\noid sha256:0\n",
            "lfs-pointer",
            (0, 1, 1),
            "Git LFS",
        ),
        (b'{"n": "\xe9"}', "wrong-encoding", (7, 1, 8), "is not UTF-8: byte 0xe9 at offset 7"),
        ('{"\u305f":\n"'.encode() + b"\xff", "wrong-encoding", (9, 2, 2), "byte 0xff at offset 9"),
        (b'{"a": "\xe3\x81', "wrong-encoding", (7, 1, 8), "in the middle of a character"),
        (b"\xff\xfe{\0}", "wrong-encoding", (4, 1, 2), "in the middle of a character"),
    ],
)
def test_faults_have_a_kind_a_place_and_the_same_words_on_every_python(
    data: bytes, kind: str, at: tuple[int, int, int], words: str
) -> None:
    parsed = jsontext.parse(data)
    assert parsed.fault is not None
    assert parsed.value is None
    assert parsed.fault.kind == kind
    assert words in parsed.fault.message
    assert (parsed.fault.offset, parsed.fault.line, parsed.fault.column) == at


@pytest.mark.parametrize("opening", ["[", '{"a":', '[{"a":'])
def test_nesting_is_counted_and_never_recursed(opening: str) -> None:
    levels = opening.count("[") + opening.count("{")

    def nested(depth: int) -> bytes:
        text = opening * (depth // levels)
        closing = "".join({"[": "]", "{": "}"}.get(c, "") for c in reversed(text))
        return (text + "0" + closing).encode()

    assert jsontext.parse(nested(256)).fault is None
    for depth in (258, 3000, 200_000):
        fault = jsontext.parse(nested(depth)).fault
        assert fault is not None
        assert fault.kind == "too-deep"
    for rest in (b"", b"oops", b'"', b"}" * 300):
        fault = jsontext.parse(opening.encode() * 5000 + rest).fault
        assert fault is not None
        assert fault.kind == "too-deep"


def test_brackets_in_a_string_are_no_nesting() -> None:
    assert jsontext.parse(b'{"a": "' + b"[" * 5000 + b'"}').fault is None
    fault = jsontext.parse(b'{"a": "' + b"[" * 5000).fault
    assert fault is not None
    assert "a string that never ends" in fault.message


def test_too_deep_points_at_the_bracket_that_goes_too_far() -> None:
    fault = jsontext.parse(b'{"[[[": 0, "a":\n' + b"[" * 256 + b"]" * 256 + b"}").fault
    assert fault is not None
    assert (fault.line, fault.column) == (2, 256)


def test_many_brackets_side_by_side_are_not_deep() -> None:
    assert jsontext.parse(b"[" + b"[]," * 5000 + b"[]]").fault is None
