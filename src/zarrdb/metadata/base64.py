"""Fill values written as base64: fixed-width bytes, void and records."""

import re
from typing import Final

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Problem, Problems, shown

_BASE64: Final = re.compile(
    r"(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?", re.ASCII
)


def decoded_size(text: str) -> int | None:
    """The bytes that a text encodes, None when it is no standard, padded base64."""
    if not _BASE64.fullmatch(text):
        return None
    return len(text) // 4 * 3 - text[-2:].count("=")


def sized_problems(value: str | None, least: int, most: int) -> Problems:
    """What is wrong with a fill value that encodes from `least` to `most` bytes."""
    if value is None:
        return ()
    size = decoded_size(value)
    if size is None:
        text = "expected standard base64 with its padding"
        return (Problem((), "invalid_value", text, reasons.NOT_BASE64),)
    if least <= size <= most:
        return ()
    wanted = shown(most) if least == most else f"at most {shown(most)}"
    text = f"expected base64 of {wanted} bytes, got {size} bytes"
    return (Problem((), "invalid_value", text, reasons.WRONG_BYTE_LENGTH),)
