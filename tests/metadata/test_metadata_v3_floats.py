"""The one spelling of each float."""

import struct
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.metadata.v3.data_type.float_text import float_bits, float_spelling

WIDTHS = st.sampled_from([2, 4, 8])


def spelled(value: Any, width: int) -> Any:
    return float_spelling(float_bits(value, width), width)


@pytest.mark.parametrize(
    ("value", "width", "expected"),
    [
        (0.1, 2, 0.1),
        (0.1, 4, 0.1),
        (0.10000000149011612, 4, 0.1),
        (0.10000000149011612, 8, 0.10000000149011612),
        (16777217, 4, 16777216.0),
        (65504, 2, 65500.0),
        (65519.9, 2, 65500.0),
        (65520, 2, "Infinity"),
        (-(10**400), 8, "-Infinity"),
        (1e-46, 4, 0.0),
        ("0x0001", 2, 6e-08),
        ("0x00000001", 4, 1e-45),
        ("0x3f800000", 4, 1.0),
        ("0x7e00", 2, "NaN"),
        ("0x7FC00000", 4, "NaN"),
        ("0xFFC00000", 4, "0xffc00000"),
        ("0x7ff0000000000001", 8, "0x7ff0000000000001"),
        ("0xff800000", 4, "-Infinity"),
        (2.0**-14, 2, 6.104e-05),
    ],
)
def test_known_spellings(value: Any, width: int, expected: Any) -> None:
    found = spelled(value, width)
    assert found == expected
    assert type(found) is type(expected)


def test_both_zeros_keep_their_sign() -> None:
    for text, width in (("0x8000", 2), ("0x80000000", 4), ("0x8000000000000000", 8)):
        assert str(spelled(text, width)) == str(spelled(-0.0, width)) == "-0.0"
        assert str(spelled(0.0, width)) == str(spelled(0, width)) == "0.0"


@given(st.integers(0, 2**64 - 1), WIDTHS)
def test_a_spelling_stands_for_the_same_float(number: int, width: int) -> None:
    bits = number >> (64 - 8 * width)
    assert float_bits(float_spelling(bits, width), width) == bits  # type: ignore[arg-type]


@given(st.floats(allow_nan=False, allow_infinity=False, width=32))
def test_no_number_with_fewer_digits_is_the_same_float(number: float) -> None:
    found = spelled(number, 4)
    digits = len(f"{found:e}".split("e")[0].strip("-0.").replace(".", ""))
    for fewer in range(digits - 1):
        text = f"{number:.{fewer}e}"
        if abs(float(text)) < 3e38:
            assert struct.pack("<f", float(text)) != struct.pack("<f", number)
