"""Which source goes to which file."""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from zarrdb.cli.opening import require_local
from zarrdb.cli.options import ProgressMode
from zarrdb.cli.transferring import make_directory
from zarrdb.errors import UsageError
from zarrdb.keys import printable
from zarrdb.location import default_name, default_output, parse
from zarrdb.sources.links import Links
from zarrdb.spec import EXTENSION
from zarrdb.transfer.copy import CopyOptions
from zarrdb.transport.options import RemoteOptions

if TYPE_CHECKING:
    from zarrdb.arrays.recode import Recoding


@dataclass(frozen=True, slots=True, kw_only=True)
class Destination:
    """A file to write, and the sources that go into it."""

    sources: tuple[str, ...]
    target: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What the command line asks of an import."""

    destinations: list[Destination]
    options: CopyOptions
    path: str
    links: Links
    keep_junk: bool
    skip_existing: bool
    fail_fast: bool
    progress: ProgressMode
    remote: RemoteOptions | None = None
    """What goes with the sources that are URLs."""
    recoding: "Recoding | None" = None
    """How Blosc2 frames become arrays, where something was said about it."""


def destinations(
    names: Sequence[str],
    output: str | None,
    output_dir: str | None,
    *,
    merge: bool,
    dry_run: bool = False,
) -> list[Destination]:
    """The files to write; the directory for them is made, unless nothing is to be written.

    Raises UsageError where the names do not make sense together.
    """
    if not names:
        raise UsageError("no source given", hint="`zarrdb import climate.zarr` is the usual form")
    for place in filter(None, (output, output_dir)):
        require_local(place, "`zarrdb export SOURCE URL` writes to one")
    if output is not None and output_dir is not None:
        raise UsageError("-o and -d exclude each other", hint="-o is one file, -d a directory")
    if list(names).count("-") > 1:
        raise UsageError("standard input can be read only once")
    if merge:
        if output is None:
            raise UsageError("--merge needs the file to write", hint="add -o FILE")
        return [Destination(sources=tuple(names), target=output)]
    if output is None and output_dir is None and _ends_with_target(names):
        if len(names) > 2:
            raise _one_destination(names)
        return [Destination(sources=(names[0],), target=names[1])]
    if output is not None:
        if len(names) > 1:
            raise _one_destination([*names, output])
        return [Destination(sources=(names[0],), target=output)]
    found = [Destination(sources=(name,), target=_target(name, output_dir)) for name in names]
    _require_distinct(found)
    if output_dir is not None and not dry_run:
        make_directory(output_dir)
    return found


def target_node(path: str) -> str:
    """The node that --path names. Raises UsageError for one that must not be made."""
    node = path.strip("/")
    for name in node.split("/") if node else ():
        if not name.strip("."):
            what = f"`{name}` is no name of a node" if name else "a name between slashes is empty"
            raise UsageError(
                f"--path {printable(path)}: {what}", hint="names joined by slashes, like `a/b`"
            )
    return node


def _ends_with_target(names: Sequence[str]) -> bool:
    last = names[-1]
    if len(names) < 2 or not last.endswith(EXTENSION) or os.path.isdir(last):
        return False
    # Of several names the last one may well be a source, if it exists.
    return len(names) == 2 or not os.path.lexists(last)


def _one_destination(names: Sequence[str]) -> UsageError:
    return UsageError(
        f"import takes one destination; {len(names)} names were given",
        hint="one file each: add -d DIR; all into one: --merge … -o FILE",
    )


def _target(name: str, output_dir: str | None) -> str:
    location = parse(name)
    if output_dir is None:
        return default_output(location)
    return os.path.join(output_dir, default_name(location))


def _require_distinct(found: Sequence[Destination]) -> None:
    seen: dict[str, str] = {}
    for destination in found:
        source = destination.sources[0]
        other = seen.setdefault(os.path.realpath(destination.target), source)
        if other is not source:
            raise UsageError(
                f"{printable(other)} and {printable(source)} would both become"
                f" {printable(destination.target)}",
                hint="import them apart, with -o",
            )
