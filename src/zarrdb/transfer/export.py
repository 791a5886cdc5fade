"""Writing a store out as a directory, a zip, a tar or another `.zarrdb`."""

import dataclasses
import os
import sys
from collections.abc import Iterator
from functools import partial
from itertools import islice
from typing import Final, Literal

from zarrdb.detect import identify, open_source
from zarrdb.errors import NotFoundError, TargetExistsError, UsageError
from zarrdb.keys import KeySource, Remark, printable
from zarrdb.layout import Plan
from zarrdb.location import Location, beside, own_name, parse
from zarrdb.sources.directory_target import DirectoryTarget, require_free
from zarrdb.sources.names import misfits, require_fits
from zarrdb.sources.tar_target import TarTarget
from zarrdb.sources.target import Target
from zarrdb.sources.zip_target import ZipTarget
from zarrdb.transfer.copy import CopyOptions, into_file, node_prefix, out_of
from zarrdb.transfer.read import Part
from zarrdb.transfer.report import CopyReport
from zarrdb.transfer.strangers import require_harmless, require_pure_store
from zarrdb.transfer.target import ExportSink, require_folder, require_space
from zarrdb.transfer.times import modified_seconds
from zarrdb.transport.options import RemoteOptions

Kind = Literal["directory", "zip", "tar", "zarrdb", "b2nd"]

STDOUT: Final = "-"

_SUFFIXES: Final[dict[str, Kind]] = {
    ".zip": "zip",
    ".ozx": "zip",
    ".tar": "tar",
    ".zarrdb": "zarrdb",
    ".b2nd": "b2nd",
}
_COMPRESSED: Final = frozenset(
    {".gz", ".bz2", ".xz", ".zst", ".lz4", ".lzma", ".tgz", ".tbz", ".tbz2", ".txz", ".tzst", ".7z"}
)
"""Suffixes of what is not written, and would surprise as the name of a directory."""

_BLOCK: Final = 4096
"""What a file takes on most disks, at least, and what its name takes."""
_SHOWN: Final = 1000

_MEMBER: Final = 1024
"""What a member takes beside its value, at most for most names."""


def kind_of(target: str) -> Kind:
    """The kind that a name asks for, by its suffix; `-` is a tar.

    Raises UsageError for the suffix of a compressed archive.
    """
    if target == STDOUT:
        return "tar"
    place = parse(target)
    if place.suffix in _COMPRESSED:
        raise UsageError(
            f"{place.display}: compressed archives are not written",
            hint="`zarrdb export FILE - | gzip` makes one; --to says what kind DEST is",
        )
    return _SUFFIXES.get(place.suffix, "directory")


def export(
    source: KeySource,
    place: str,
    target: str,
    options: CopyOptions,
    *,
    kind: Kind,
    path: str = "",
    portable: bool = False,
    remote: RemoteOptions | None = None,
) -> CopyReport:
    """Write the keys at the node `path` of a source, which stands at `place`.

    `target` may be a URL; `remote` is what goes with it. `portable` refuses keys that Windows
    or macOS cannot hold. Raises NotFoundError if there is no such node, TargetExistsError,
    TargetError, UsageError, NotAStoreError, SourceError, NoSpaceError and VerificationError;
    nothing is left behind then, and what stood there is as it was, but for a directory on an
    object store (see `far_folder`).
    """
    if options.verify and target == STDOUT:
        raise UsageError("--verify cannot read back what went to standard output")
    # What stands in a file is exported, whatever it is.
    options = dataclasses.replace(options, any_keys=True)
    _require_node(source, path)
    there = parse(target)
    if there.is_url:
        return _to_url(
            source, place, there, options, remote, kind=kind, path=path, portable=portable
        )
    target = there.path
    if kind == "zarrdb":
        return into_file([Part(source, below=node_prefix(path))], target, options)
    if kind == "b2nd":
        return _to_frame(source, target, options, path)
    folder = ""
    if target != STDOUT:
        _require_place(source, place, target, options, kind)
        folder = require_folder(target, to_be_made=options.new_folder)
    unportable: list[Remark] = []

    def admit(plan: Plan) -> None:
        keys = (entry.key for entry in plan)
        require_fits(keys, kind, "" if target == STDOUT else target, portable=portable)
        if folder:
            each = _BLOCK if kind == "directory" else _MEMBER
            require_space(folder, plan.bytes + plan.keys * each, target)
        unportable.extend(_unportable(plan, kind, target))

    def open_target(_: Plan) -> ExportSink:
        opened = _opened(kind, target, options, source)
        return ExportSink(opened, target, partial(_reopened, kind, target))

    report = out_of(source, open_target, target, options, admit=admit, path=path)
    if not unportable:
        return report
    counts = {**report.counts, "unportable-key": len(unportable)}
    return dataclasses.replace(report, counts=counts, remarks=(*report.remarks, *unportable))


def _require_place(
    source: KeySource, place: str, target: str, options: CopyOptions, kind: Kind
) -> None:
    """Refuse a path of this machine where nothing may be written."""
    if kind != "directory":
        _require_free_archive(target, kind, overwrite=options.overwrite)
        return
    require_harmless(target, place)
    if options.overwrite:
        require_pure_store(target, source)
    require_free(target, replace=options.overwrite)


def _to_url(
    source: KeySource,
    place: str,
    target: Location,
    options: CopyOptions,
    remote: RemoteOptions | None,
    *,
    kind: Kind,
    path: str,
    portable: bool,
) -> CopyReport:
    from zarrdb.transfer.far import far_file, far_folder

    remote = remote or RemoteOptions()
    if kind == "directory":
        return far_folder(source, target, options, remote, path=path, portable=portable)

    def write(file: str, given: CopyOptions) -> CopyReport:
        return export(source, place, file, given, kind=kind, path=path, portable=portable)

    return far_file(write, kind, target, options, remote)


def _require_node(source: KeySource, path: str) -> None:
    prefix = node_prefix(path)
    if prefix and next(iter(source.entries(prefix)), None) is None:
        raise NotFoundError(
            f"{source.name}: no node `{printable(prefix[:-1])}`",
            hint=f"`zarrdb ls {source.name}` lists them",
        )


def _to_frame(source: KeySource, target: str, options: CopyOptions, path: str) -> CopyReport:
    if source.kind == "frame":
        raise UsageError(f"{printable(source.name)}: is a Blosc2 frame already", hint="copy it")
    if options.include or options.exclude:
        raise UsageError("--include and --exclude are about keys; a frame holds one array")
    _require_free_archive(target, "frame", overwrite=options.overwrite)
    require_folder(target, to_be_made=options.new_folder)
    from zarrdb.transfer.frames import to_frame

    return to_frame(source, target, options, path=path)


def _unportable(plan: Plan, kind: Kind, target: str) -> Iterator[Remark]:
    """The keys that a target can hold, but not everywhere: some of them."""
    if kind == "tar":
        return iter(())
    found = misfits((entry.key for entry in plan), kind, target, portable=True)
    return (Remark("unportable-key", printable(key), why) for key, why in islice(found, _SHOWN))


def _opened(kind: Kind, target: str, options: CopyOptions, source: KeySource) -> Target:
    if kind == "directory":
        return DirectoryTarget(target, replace=options.overwrite)
    modified = modified_seconds([source])
    if kind == "zip":
        return ZipTarget(target, modified=modified)
    return TarTarget(sys.stdout.buffer if target == STDOUT else target, modified=modified)


def _reopened(kind: Kind, target: str) -> KeySource:
    if kind == "tar":
        from zarrdb.sources.tar import TarSource

        return TarSource.open(target, keep_junk=True)
    return open_source(target, keep_junk=True, any_name=True)


def _require_free_archive(target: str, kind: str, *, overwrite: bool) -> None:
    """Refuse a path where something stands, unless it is one of this kind to be replaced."""
    if not os.path.lexists(target) or (os.path.isfile(target) and not os.path.getsize(target)):
        return
    if not overwrite:
        raise TargetExistsError(
            f"{printable(target)}: exists already", hint="--overwrite replaces it"
        )
    found = identify(target)
    if found.kind != kind:
        raise TargetExistsError(
            f"{printable(target)}: {found.detail or 'is no ' + kind}, so it is not replaced",
            hint="name another file",
        )


def default_target(place: str, kind: Kind) -> str:
    """The name that an export of a file gets: `plate.ome.zarrdb` becomes `plate.ome.zarr`.

    Raises UsageError where the source has no name, like `-`.
    """
    location = parse(place)
    name = own_name(location, hint="add DEST")
    stem, suffix = os.path.splitext(name)
    if suffix.lower() not in (*_SUFFIXES, ".db", ".sqlite", ".zarr"):
        stem = name
    elif stem.lower().endswith(".zarr"):
        stem = stem[: -len(".zarr")]
    ending = {"directory": ".zarr", "zip": ".zarr.zip", "tar": ".zarr.tar"}.get(kind, f".{kind}")
    return beside(location, stem + ending)
