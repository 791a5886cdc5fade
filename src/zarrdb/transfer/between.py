"""`zarrdb.copy`: from a path, a URL or a zarr Store to a path or a zarr Store."""

import os
from collections.abc import Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from typing import TYPE_CHECKING, Any, Union

from zarrdb.detect import is_frame, open_any
from zarrdb.errors import TargetExistsError
from zarrdb.keys import KeySource, printable
from zarrdb.layout import Plan
from zarrdb.location import parse
from zarrdb.transfer.copy import CopyOptions, into_file, node_prefix, out_of, unchanging
from zarrdb.transfer.engine import OnConflict, ProgressLike
from zarrdb.transfer.export import export, kind_of
from zarrdb.transfer.far import far_file
from zarrdb.transfer.groups import GroupDocuments
from zarrdb.transfer.read import Part
from zarrdb.transfer.report import CopyReport
from zarrdb.transfer.target import Sink
from zarrdb.transport.options import RemoteOptions

if TYPE_CHECKING:
    from zarrdb.storesource import Store

End = Union[str, os.PathLike[str], "Store"]


def copy(
    source: End,
    target: End,
    *,
    path: str = "",
    include: Sequence[str] = (),
    exclude: Sequence[str] = (),
    on_conflict: OnConflict = "error",
    verify: bool = False,
    progress: ProgressLike | None = None,
    dry_run: bool = False,
    storage_options: Mapping[str, Any] | None = None,
) -> CopyReport:
    """Copy keys and values, byte for byte, as `zarrdb import` and `zarrdb export` do.

    Parameters
    ----------
    source
        A path or URL of anything that `zarrdb ls` reads, or a zarr Store.
    target
        A path or URL, whose suffix says what is made (`.zarrdb .zip .ozx .tar .b2nd`, else a
        directory), or a zarr Store.
    path
        The node of a `.zarrdb` or Store target that receives the copy; for other targets the
        node of the source that is copied.
    include, exclude
        Patterns over whole keys: `*` stops at `/`, `**` does not; `exclude` wins.
    on_conflict
        What becomes of keys that a `.zarrdb` or Store target has already: "error", "skip" or
        "replace".
    verify
        Read back what was written, and compare it.
    progress
        Is told what was copied so far.
    dry_run
        Write nothing; the report says what would be written.
    storage_options
        Passed to fsspec for URLs.

    Raises
    ------
    TargetExistsError, NotAStoreError, SourceError, TargetError, VerificationError
        And what a Store raises. The target is then as it was before, if it is a path, a file
        at a URL or a SQLiteStore. A directory on an object store keeps values without their
        documents; the error says so.
    """
    options = CopyOptions(
        include=tuple(include),
        exclude=tuple(exclude),
        on_conflict=on_conflict,
        verify=verify,
        progress=progress,
        dry_run=dry_run,
    )
    with ExitStack() as stack:
        remote = RemoteOptions(storage_options=storage_options or {})
        opened = _source(source, target, options, remote, stack)
        if not isinstance(target, (str, os.PathLike)):
            return _into_store(opened, target, options, path)
        place = parse(target)
        kind = kind_of(place.text)
        if kind != "zarrdb":
            name = opened.name if isinstance(source, (str, os.PathLike)) else ""
            return export(opened, name, place.text, options, kind=kind, path=path, remote=remote)
        parts = [Part(opened, at=node_prefix(path))]
        if place.is_url:
            return far_file(partial(into_file, parts), kind, place, options, remote)
        if on_conflict == "error" or not os.path.exists(place.path):
            return into_file(parts, place.path, options)
        from zarrdb.store import SQLiteStore

        return _into_store(opened, stack.enter_context(SQLiteStore(place.path)), options, path)


def _source(
    source: End, target: End, options: CopyOptions, remote: RemoteOptions, stack: ExitStack
) -> KeySource:
    if isinstance(source, (str, os.PathLike)):
        opened = open_any(source, remote=remote)
        stack.callback(opened.close)
        if not is_frame(opened):
            return opened
        from zarrdb.transfer.frames import keys_of

        # A Store has no place beside it for what is temporary.
        place = os.fspath(target) if isinstance(target, (str, os.PathLike)) else "frame"
        return stack.enter_context(closing(keys_of(opened, place, options)))
    from zarrdb.storesource import StoreSource

    return StoreSource(source)


def _into_store(source: KeySource, store: "Store", options: CopyOptions, path: str) -> CopyReport:
    from zarrdb.storesource import StoreSink, StoreSource, Without

    at, whole = node_prefix(path), source
    target = StoreSource(store)
    there = {entry.key for entry in target.entries(at)}
    parents = GroupDocuments(
        at.rstrip("/"), zarr_format=2 if source.size("zarr.json") is None else 3
    )
    above = [key for key, _ in parents.entries() if target.size(key) is None] if at else []
    if options.on_conflict == "skip" and there:
        source = Without(source, lambda key: at + key in there)

    def admit(plan: Plan) -> None:
        if options.on_conflict == "error":
            clash = next((entry.key for entry in plan if entry.key in there), None)
            if clash is not None:
                raise TargetExistsError(
                    f"{store}: has the key {printable(clash)} already",
                    hint='on_conflict="skip" or "replace"',
                )

    def open_sink(_: Plan) -> Sink:
        return StoreSink(store, [(key, parents.get(key)) for key in above])

    # The whole source: `out_of` does not see it behind what hides some of its keys.
    with unchanging([whole]):
        return out_of(source, open_sink, str(store), options, admit=admit, at=path)
