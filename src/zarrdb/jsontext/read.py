"""From text to a value, with flags for all that readers take in different ways."""

import sys
from collections.abc import Callable
from typing import Any, Final, NamedTuple, NoReturn

from zarrdb.jsontext.text import BLANKS, Fault, decode, fault_at, has_lone_surrogate

MAX_DEPTH: Final = 256
"""Levels of nesting that a document may have."""

MAX_DIGITS: Final = 4300
"""Digits of the longest integer that is read as one."""

DUPLICATE: Final = "duplicate-member"
CONSTANT: Final = "bare-constant"
OVERFLOW: Final = "overflowing-number"
SURROGATE: Final = "lone-surrogate"

Scanner = Callable[[str, int], tuple[Any, int]]
"""The value that begins at an offset of a text, and the offset after it.

Raises ValueError or RecursionError.
"""

_LFS_POINTER: Final = "version https://git-lfs.github.com/spec/"
_CONSTANTS: Final = {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_NOTHING: Final[frozenset[str]] = frozenset()


class Parsed(NamedTuple):
    """A document that was read.

    `value` is None when there is a `fault`. `encoding` is that of `Text`. `odd` holds
    DUPLICATE, CONSTANT, OVERFLOW and SURROGATE where they occur.
    """

    value: Any
    fault: Fault | None
    encoding: str
    odd: frozenset[str]


class _Scanned(NamedTuple):
    value: Any
    end: int
    odd: set[str]


class _OddError(ValueError):
    """The quick scanner met what only the thorough one can tell."""


def parse(data: bytes) -> Parsed:
    """Read a document; never raises for what is in it.

    A duplicate member has its last value; a number past every float, or an integer of more
    than MAX_DIGITS digits, is infinity.
    """
    try:
        # No mark and no zeros of UTF-16, as in every document but a handful.
        if data[0] == 0x7B and data[1]:
            text = data.decode()
            value, end = _quick_scanner()(text, 0)
            if (
                (end == len(text) or not text[end:].strip(BLANKS))
                and ("\\u" not in text or not _may_hide_surrogate(text))
                and not _is_too_deep(text, value)
            ):
                return Parsed(value, None, "utf-8", _NOTHING)
    except (ValueError, IndexError, RecursionError):
        pass
    return _parse_thoroughly(data)


def overflows(number: str) -> bool:
    """Whether a number as written is past every float, or has too many digits."""
    digits = number.lstrip("-")
    if not digits.isdecimal():
        return float(digits) == float("inf")
    return len(digits) > min(MAX_DIGITS, sys.get_int_max_str_digits() or MAX_DIGITS)


def _parse_thoroughly(data: bytes) -> Parsed:
    text, encoding, _, fault = decode(data)
    if text is None or (fault := _no_document(text) or _too_deep(text)):
        return Parsed(None, fault, encoding, _NOTHING)
    scanned = _scan(text)
    if isinstance(scanned, Fault):
        return Parsed(None, scanned, encoding, _NOTHING)
    value, end, odd = scanned
    rest = text[end:].lstrip(BLANKS)
    if rest:
        fault = _invalid(text, len(text) - len(rest), _describe_rest(rest))
        return Parsed(None, fault, encoding, _NOTHING)
    if _may_hide_surrogate(text) and _holds_surrogate(value):
        odd.add(SURROGATE)
    return Parsed(value, None, encoding, frozenset(odd))


def _no_document(text: str) -> Fault | None:
    """The fault of a text that is not even an attempt at JSON."""
    if not text:
        return fault_at("empty", "is empty", text, 0)
    if not text.strip(BLANKS):
        return fault_at("empty", "is empty: it holds nothing but blanks", text, 0)
    if not text.strip("\0"):
        return _invalid(text, 0, "it holds nothing but zero bytes")
    if text.startswith(_LFS_POINTER):
        message = "is a Git LFS pointer: the document itself was not fetched"
        return fault_at("lfs-pointer", message, text, 0)
    return None


def _scan(text: str) -> _Scanned | Fault:
    """The first value of a text, with everything odd in it."""
    from json import JSONDecodeError, JSONDecoder

    odd: set[str] = set()

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        value = dict(pairs)
        if len(value) != len(pairs):
            odd.add(DUPLICATE)
        return value

    def constant(name: str) -> float:
        odd.add(CONSTANT)
        return _CONSTANTS[name]

    def number(text: str) -> float:
        if overflows(text):
            odd.add(OVERFLOW)
            return _CONSTANTS["-Infinity" if text.startswith("-") else "Infinity"]
        return int(text) if text.lstrip("-").isdecimal() else float(text)

    decoder = JSONDecoder(
        object_pairs_hook=members, parse_constant=constant, parse_float=number, parse_int=number
    )
    try:
        value, end = decoder.raw_decode(text, len(text) - len(text.lstrip(BLANKS)))
    except JSONDecodeError as error:
        return _syntax_fault(text, error.pos, error.msg)
    return _Scanned(value, end, odd)


def _syntax_fault(text: str, offset: int, reason: str) -> Fault:
    """A fault in our own words: the scanner's differ from one Python to the next."""
    here = text[offset : offset + 1]
    before = text[:offset].rstrip(BLANKS)
    if "string starting" in reason:
        return _invalid(text, offset, "a string that never ends")
    if "control character" in reason:
        return _invalid(text, offset, "a control character in a string")
    if "escape" in reason:
        return _invalid(text, offset, "a backslash that begins no escape")
    if not text[offset:].strip(BLANKS):
        return _invalid(text, len(text.rstrip(BLANKS)), "it ends too early")
    if "trailing comma" in reason:
        return _invalid(text, offset, "a comma with nothing after it")
    if here in "}]" and before.endswith(","):
        return _invalid(text, len(before) - 1, "a comma with nothing after it")
    if "property name" in reason:
        return _invalid(text, offset, "no name in double quotes where a member begins")
    if "':'" in reason:
        return _invalid(text, offset, "no colon after the name of a member")
    if "','" in reason:
        return _invalid(text, offset, "no comma between two values")
    return _invalid(text, offset, "no value where one has to be")


def _describe_rest(rest: str) -> str:
    if not rest.strip("\0"):
        return "zero bytes after the end"
    return "something after the end"


def _invalid(text: str, offset: int, reason: str) -> Fault:
    return fault_at("invalid", f"is not JSON: {reason}", text, offset)


def _too_deep(text: str) -> Fault | None:
    """The fault of a text that is nested too deep, at the bracket that goes too far.

    Looked for before the scanner, which on some Pythons sees other faults of such a text.
    """
    if not _has_many_brackets(text):
        return None
    from zarrdb.jsontext.survey import first_bracket_past

    offset = first_bracket_past(text, MAX_DEPTH)
    if offset is None:
        return None
    message = f"is nested too deep: more than {MAX_DEPTH} levels"
    return fault_at("too-deep", message, text, offset)


def _has_many_brackets(text: str) -> bool:
    return text.count("[") + text.count("{") > MAX_DEPTH


def _is_too_deep(text: str, value: object) -> bool:
    if not _has_many_brackets(text):
        return False
    level: list[Any] = [value]
    for _ in range(MAX_DEPTH):
        level = [
            inner
            for outer in level
            if isinstance(outer, (dict, list))
            for inner in (outer.values() if isinstance(outer, dict) else outer)
            if isinstance(inner, (dict, list))
        ]
        if not level:
            return False
    return True


def _may_hide_surrogate(text: str) -> bool:
    return "\\ud" in text or "\\uD" in text or has_lone_surrogate(text)


def _holds_surrogate(value: object) -> bool:
    pending = [value]
    while pending:
        value = pending.pop()
        if isinstance(value, str):
            if has_lone_surrogate(value):
                return True
        elif isinstance(value, dict):
            pending.extend(value)
            pending.extend(value.values())
        elif isinstance(value, list):
            pending.extend(value)
    return False


_scanner: Scanner | None = None


def _quick_scanner() -> Scanner:
    """A scanner that stops at anything odd; without state, so that threads share it."""
    global _scanner
    if _scanner is None:
        from json import JSONDecoder

        decoder = JSONDecoder(
            object_pairs_hook=_plain_members, parse_constant=_refuse, parse_float=_plain_float
        )
        _scanner = decoder.raw_decode
    return _scanner


def _plain_members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    value = dict(pairs)
    if len(value) != len(pairs):
        raise _OddError
    return value


def _plain_float(text: str) -> float:
    value = float(text)
    if value in (float("inf"), float("-inf")):
        raise _OddError
    return value


def _refuse(name: str) -> NoReturn:
    raise _OddError(name)
