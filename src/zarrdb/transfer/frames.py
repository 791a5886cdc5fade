"""Blosc2 frames as ends of a copy: read as the keys of an array, and written from an array."""

import time
from typing import TYPE_CHECKING

from zarrdb.arrays.framesource import FrameSource
from zarrdb.arrays.opening import array_node
from zarrdb.arrays.read import StoredArray
from zarrdb.arrays.recode import Recoding
from zarrdb.arrays.spool import Spool
from zarrdb.arrays.toframe import require_holdable, write_array
from zarrdb.db.private import remove_leftovers
from zarrdb.errors import NotFoundError
from zarrdb.frame.write import storable
from zarrdb.hierarchy.nodes import Node
from zarrdb.keys import KeySource, Remark, printable
from zarrdb.location import parse
from zarrdb.transfer.copy import CopyOptions, unchanging
from zarrdb.transfer.gather import remarks_of
from zarrdb.transfer.read import Part
from zarrdb.transfer.report import CopyReport

if TYPE_CHECKING:
    from zarrdb.frame.file import FrameFile


def keys_of(
    frame: "FrameFile", target: str, options: CopyOptions, recoding: Recoding | None = None
) -> FrameSource:
    """A frame as the keys that a copy to `target` takes.

    They are compressed into a temporary file when they are listed, beside the target or, for
    one that is no path, in the current directory; a dry run compresses nothing. Raises
    UsageError for a selection that does not fit, TargetError.
    """
    recoding = (recoding or Recoding())._replace(verify=options.verify, jobs=options.jobs)
    place = parse(target)
    beside = place.path
    if place.is_url or place.is_stdin:
        beside = place.name or "frame"

    def make_spool() -> Spool:
        return Spool(beside, directory=options.temp_dir)

    spool = None if options.dry_run else make_spool
    return FrameSource(frame, recoding, spool, options.progress)


def to_frame(source: KeySource, target: str, options: CopyOptions, *, path: str) -> CopyReport:
    """Write the array at the node `path` of a source as a Blosc2 frame.

    Raises NotFoundError for what is no array, CorruptError, TargetError, UsageError for what
    a frame cannot hold, NoSpaceError and VerificationError; then the target is as it was.
    """
    started = time.monotonic()
    with unchanging([source]):
        node = _array(source, path.strip("/"))
        array = StoredArray(source, node)
        require_holdable(array, source.name)
        attributes, left_out = storable(node.attributes or {})
        if options.progress is not None:
            options.progress.expect(len(array.stored), array.nbytes)
        if not options.dry_run:
            remove_leftovers(target)
            write_array(
                array,
                target,
                attributes=attributes,
                verify=options.verify,
                jobs=options.jobs,
                progress=options.progress,
            )
        counts, remarks = remarks_of([Part(source)])
        own = [Remark("attribute-left-out", printable(name), "too long") for name in left_out]
        if node.dimension_names and node.zarr_format == 3:
            own.append(Remark("dimension-names", "", "a frame has no place for them"))
        for remark in own:
            counts[remark.kind] = counts.get(remark.kind, 0) + 1
        return CopyReport(
            source=source.name,
            target=target,
            noun="chunk",
            keys=len(array.stored),
            bytes=array.nbytes,
            seconds=time.monotonic() - started,
            verified=options.verify and not options.dry_run,
            dry_run=options.dry_run,
            needed=array.nbytes,
            counts=counts,
            remarks=(*own, *remarks),
        )


def _array(source: KeySource, path: str) -> Node:
    try:
        return array_node(source, path)
    except NotFoundError as error:
        raise NotFoundError(
            error.message,
            hint="a frame holds one array: --path ARRAY; `zarrdb ls -R FILE` lists them",
        ) from None
