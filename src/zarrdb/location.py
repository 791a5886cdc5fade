"""Where something is: a path of this machine or a URL, and what of it may be shown.

Signed URLs carry secrets in their query, others in the user part, so nothing but `display`
is ever printed, logged or put into an exception.
"""

import os
import sys
from typing import Final, NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from zarrdb.errors import UsageError
from zarrdb.keys import printable
from zarrdb.spec import EXTENSION

STDIN: Final = "-"

_SOURCE_SUFFIXES: Final = (".zarr", ".zip", ".ozx", ".db", ".sqlite", ".b2nd")
_HIDDEN: Final = "…"


class Location(NamedTuple):
    """A place: `text` is what opens it, `path` what names it, `display` what may be shown.

    `path` is the local path, or the URL's path alone (of a chained URL: of its first link
    that has one), so that a suffix means the same with and without a query.
    """

    text: str
    path: str
    is_url: bool
    display: str

    @property
    def name(self) -> str:
        """The last component of the path; `""` where there is none."""
        path = self.path.rstrip(_separators(self))
        return path[max(path.rfind(s) for s in _separators(self)) + 1 :]

    @property
    def suffix(self) -> str:
        """The last suffix of the name in lower case, with its dot; `""` if it has none."""
        return os.path.splitext(self.name)[1].lower()

    @property
    def is_stdin(self) -> bool:
        """Whether it is `-`."""
        return self.text == STDIN and not self.is_url


def parse(text: str | os.PathLike[str]) -> Location:
    """Tell a path from a URL; a `file:` URL becomes the path it names.

    Raises UsageError for a `file:` URL of another host.
    """
    text = os.fspath(text)
    if not is_url(text):
        return Location(text, text, False, printable(text))
    if text.lower().startswith("file:") and "::" not in text:
        path = _file_path(text)
        return Location(path, path, False, printable(path))
    return Location(text, _url_path(text), True, _redact_url(text))


def is_url(text: str) -> bool:
    """Whether the text is a URL, or a chain of them (`zip::https://…`), and no path."""
    scheme, colon, rest = text.partition(":")
    # A single letter is a drive.
    if not colon or len(scheme) < 2 or not scheme[0].isalpha() or not scheme.isascii():
        return False
    if not all(c.isalnum() or c in "+-." for c in scheme):
        return False
    return rest.startswith("//") or (rest.startswith(":") and "://" in rest)


def normal(text: str) -> str:
    """A path without detours and with slashes alone (`./a//b` is `a/b`); a URL as it is."""
    return text if is_url(text) else os.path.normpath(text).replace(os.sep, "/")


def redact(text: str) -> str:
    """A message with user part, query and fragment of every URL in it replaced by `…`."""
    text = printable(text)
    if "://" not in text:
        return text
    import re

    return re.sub(r"[A-Za-z][A-Za-z0-9+.-]*://[^\s'\"<>`|]*", lambda m: _redact_url(m[0]), text)


def _redact_url(url: str) -> str:
    return "::".join(map(_redact_link, _links(printable(url))))


def _links(url: str) -> list[str]:
    """The links of a chained URL; the two colons of an IPv6 address join nothing."""
    if "::" not in url:
        return [url]
    import re

    return re.split(r"::(?=[A-Za-z][A-Za-z0-9+.-]*:(?://|:))", url)


def _redact_link(link: str) -> str:
    scheme, mark, rest = link.partition("://")
    if not mark:
        return link
    authority, slash, path = rest.partition("/")
    _, at, host = authority.rpartition("@")
    shown = (_HIDDEN + at if at else "") + host + slash + path
    cut = min((i for i in (shown.find("?"), shown.find("#")) if i >= 0), default=len(shown))
    secret = _HIDDEN if shown[cut + 1 :] else ""
    return f"{scheme}://{shown[: cut + 1]}{secret}"


def own_name(location: Location, *, hint: str) -> str:
    """The name that a place has by itself, also where it is called `.` or `..`.

    Raises UsageError, with a hint, where it has none, like `-` or `/`.
    """
    name = location.name
    if name in ("", ".", "..") and not location.is_url and not location.is_stdin:
        name = os.path.basename(os.path.abspath(location.path))
    if name in ("", ".", "..") or location.is_stdin:
        raise UsageError(f"{location.display} has no name to derive one from", hint=hint)
    return name


def beside(location: Location, name: str) -> str:
    """The path of a file of that name: beside a path, here for a URL."""
    if location.is_url:
        return name
    path = location.path.rstrip(_separators(location))
    if os.path.basename(path) in (".", ".."):
        path = os.path.abspath(path)
    return os.path.join(os.path.dirname(path), name)


def default_name(location: Location) -> str:
    """The file name that an import of it gets: `plate.ome.zarr` becomes `plate.ome.zarrdb`.

    Raises UsageError where the source has no name of its own, like `-` or `/`.
    """
    name = own_name(location, hint="add -o FILE")
    stem, suffix = os.path.splitext(name)
    return (stem if suffix.lower() in _SOURCE_SUFFIXES else name) + EXTENSION


def default_output(location: Location) -> str:
    """The path that an import of it writes: beside a path, here for a URL."""
    return beside(location, default_name(location))


def _separators(location: Location) -> str:
    return "\\/" if sys.platform == "win32" and not location.is_url else "/"


def _url_path(text: str) -> str:
    for link in _links(text):
        parts = _split(link)
        is_web = parts.scheme in ("http", "https")
        path = parts.path if is_web else parts.netloc.rpartition("@")[2] + parts.path
        # A pattern in an archive names nothing.
        if parts.scheme and path.strip("/") and "*" not in path:
            return unquote(path) if is_web else path
    return ""


def _split(link: str) -> SplitResult:
    try:
        return urlsplit(link)
    except ValueError:
        # What Python says about it may quote the user part.
        raise UsageError(f"{redact(link)} is no URL") from None


def _file_path(text: str) -> str:
    parts = _split(text)
    if parts.netloc not in ("", "localhost"):
        raise UsageError(f"{redact(text)} names a file of another machine", hint="give its path")
    path = unquote(parts.path)
    if sys.platform == "win32" and path[2:3] == ":":
        return path[1:]
    return path
