"""What the commands that look have in common: opening, and telling what is not there."""

import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from zarrdb.cli.output import Output
from zarrdb.detect import open_any
from zarrdb.errors import CorruptError, NotFoundError, UsageError
from zarrdb.keys import FarSource, KeySource, Remark, as_prefix, join, printable, split
from zarrdb.location import is_url, parse
from zarrdb.units import counted, size_text

if TYPE_CHECKING:
    from zarrdb.frame import FrameFile
    from zarrdb.transport.options import RemoteOptions


# The suffixes that announce a kind, and what to call it where another one does.
_EXPECTED = {
    "zarrdb": ((".zarrdb",), "a .zarrdb file"),
    "zip": ((".zip", ".ozx"), "a zip store"),
    "legacy": ((), "a SQLite store of zarr-python 2"),
    "frame": ((".b2nd", ".b2frame"), "a Blosc2 frame"),
}

# Names to look through for a similar one: a directory of a million chunks has no more to say.
_NEIGHBOURS = 2000

# Rows that are named where some are passed over.
_ROWS_SHOWN = 3

DEFAULT_TIMEOUT = 5.0
"""Seconds to wait for a lock."""


class Reach(NamedTuple):
    """The options that go with a URL, as they were given."""

    storage_option: list[str] | None = None
    max_bytes: int | None = None
    download: bool = False
    temp_dir: str | None = None
    count_all: bool = False
    """Whether to fetch all keys, only to count them."""


@contextmanager
def opened(
    file: str,
    out: Output,
    *,
    timeout: float | None = None,
    reach: Reach | None = None,
) -> "Iterator[KeySource | FrameFile]":
    """The store or the frame that stands at FILE; a note says what an unexpected one is.

    `-v` tells what was fetched of a URL.
    """
    location = parse(file)
    if out.verbose > 1 or location.is_url:
        from zarrdb.cli.log import follow

        follow(out)
    remote = None
    if location.is_url:
        remote = remote_options(reach or Reach(), timeout)
    wait = DEFAULT_TIMEOUT if timeout is None else timeout
    source = open_any(location, timeout=wait, remote=remote)
    if reach is not None and reach.count_all and isinstance(source, FarSource):
        source.index_limit = sys.maxsize
    try:
        suffixes, name = _EXPECTED.get(source.kind, ((), ""))
        if name and location.suffix not in suffixes:
            out.note(f"{printable(source.name)} is {name}")
        tell_oddities(source, out, keys=not location.is_url)
        yield source
    finally:
        source.close()
        if location.is_url:
            tell_traffic(source, out)


def tell_oddities(source: "KeySource | FrameFile", out: Output, *, keys: bool = False) -> None:
    """What of a `.zarrdb` is not as it should be, though the rest can be read.

    `keys` looks for rows that no listing shows.
    """
    if source.kind != "zarrdb":
        return
    from zarrdb.db.database import Database

    if not isinstance(source, Database):
        return
    name = printable(source.name)
    for problem in source.facts.problems:
        if problem.reason == "wrong-application-id":
            out.note(f"{name}: {problem.message} ({problem.hint})")
    rows: Sequence[Remark] = ()
    # Damage there is no reason to show nothing of the rest.
    with suppress(CorruptError):
        rows = source.keys_of_other_types(_ROWS_SHOWN + 1) if keys else ()
    if rows:
        shown = ", ".join(remark.key for remark in rows[:_ROWS_SHOWN])
        more = ", …" if len(rows) > _ROWS_SHOWN else ""
        out.note(f"{name}: rows without a text as key are passed over: {shown}{more}")


def tell_traffic(source: "KeySource | FrameFile", out: Output) -> None:
    """With `-v`, what was fetched of a URL."""
    from zarrdb.transport.reader import Metered

    if isinstance(source, Metered):
        cost = source.traffic
        out.detail(
            f"{printable(source.name)}: {counted(cost.requests, 'request')},"
            f" {size_text(cost.bytes)}, {counted(cost.rounds, 'round trip')}"
        )


def remote_options(reach: Reach, timeout: float | None) -> "RemoteOptions":
    """What the options that go with a URL mean. Raises UsageError."""
    from zarrdb.transport.options import TIMEOUT, RemoteOptions, parse_storage_options

    return RemoteOptions(
        storage_options=parse_storage_options(reach.storage_option or ()),
        timeout=TIMEOUT if timeout is None else timeout,
        max_bytes=reach.max_bytes,
        download=reach.download,
        temp_dir=reach.temp_dir,
    )


def require_local(name: str, hint: str) -> None:
    """Refuse a URL where a file of this machine is wanted."""
    if is_url(name):
        raise UsageError(f"{parse(name).display}: a local file is wanted here", hint=hint)


def no_node(source: KeySource, path: str) -> NotFoundError:
    """The error for a node that is not there."""
    hint = f"`zarrdb ls {quoted(source.name)}` lists them"
    if source.size(path) is not None:
        hint = f"it is a key: `zarrdb cat {quoted(source.name)} {quoted(path)}` prints its value"
    elif next(source.entries(as_prefix(path)), None) is not None:
        hint = f"only keys: `zarrdb ls --keys {quoted(source.name)} {quoted(path)}` lists them"
    elif near := _similar(source, path):
        hint = f"did you mean `{printable(near)}`? {hint}"
    return NotFoundError(f"{printable(source.name)}: no node `{printable(path)}`", hint=hint)


def no_key(source: KeySource, key: str) -> NotFoundError:
    """The error for a key that is not there, though a node or other keys may be below it."""
    from zarrdb.hierarchy import lookup

    name = quoted(source.name)
    hint = f"`zarrdb ls --keys {name}` lists them"
    if nodes := lookup(source, key.strip("/"), counts=False):
        document = _document(source, key.strip("/"))
        hint = f"it is {_article(nodes[0].kind)}; " + (
            f"`zarrdb cat {name} {quoted(document)}` prints its document"
            if document
            else f"`zarrdb ls {name} {quoted(key)}` lists what is in it"
        )
    elif next(source.entries(as_prefix(key)), None) is not None:
        hint = f"other keys begin with it: `zarrdb ls --keys {name} {quoted(key)}` lists them"
    elif near := _similar(source, key):
        hint = f"did you mean `{printable(near)}`? {hint}"
    return NotFoundError(f"{printable(source.name)}: no key `{printable(key)}`", hint=hint)


def quoted(word: str) -> str:
    """The word as a shell takes it."""
    from shlex import quote

    return printable(quote(word))


def _document(source: KeySource, path: str) -> str | None:
    names = ("zarr.json", ".zarray", ".zgroup")
    keys = (join(path, name) for name in names)
    return next((key for key in keys if source.size(key) is not None), None)


def _article(kind: str) -> str:
    return {"array": "an array", "group": "a group"}.get(kind, "a broken node")


def _similar(source: KeySource, path: str) -> str | None:
    from difflib import get_close_matches

    parent, name = split(path)
    names = [c.name for c in islice(source.children(as_prefix(parent)), _NEIGHBOURS)]
    near = get_close_matches(name, names, n=1)
    return join(parent, near[0]) if near else None
