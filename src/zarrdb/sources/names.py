"""Which keys a target can hold, found out before anything is written."""

import os
import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple
from unicodedata import normalize

from zarrdb.errors import TargetError
from zarrdb.jsontext.text import has_lone_surrogate
from zarrdb.keys import is_valid, printable

_SHOWN: Final = 20

_DRIVE: Final = re.compile(r"[A-Za-z]:(?:\\|$)")
_DEVICE: Final = re.compile(
    r"(?:con|prn|aux|nul|conin\$|conout\$|com[0-9¹²³]|lpt[0-9¹²³]) *(?:\..*)?", re.IGNORECASE
)
_RESERVED: Final = re.compile(r'[<>:"|?*\\\x00-\x1f]')
# The names of most files: no two of them are one by case or normalisation.
_CHUNK: Final = re.compile(r"c?[.0-9]*")

# A path on Windows has 260 characters, its drive and some folders among them.
_PORTABLE_KEY: Final = 240
_PORTABLE_NAME: Final = 255


class Misfit(NamedTuple):
    """A key that a target cannot hold, and why: `is also a prefix of other keys`."""

    key: str
    reason: str


def misfits(
    keys: Iterable[str], kind: str, path: str = "", *, portable: bool = False
) -> Iterator[Misfit]:
    """The keys, given in code-point order, that a target of a kind cannot hold.

    `kind` is `directory`, `zip` or `tar`; for a directory `path` is where it will be: limits
    and case sensitivity are those of the file system there. `portable` adds what Windows and
    macOS cannot hold as files. In memory that stays flat over chunks.
    """
    place = _Place(path) if kind == "directory" else None
    watch = _Siblings(folds=portable or (place is not None and place.folds))
    for key in keys:
        fault = name_fault(key) or (portable_fault(key) if portable else None)
        if fault is None and place is not None:
            fault = place.fault(key)
        if fault is None:
            fault = watch.fault(key)
        if fault is not None:
            yield Misfit(key, fault)
        elif place is not None or portable:
            yield from watch.prefixes(key)


def require_fits(keys: Iterable[str], kind: str, path: str = "", *, portable: bool = False) -> None:
    """Raise TargetError, with a list, if a target cannot hold some of the keys."""
    shown: list[str] = []
    count = 0
    for key, reason in misfits(keys, kind, path, portable=portable):
        count += 1
        if count <= _SHOWN:
            shown.append(f"\n  {printable(key)}: {reason}")
    if count:
        more = f"\n  … and {count - _SHOWN:,} more" if count > _SHOWN else ""
        what = "1 key" if count == 1 else f"{count:,} keys"
        raise TargetError(
            f"{printable(path) or kind}: cannot hold {what}; nothing was written:"
            + "".join(shown)
            + more,
            hint=_hint(kind, portable=portable),
        )


def _hint(kind: str, *, portable: bool) -> str | None:
    if portable:
        return "without --portable, what is a matter of Windows or macOS is a warning"
    return "a zip (`--to zip`) or a .zarrdb holds more" if kind == "directory" else None


def name_fault(key: str) -> str | None:
    """Why no archive and no file system may be given this key as a name, or None."""
    if not key:
        return "is empty, which is no name"
    if not is_valid(key):
        return "is no valid key"
    if "\0" in key:
        return "holds a NUL character"
    if not key.isascii() and has_lone_surrogate(key):
        return "is no Unicode text"
    if "." in key or "\\" in key:
        parts = key.replace("\\", "/").split("/")
        if ".." in parts or "." in parts:
            return "has a `..` or `.` segment and would lead out of the target"
    if key[0] == "\\" or (":" in key and _DRIVE.match(key.partition("/")[0])):
        return "is an absolute path on Windows"
    return None


def portable_fault(key: str) -> str | None:
    """Why Windows or macOS cannot hold a file under this key, or None."""
    for name in key.split("/"):
        found = _RESERVED.search(name)
        if found:
            return f"holds {printable(found[0])!r}, which Windows reserves"
        if name.endswith((".", " ")):
            return "has a name that ends with a dot or a blank, which Windows drops"
        if _DEVICE.fullmatch(name):
            return f"has the name {printable(name)!r}, a device on Windows"
        if len(name.encode()) > _PORTABLE_NAME:
            return f"has a name of more than {_PORTABLE_NAME} bytes"
    if len(key) > _PORTABLE_KEY:
        return f"has {len(key):,} characters; paths on Windows end at 260"
    return None


class _Place:
    """The limits of the file system where a directory will be."""

    def __init__(self, path: str) -> None:
        full = os.path.realpath(path)
        parent = full
        while not os.path.isdir(parent) and parent != os.path.dirname(parent):
            parent = os.path.dirname(parent)
        self._longest_name = _limit(parent, "PC_NAME_MAX", 255)
        # The private directory has a name that is longer by a process and a random number.
        self._room = _limit(parent, "PC_PATH_MAX", 4096) - len(os.fsencode(full)) - 64
        self._is_windows = os.name == "nt"
        self.folds = _ignores_case(parent)

    def fault(self, key: str) -> str | None:
        """Why this file system cannot hold a file under the key, or None."""
        size = len(os.fsencode(key))
        if size > self._longest_name:
            longest = max(len(os.fsencode(name)) for name in key.split("/"))
            if longest > self._longest_name:
                return (
                    f"has a name of {longest:,} bytes; the file system takes {self._longest_name}"
                )
        if size > self._room:
            return f"has {size:,} bytes, too many for a path here"
        return portable_fault(key) if self._is_windows else None


class _Siblings:
    """Watches keys go by in order, for those that a directory would make one."""

    def __init__(self, *, folds: bool) -> None:
        self._folds = folds
        self._folders: list[tuple[str, dict[str, str]]] = [("", {})]
        # Keys that the present one begins with, as text: the ones in between share it.
        self._open: list[str] = []

    def prefixes(self, key: str) -> Iterator[Misfit]:
        """Earlier keys that are a folder for this one."""
        while self._open and not key.startswith(self._open[-1]):
            self._open.pop()
        for shorter in [k for k in self._open if key[len(k)] == "/"]:
            self._open.remove(shorter)
            yield Misfit(shorter, "is also a prefix of other keys")
        if key:
            self._open.append(key)

    def fault(self, key: str) -> str | None:
        """Why this key cannot stand beside those before it, or None."""
        if not self._folds:
            return None
        while not key.startswith(self._folders[-1][0]):
            self._folders.pop()
        start = self._folders[-1][0]
        *folders, last = key[len(start) :].split("/")
        for name in folders:
            clash = self._compare(name)
            if clash:
                return clash
            start = f"{start}{name}/"
            self._folders.append((start, {}))
        return self._compare(last)

    def _compare(self, name: str) -> str | None:
        seen = self._folders[-1][1]
        is_chunk = _CHUNK.fullmatch(name) is not None
        if is_chunk and not seen:
            return None
        folded = normalize("NFC", normalize("NFD", name).casefold())
        other = seen.get(folded, name)
        if other != name:
            return f"differs from `{printable(other)}` beside it only by case or normalisation"
        if not is_chunk:
            seen[folded] = name
        return None


def _limit(path: str, name: str, default: int) -> int:
    try:
        return os.pathconf(path, name)
    except (AttributeError, OSError, ValueError):
        return default


def _ignores_case(folder: str) -> bool:
    """Whether a file system takes names for one that differ only by case."""
    from tempfile import NamedTemporaryFile

    try:
        with NamedTemporaryFile(prefix=".zarrdb-case-", dir=folder) as probe:
            name = os.path.basename(probe.name)
            return os.path.exists(os.path.join(folder, name.upper()))
    except OSError:
        return False
