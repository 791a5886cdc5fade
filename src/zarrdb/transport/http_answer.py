"""What the answer to a ranged request says: accepted, or which error it is. No I/O.

RFC 9110, sections 14 (ranges) and 15 (status codes). Header names are matched without case
by the mapping that is passed in.
"""

import re
from collections.abc import Mapping
from email.utils import parsedate_to_datetime
from typing import Final, NamedTuple

from zarrdb.errors import (
    EncodedAnswerError,
    PartsMissingError,
    RangeError,
    RangeNotSupportedError,
    RangeOutsideError,
    RedirectError,
    RemoteBusyError,
    RemoteForbiddenError,
    RemoteMissingError,
    RemoteTimeoutError,
    ShortAnswerError,
)
from zarrdb.transport.link import Answer
from zarrdb.units import size_text

Headers = Mapping[str, str]

SMALL: Final = 1 << 20
"""A whole file of at most so many bytes is taken instead of a range: as quick, and useful."""

_CONTENT_RANGE: Final = re.compile(
    r"\s*bytes\s+(?:(\d{1,19})-(\d{1,19})|\*)/(\d{1,19}|\*)\s*", re.IGNORECASE
)
_TRANSIENT: Final = frozenset({408, 425, 429, 500, 502, 503, 504})


class Placed(NamedTuple):
    """Where the bytes of a body belong, before it is read."""

    offset: int
    length: int
    size: int | None
    stamp: str | None


def placed(name: str, status: int, headers: Headers, asked: str) -> Placed:
    """Judge the answer to one range: `asked` is `first-last` or `-count`.

    Raises the RangeError that it amounts to.
    """
    if status == 416 and _content_range(headers)[2] == 0:
        return Placed(0, 0, 0, stamp(headers))
    refuse(name, status, headers)
    first, last, size = _content_range(headers) if status == 206 else (None, None, None)
    if status == 200:
        return _whole(name, headers)
    if first is None or last is None or not _fits(first, last, size, asked):
        raise RangeNotSupportedError(
            f"{name}: the server answered with another range than bytes {asked}"
            f" (status {status}, Content-Range {headers.get('Content-Range', 'missing')!r})",
            hint="--download fetches the whole file once",
        )
    return Placed(first, last - first + 1, size, stamp(headers))


def refuse(name: str, status: int, headers: Headers) -> None:
    """Raise the error of an answer that carries no bytes of the file."""
    error: RangeError
    if status in (401, 403):
        error = RemoteForbiddenError(
            f"{name}: the server refuses access (status {status})",
            hint="give credentials with --storage-option, a .netrc file, or a signed URL",
        )
    elif status in (404, 410):
        error = RemoteMissingError(f"{name}: no such file on the server (status {status})")
    elif status == 416:
        error = RangeOutsideError(f"{name}: the server says that the file is shorter (status 416)")
    elif 300 <= status < 400:
        error = RedirectError(f"{name}: redirected to nowhere (status {status})")
    elif status in (408, 504):
        error = RemoteTimeoutError(f"{name}: the server ran out of time (status {status})")
    elif status == 429 or status >= 500:
        error = RemoteBusyError(f"{name}: the server is busy or broken (status {status})")
    elif status not in (200, 206):
        error = RangeError(f"{name}: the server answered with status {status}")
    else:
        encoding = headers.get("Content-Encoding", "identity").strip().lower()
        if encoding in ("identity", ""):
            return
        error = EncodedAnswerError(
            f"{name}: the server sends the file compressed ({encoding}), so its ranges are not "
            "those of the file",
            hint="--download fetches the whole file once",
        )
    error.status = status
    error.transient = status in _TRANSIENT
    error.retry_after = _retry_after(headers)
    raise error


def stamp(headers: Headers) -> str | None:
    """What names the exact bytes: the ETag, else the time of the last change."""
    return headers.get("ETag") or headers.get("Last-Modified")


def parts(name: str, headers: Headers, body: bytes) -> list[Answer]:
    """The parts of a `multipart/byteranges` body (RFC 9110, 14.6), in the order sent.

    Raises PartsMissingError where it cannot be taken apart.
    """
    kind = headers.get("Content-Type", "")
    boundary = re.search(r'boundary\s*=\s*(?:"([^"]+)"|([^;\s]+))', kind, re.IGNORECASE)
    if boundary is None:
        raise PartsMissingError(f"{name}: an answer in several parts without a boundary")
    delimiter = b"--" + (boundary[1] or boundary[2]).encode("latin-1", "replace")
    found: list[Answer] = []
    at = body.find(delimiter)
    while at >= 0 and body[at + len(delimiter) : at + len(delimiter) + 2] != b"--":
        head_end = body.find(b"\r\n\r\n", at)
        first, last, size = _part_range(body[at:head_end]) if head_end >= 0 else (None, None, None)
        if first is None or last is None:
            raise PartsMissingError(f"{name}: a part of an answer does not say where it belongs")
        # The length is known: the delimiter may well occur in the bytes of a chunk.
        start, stop = head_end + 4, head_end + 5 + last - first
        if stop > len(body):
            raise ShortAnswerError(f"{name}: an answer in several parts was cut short")
        found.append(Answer(body[start:stop], first, size, stamp(headers)))
        at = body.find(delimiter, stop)
    return found


def _part_range(head: bytes) -> tuple[int | None, int | None, int | None]:
    for line in head.decode("latin-1").split("\r\n"):
        field, _, value = line.partition(":")
        if field.strip().lower() == "content-range":
            return _content_range({"Content-Range": value})
    return None, None, None


def _content_range(headers: Headers) -> tuple[int | None, int | None, int | None]:
    """First and last byte and the size of the file, each None where it is not told."""
    match = _CONTENT_RANGE.fullmatch(headers.get("Content-Range", ""))
    if match is None:
        return None, None, None
    first, last, size = (int(text) if text and text != "*" else None for text in match.groups())
    if (
        first is not None
        and last is not None
        and (last < first or (size is not None and last >= size))
    ):
        return None, None, None
    return first, last, size


def _fits(first: int, last: int, size: int | None, asked: str) -> bool:
    """Whether first to last is what was asked for, up to the end of the file."""
    start, _, end = asked.partition("-")
    if not start:
        return size is not None and last == size - 1 and first == max(0, size - int(end))
    return first == int(start) and (last == int(end) or (last < int(end) and last + 1 == size))


def _whole(name: str, headers: Headers) -> Placed:
    """The whole file in place of a range: taken if small, refused before it is read if not."""
    length = headers.get("Content-Length", "")
    size = int(length) if length.isdecimal() and len(length) < 20 else None
    if size is not None and size <= SMALL:
        return Placed(0, size, size, stamp(headers))
    told = f" ({size_text(size)})" if size is not None else ""
    error = RangeNotSupportedError(
        f"{name}: the server does not serve byte ranges (it answered 200 to a range request)",
        hint=f"--download fetches the whole file{told} once",
    )
    error.status = 200
    raise error


def _retry_after(headers: Headers) -> float | None:
    """Seconds of the Retry-After field, given in seconds or as a date."""
    text = headers.get("Retry-After", "").strip()
    if text.isdecimal():
        return float(text[:9])
    try:
        moment = parsedate_to_datetime(text)
    except ValueError:
        return None
    from time import time

    return max(0.0, moment.timestamp() - time())
