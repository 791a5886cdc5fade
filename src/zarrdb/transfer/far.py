"""Writing a store to a URL, through fsspec.

An archive or a `.zarrdb` is made here first and sent as one piece. A directory is sent value by
value: under another name where the file system moves cheaply, else its documents last.
"""

import dataclasses
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import partial
from hashlib import sha256
from heapq import merge
from shutil import rmtree
from typing import Any, Final

from zarrdb import unfinished
from zarrdb.detect import open_source
from zarrdb.errors import TargetError, TargetExistsError, UsageError, VerificationError
from zarrdb.keys import KeySource, is_document
from zarrdb.layout import Plan, far_rank
from zarrdb.location import Location
from zarrdb.magic import identify_bytes
from zarrdb.sources.filesystem import FilesystemSource
from zarrdb.sources.filesystem_target import FilesystemTarget, make_folder, require_free
from zarrdb.sources.names import require_fits
from zarrdb.transfer.copy import CopyOptions, out_of
from zarrdb.transfer.report import CopyReport
from zarrdb.transfer.strangers import require_pure
from zarrdb.transfer.target import ExportSink
from zarrdb.transport.filesystem import fault, moves_cheaply
from zarrdb.transport.opening import is_web, open_filesystem
from zarrdb.transport.options import RemoteOptions

_HEAD: Final = 512
_PIECE: Final = 8 << 20

# What the first bytes say, for each kind of file that can be replaced.
_SAME: Final = {"zarrdb": "sqlite", "zip": "zip", "tar": "tar", "b2nd": "frame"}

Write = Callable[[str, CopyOptions], CopyReport]
"""Writes a file at a local path."""


def far_folder(
    source: KeySource,
    place: Location,
    options: CopyOptions,
    remote: RemoteOptions,
    *,
    path: str,
    portable: bool,
) -> CopyReport:
    """Write the keys at the node `path` of a source as a directory at a URL.

    With `overwrite` a store that stands there is replaced: on an object store it is removed
    first, its documents before all else. Raises as `export` does; an object store then keeps
    values without documents, of which the message tells.
    """
    filesystem, root = _filesystem(place, remote)
    if options.overwrite:
        _require_pure(filesystem, root, place.display, source)

    def admit(plan: Plan) -> None:
        require_fits(_sorted_keys(plan), "zip", place.display, portable=portable)
        if options.dry_run:
            require_free(filesystem, root.rstrip("/"), place.display, replace=options.overwrite)

    def open_target(_: Plan) -> ExportSink:
        target = FilesystemTarget(filesystem, root, place.display, replace=options.overwrite)
        reopen = partial(open_source, place, keep_junk=True, any_name=True, remote=remote)
        return ExportSink(target, place.display, reopen)

    options = dataclasses.replace(options, temp_dir=options.temp_dir or os.getcwd())
    return out_of(
        source, open_target, place.display, options, admit=admit, path=path, rank=far_rank
    )


def far_file(
    write: Write, kind: str, place: Location, options: CopyOptions, remote: RemoteOptions
) -> CopyReport:
    """Write a file of a kind at a URL: `write` makes it in `temp_dir`, or in the current directory.

    What stands there stays until the new one is complete. Raises what `write` raises,
    TargetExistsError, TargetError and VerificationError.
    """
    filesystem, path = _filesystem(place, remote)
    existed = _require_free(filesystem, path, place.display, kind, overwrite=options.overwrite)
    with _private_folder(options.temp_dir) as folder:
        local = os.path.join(folder, place.name)
        report = write(local, dataclasses.replace(options, overwrite=False))
        if not options.dry_run:
            _send(filesystem, local, path, place.display, existed=existed)
            if options.verify:
                _compare(filesystem, local, path, place.display)
    return dataclasses.replace(report, target=place.display)


def is_there(place: Location, remote: RemoteOptions) -> bool:
    """Whether something stands at a URL: a file with bytes in it, or a folder with something."""
    filesystem, path = _filesystem(place, remote)
    try:
        filesystem.invalidate_cache()
        info = filesystem.info(path)
        return bool(info["size"] if info["type"] == "file" else filesystem.ls(path, detail=False))
    except FileNotFoundError:
        return False
    except Exception as error:
        raise TargetError(fault(place.display, error, "looked at").message) from error


def _filesystem(place: Location, remote: RemoteOptions) -> tuple[Any, str]:
    if is_web(place):
        raise UsageError(
            f"{place.display}: a web server cannot be written to",
            hint="an object store can, like s3://bucket/x.zarr",
        )
    filesystem, path = open_filesystem(place, remote.storage_options)
    if not path.strip("/"):
        raise UsageError(f"{place.display}: names no place to write to")
    return filesystem, path


def _require_pure(filesystem: Any, root: str, name: str, source: KeySource) -> None:
    there = FilesystemSource(filesystem, root, name, keep_junk=True)
    try:
        if next(there.entries(), None) is not None:
            require_pure(name, there, source)
    finally:
        there.close()


def _sorted_keys(plan: Plan) -> Iterator[str]:
    """The keys in code-point order: values come so, documents do not."""
    documents = sorted(entry.key for entry in plan if is_document(entry.key))
    return merge((entry.key for entry in plan if not is_document(entry.key)), documents)


def _require_free(filesystem: Any, path: str, name: str, kind: str, *, overwrite: bool) -> bool:
    """Refuse a place where something stands, unless it is to be replaced; whether it does."""
    try:
        filesystem.invalidate_cache()
        info = filesystem.info(path)
        head = filesystem.cat_file(path, start=0, end=_HEAD) if info["type"] == "file" else None
    except FileNotFoundError:
        return False
    except Exception as error:
        raise TargetError(fault(name, error, "looked at").message) from error
    if head is None:
        raise TargetExistsError(f"{name}: is a directory")
    if not head:
        return True
    if not overwrite:
        raise TargetExistsError(f"{name}: exists already", hint="--overwrite replaces it")
    found, detail = identify_bytes(head, "")
    if found != _SAME[kind]:
        raise TargetExistsError(f"{name}: {detail}, so it is not replaced", hint="name another one")
    return True


def _send(filesystem: Any, local: str, path: str, name: str, *, existed: bool) -> None:
    moves = moves_cheaply(filesystem)
    folder, _, last = path.rpartition("/")
    private = f"{folder}/.{last}.{os.getpid()}-{os.urandom(4).hex()}.tmp" if moves else path
    try:
        make_folder(filesystem, private)
        filesystem.put_file(local, private)
        if moves:
            filesystem.mv(private, path)
    except BaseException as error:
        if moves or not existed:
            with suppress(Exception):
                filesystem.rm_file(private)
        if isinstance(error, Exception):
            raise TargetError(fault(name, error, "written").message) from error
        raise


def _compare(filesystem: Any, local: str, path: str, name: str) -> None:
    try:
        with filesystem.open(path, "rb", block_size=_PIECE) as there, open(local, "rb") as here:
            same = _digest(there) == _digest(here)
    except Exception as error:
        raise TargetError(fault(name, error, "read back").message) from error
    if not same:
        raise VerificationError(f"{name}: what is there differs from what was sent")


def _digest(file: Any) -> bytes:
    hasher = sha256(usedforsecurity=False)
    while piece := file.read(_PIECE):
        hasher.update(piece)
    return hasher.digest()


@contextmanager
def _private_folder(temp_dir: str | None) -> Iterator[str]:
    own = f".zarrdb-{os.getpid()}-{os.urandom(4).hex()}.tmp"
    folder = os.path.join(temp_dir or os.getcwd(), own)
    unfinished.note(folder)
    try:
        os.mkdir(folder, 0o700)
        yield folder
    finally:
        rmtree(folder, ignore_errors=True)
        unfinished.settled(folder)
