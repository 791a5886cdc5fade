"""Files that are kept when the writing of them is interrupted, and continued later.

Beside `.NAME.partial` lies a log: a line of JSON that says what the file is made from, and a
line for each time its rows were on the disk. What comes after the last line is written anew.
"""

import json
import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import islice
from time import monotonic
from typing import Any, Final, Protocol, runtime_checkable

from zarrdb._version import __version__
from zarrdb.db import moment
from zarrdb.db.bulk import SQLITE_VERSION
from zarrdb.db.database import Database
from zarrdb.db.private import PrivateFile, lasting_path, raise_target_error
from zarrdb.db.standing import Standing
from zarrdb.errors import (
    SourceChangedError,
    StampChangedError,
    TargetExistsError,
    VerificationError,
)
from zarrdb.keys import Entry, KeySource, Remark, printable
from zarrdb.layout import SourceEntry
from zarrdb.transfer.target import FileSink
from zarrdb.transfer.times import newest

STEP_BYTES: Final = 64 << 20
STEP_SECONDS: Final = 2.0
"""How much work, at most, is done again; to settle 64 MiB takes as long as writing them."""

_BATCH: Final = 1024
_FLAGS: Final = os.O_WRONLY | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0)

# What differs, and how to say so; the first one counts.
_REASONS: Final = {
    "versions": "was begun by another version",
    "sources": "was begun from another source",
    "states": "is outdated: the source has changed since",
    "plan": "was begun with other options, or the source has changed since",
    "page_size": "was begun with another page size",
    "verify": "was begun with another --verify",
}


@runtime_checkable
class Stamped(Protocol):
    """A source that knows a name for the exact bytes behind it."""

    @property
    def stamp(self) -> str | None:
        """None if nothing names them."""
        ...


def identity(
    entries: Iterable[SourceEntry], sources: Iterable[KeySource], *, page_size: int, verify: bool
) -> dict[str, Any]:
    """What the bytes of a file depend on: whoever goes on with one must agree in all of it."""
    from hashlib import sha256

    hasher = sha256(usedforsecurity=False)
    rows = iter(entries)
    while batch := list(islice(rows, _BATCH)):
        text = "".join([f"{len(key)}:{key}{size},{source};" for key, size, source in batch])
        hasher.update(text.encode("utf-8", "surrogatepass"))
    given = list(sources)
    found = {
        "versions": [__version__, SQLITE_VERSION],
        "sources": [[source.kind, _place(source)] for source in given],
        "states": [_state(source) for source in given],
        "plan": hasher.hexdigest(),
        "page_size": page_size,
        "verify": verify,
    }
    return dict(json.loads(json.dumps(found)))


def _place(source: KeySource) -> str:
    return os.path.realpath(source.name) if os.path.exists(source.name) else source.name


def _state(source: KeySource) -> list[object]:
    """What changes when the values of a source do, though their sizes may not."""
    if isinstance(source, Stamped):
        return [source.stamp]
    path = source.path if isinstance(source, Database) else source.name
    if os.path.isfile(path):
        status = os.stat(path)
        return [newest([source]), status.st_size, status.st_mtime_ns]
    return [newest([source])]


class Log:
    """The log beside a partial file."""

    def __init__(self, path: str) -> None:
        self.path = path
        self.identity: dict[str, Any] = {}
        self.standing = Standing()
        """Of the last complete line."""
        self.digests: list[bytes] = []
        self._length = 0
        try:
            with open(path, "rb") as file:
                self._read(file)
        except FileNotFoundError:
            pass
        except OSError as error:
            raise_target_error(error, path)

    def _read(self, lines: Iterable[bytes]) -> None:
        for line in lines:
            # A line that was not written to its end is none.
            if not line.endswith(b"\n"):
                return
            try:
                members = json.loads(line)
                if self._length:
                    self.standing = self.standing.after(members)
                    self.digests += map(bytes.fromhex, members["digests"])
                else:
                    self.identity = dict(members)
            except (ValueError, KeyError, TypeError):
                return
            self._length += len(line)

    def begin(self, identity: Mapping[str, Any]) -> None:
        """Start the log of a new file."""
        self.identity, self.standing, self.digests = dict(identity), Standing(), []
        self._length = 0
        self._append(self.identity)

    def add(self, standing: Standing, digests: Sequence[bytes]) -> None:
        """Note how far the file is, which is on the disk that far; with more digests."""
        members = standing.since(self.standing)
        self._append({**members, "digests": [digest.hex() for digest in digests]})
        self.standing = standing
        self.digests += digests

    def _append(self, members: Mapping[str, Any]) -> None:
        line = json.dumps(members, separators=(",", ":")).encode() + b"\n"
        try:
            descriptor = os.open(self.path, _FLAGS, 0o666)
            try:
                os.ftruncate(descriptor, self._length)
                os.lseek(descriptor, self._length, os.SEEK_SET)
                os.write(descriptor, line)
                os.fsync(descriptor)
            finally:
                os.close(descriptor)
        except OSError as error:
            raise_target_error(error, self.path)
        self._length += len(line)

    def remove(self) -> None:
        """Delete it."""
        if os.path.exists(self.path):
            os.unlink(self.path)


class LastingSink(FileSink):
    """A new `.zarrdb` as `.NAME.partial`, which stays if something interrupts its writing.

    What is there already is continued if it has the same identity; else it is replaced with
    `overwrite`. Raises TargetExistsError, InUseError, and what FileSink raises.
    """

    def __init__(
        self,
        path: str,
        *,
        identity: Mapping[str, Any],
        page_size: int,
        modified_at: str | None,
        temp_dir: str | None,
        timeout: float,
        rows: Iterable[tuple[str, int]],
        largest: Entry | None = None,
        overwrite: bool = False,
    ) -> None:
        self._published = False
        self._file = PrivateFile(path, directory=temp_dir, lasting=True)
        self._log = Log(log_path(self._file.path))
        try:
            standing = self._continued(identity, overwrite=overwrite)
            if standing is None:
                self._log.begin({**identity, "modified_at": modified_at or moment.now()})
            # A source that does not tell its time has that of the first run.
            time = modified_at or str(self._log.identity["modified_at"])
            super().__init__(
                path,
                page_size=page_size,
                records={"modified_at": time},
                temp_dir=temp_dir,
                timeout=timeout,
                rows=rows,
                largest=largest,
                file=self._file,
                standing=standing,
            )
        except BaseException:
            self._let_go(useless=False)
            raise
        self.rows = self._log.standing.rows
        """How many rows are there already."""
        self._unsettled = 0
        self._digests: list[bytes] = []
        self._settled_at = monotonic()

    @property
    def digests(self) -> list[bytes]:
        """Those of the rows that are there already."""
        return list(self._log.digests)

    def _continued(self, identity: Mapping[str, Any], *, overwrite: bool) -> Standing | None:
        """Where to go on; None to start anew."""
        standing, found = self._log.standing, self._log.identity
        if not standing.rows or self._file.size() < standing.pages * found["page_size"]:
            return None
        different = [name for name in _REASONS if found.get(name) != identity[name]]
        if not different:
            return standing
        if overwrite:
            return None
        raise TargetExistsError(
            f"{printable(self._file.path)}: {_REASONS[different[0]]}",
            hint="--overwrite removes it and starts anew",
        )

    def step(self, size: int, digest: bytes | None) -> None:
        """Hear that a batch of so many bytes was written; settle now and then."""
        self._unsettled += size
        if digest is not None:
            self._digests.append(digest)
        if self._unsettled >= STEP_BYTES or monotonic() - self._settled_at >= STEP_SECONDS:
            self._log.add(self._writer.settle(), self._digests)
            self._unsettled, self._digests, self._settled_at = 0, [], monotonic()

    @property
    def is_worth_keeping(self) -> bool:
        """Whether the next run can go on from what has been written."""
        return self._log.standing.rows > 0

    def publish(self) -> None:
        """Rename it to the target; the log is of no use any more."""
        super().publish()
        self._published = True
        self._log.remove()

    def __exit__(self, *details: object) -> None:
        self._writer.close()
        changed = (VerificationError, SourceChangedError, StampChangedError)
        self._let_go(useless=any(isinstance(detail, changed) for detail in details))

    def _let_go(self, *, useless: bool) -> None:
        """Keep the file for the next run if there is something in it that can be used."""
        if self._published:
            return
        if useless or not self.is_worth_keeping:
            self._file.remove()
            self._log.remove()
        else:
            self._file.close()


def log_path(partial: str) -> str:
    """Where the log of a partial file is."""
    return f"{partial}.log"


def own_paths(target: str, temp_dir: str | None) -> tuple[str, str]:
    """The partial file of a target, and its log; they may lie in what is copied."""
    partial = lasting_path(target, temp_dir)
    return partial, log_path(partial)


def settled_size(target: str, temp_dir: str | None) -> int:
    """Bytes of the file system that the partial file of a target takes already."""
    path = lasting_path(target, temp_dir)
    return os.path.getsize(path) if os.path.isfile(path) else 0


def stale(target: str, temp_dir: str | None, *, overwrite: bool) -> Iterator[Remark]:
    """What to say of a partial file that is not continued; `overwrite` removes it.

    Raises InUseError where another process works on it.
    """
    path, log = own_paths(target, temp_dir)
    if not os.path.lexists(path):
        return
    if not overwrite and os.path.exists(log):
        detail = "of an interrupted import is left: --resume continues it, --overwrite removes it"
        yield Remark("stale-partial", printable(path), detail)
        return
    PrivateFile(target, directory=temp_dir, lasting=True).remove()
    Log(log).remove()
