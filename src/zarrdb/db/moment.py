"""Times as the format writes them: RFC 3339 in UTC, milliseconds, upper-case T and Z."""

import os
import time
from typing import Final, NamedTuple

from zarrdb.errors import UsageError

_DAYS: Final = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_LATEST: Final = 253402300799
"""The last second of the year 9999, in seconds since 1970."""


class Moment(NamedTuple):
    """What a text means as a time, and what is wrong with it."""

    utc: str | None
    """The same instant in UTC, with Z; None where the text is no time at all."""
    problem: str = ""
    """Why it is not RFC 3339 with an upper-case T, or empty."""
    in_utc: bool = True
    """Whether it is written in UTC with an upper-case Z."""


def now() -> str:
    """SOURCE_DATE_EPOCH if it is set, else now. Raises UsageError for a value that is no time."""
    given = os.environ.get("SOURCE_DATE_EPOCH")
    if given is None:
        return at(time.time())
    if not (given.isascii() and given.isdigit() and int(given) <= _LATEST):
        raise UsageError("SOURCE_DATE_EPOCH is not a number of seconds since 1970")
    return at(int(given))


def at(seconds: float) -> str:
    """The time so many seconds after 1970 began."""
    whole, thousandths = divmod(round(seconds * 1000), 1000)
    return time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(whole)) + f".{thousandths:03d}Z"


def parse(text: str) -> Moment:
    """Read a time. A missing offset counts as UTC, as the specification wants of readers."""
    date, separator, rest = text[:10], text[10:11], text[11:]
    clock, fraction, offset = _split(rest)
    if not (_is_date(date) and separator and _is_clock(clock) and fraction is not None):
        return Moment(None, "is not a date and a time joined by T")
    minutes = _offset_minutes(offset)
    if minutes is None:
        return Moment(None, "has an offset that RFC 3339 does not allow")
    instant = f"{date}T{clock}{fraction}"
    utc = instant + "Z" if not minutes else _shifted(date, clock, fraction, minutes)
    if separator != "T":
        return Moment(utc, f"has {separator!a} where an upper-case T should be")
    if not offset:
        return Moment(utc, "has no offset from UTC")
    return Moment(utc, "", offset == "Z")


def _split(rest: str) -> tuple[str, str | None, str]:
    """Clock, fraction with its dot (None: no digit after it), and offset."""
    clock, tail = rest[:8], rest[8:]
    if not tail.startswith("."):
        return clock, "", tail
    end = 1
    while end < len(tail) and tail[end] in "0123456789":
        end += 1
    return clock, tail[:end] if end > 1 else None, tail[end:]


def _numbers(text: str, marks: str) -> list[int] | None:
    """The numbers in a text like `12:34:56`, all of fixed width, or None."""
    parts = text.split(marks)
    if not all(part.isascii() and part.isdigit() for part in parts):
        return None
    return [int(part) for part in parts]


def _is_date(text: str) -> bool:
    numbers = _numbers(text, "-")
    if numbers is None or [len(part) for part in text.split("-")] != [4, 2, 2]:
        return False
    year, month, day = numbers
    leap = month == 2 and year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)
    return 1 <= month <= 12 and 1 <= day <= _DAYS[month - 1] + leap


def _is_clock(text: str) -> bool:
    numbers = _numbers(text, ":")
    if numbers is None or [len(part) for part in text.split(":")] != [2, 2, 2]:
        return False
    hour, minute, second = numbers
    # Second 60 is a leap second, which RFC 3339 allows.
    return hour < 24 and minute < 60 and second <= 60


def _offset_minutes(offset: str) -> int | None:
    if offset in ("", "Z", "z"):
        return 0
    numbers = _numbers(offset[1:], ":")
    if offset[0] not in "+-" or numbers is None or len(offset) != 6 or offset[3] != ":":
        return None
    hours, minutes = numbers
    if hours > 23 or minutes > 59:
        return None
    return (hours * 60 + minutes) * (-1 if offset[0] == "-" else 1)


def _shifted(date: str, clock: str, fraction: str, minutes: int) -> str | None:
    from datetime import datetime, timedelta

    try:
        local = datetime.fromisoformat(f"{date}T{clock[:5]}")
        utc = local - timedelta(minutes=minutes)
    except (ValueError, OverflowError):
        return None
    return f"{utc.isoformat()[:16]}{clock[5:]}{fraction}Z"
