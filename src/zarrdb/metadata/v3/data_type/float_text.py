"""Floats of 2, 4 and 8 bytes by their bits, and the one spelling of each of them."""

import struct
from collections.abc import Callable
from typing import Final

from zarrdb.metadata.value import JSONValue

_FORMATS: Final = {2: (">e", 10), 4: (">f", 23), 8: (">d", 52)}
"""The format of each width, and the bits of its fraction."""

_EXACT_DIGITS: Final = 17
"""Significant digits that tell any two floats of eight bytes apart."""


def float_bits(value: float | str, width: int) -> int:
    """The bits of the float of `width` bytes that a fill value without problems stands for."""
    code, fraction = _FORMATS[width]
    infinity, sign = _infinity(width, fraction), 1 << (8 * width - 1)
    if value == "NaN":
        return infinity | 1 << (fraction - 1)
    if isinstance(value, str):
        named = {"Infinity": infinity, "-Infinity": sign | infinity}
        return named[value] if value in named else int(value, 16)
    try:
        return int.from_bytes(struct.pack(code, float(value)), "big")
    except OverflowError:
        return infinity if value > 0 else sign | infinity


def float_spelling(bits: int, width: int) -> JSONValue:
    """A number with as few digits as tell the float apart, a name, or the bits of another NaN."""
    code, fraction = _FORMATS[width]
    infinity = _infinity(width, fraction)
    if bits & infinity == infinity:
        if bits == infinity | 1 << (fraction - 1):
            return "NaN"
        if bits & ((1 << fraction) - 1):
            return f"0x{bits:0{2 * width}x}"
        return "Infinity" if bits == infinity else "-Infinity"
    number: float = struct.unpack(code, bits.to_bytes(width, "big"))[0]
    if width == 8 or number == 0:
        return number
    return _fewest_digits(number, lambda each: float_bits(each, width) == bits)


def _infinity(width: int, fraction: int) -> int:
    """The bits of infinity: all of the exponent, none of the fraction."""
    return (1 << (8 * width - 1)) - (1 << fraction)


def _fewest_digits(number: float, is_same: Callable[[float], bool]) -> float:
    """The number with the fewest digits that is still the same float, the nearest of equals.

    With each count of digits the nearest one is tried, then its neighbour beyond the float:
    above a power of two floats lie twice as far apart as below it.
    """
    for digits in range(_EXACT_DIGITS):
        mantissa, _, exponent = f"{number:.{digits}e}".partition("e")
        nearest, last = float(f"{mantissa}e{exponent}"), int(mantissa.replace(".", ""))
        beyond = last + 1 if nearest < number else last - 1
        for each in (nearest, float(f"{beyond}e{int(exponent) - digits}")):
            if is_same(each):
                return each
    return number
