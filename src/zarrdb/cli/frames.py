"""Blosc2 frames in the commands that look: one array, without groups and without keys."""

import os
from collections.abc import Iterator
from typing import TYPE_CHECKING

from zarrdb.cli.output import Output
from zarrdb.cli.values import show_attributes
from zarrdb.errors import FrameError, NotFoundError
from zarrdb.frame.attributes import as_json
from zarrdb.frame.chunk import UNWRITTEN
from zarrdb.frame.dtypes import describe_dtype
from zarrdb.frame.labels import codec_label, filter_labels
from zarrdb.hierarchy import Node
from zarrdb.hierarchy.labels import Codec, data_type_v2
from zarrdb.keys import printable

if TYPE_CHECKING:
    from zarrdb.frame import FrameFile

_ROOT = ("", ".", "/")
"""What the one array of a frame may be called."""


def require_root(frame: "FrameFile", node: str) -> None:
    """Raise NotFoundError for a node path that is not that of the array."""
    if node.strip("/") not in _ROOT:
        raise NotFoundError(
            f"{printable(frame.name)}: no node `{printable(node)}`",
            hint="a Blosc2 frame is one array; it is listed without NODE",
        )


def no_keys(frame: "FrameFile") -> NotFoundError:
    """The error for whoever asks for a key."""
    return NotFoundError(
        f"{printable(frame.name)}: a Blosc2 frame is one array and has no keys",
        hint="`zarrdb cat FILE --slice '0:10'` prints items, `--attributes /` the attributes",
    )


def frame_node(frame: "FrameFile", out: Output, *, counts: bool, attributes: bool = True) -> Node:
    """The array of a frame as a root node, for what lists and describes nodes."""
    shown, problem = None, None
    if attributes:
        try:
            shown = shown_attributes(frame, out)
        except FrameError as error:
            problem = error.message.removeprefix(f"{frame.name}: ")
    data_type = data_type_v2(describe_dtype(frame.dtype), None)
    compression = frame.compression
    written = None
    if counts:
        written = frame.nchunks - frame.state.plan.index.tally()[UNWRITTEN]
    return Node(
        path="",
        kind="array",
        zarr_format=None,
        data_type=data_type.name if data_type else str(frame.dtype),
        item_size=frame.dtype.itemsize,
        shape=frame.shape,
        chunk_shape=frame.chunks,
        codecs=(
            *(Codec("filter", label) for label in filter_labels(compression)),
            Codec("compressor", codec_label(compression)),
        ),
        attributes=shown,
        chunks_present=written,
        chunks_total=frame.nchunks,
        stored_bytes=frame.header.fixed.cbytes,
        problem=problem,
    )


def shown_attributes(frame: "FrameFile", out: Output) -> dict[str, object]:
    """The attributes that JSON can hold; a note names the others."""
    attributes, left_out = as_json(frame.attributes)
    if left_out:
        names = ", ".join(map(printable, left_out))
        out.note(f"{printable(frame.name)}: attributes that JSON has no form for: {names}")
    return attributes


def listed(
    frame: "FrameFile", node: str, out: Output, *, counts: bool, attributes: bool, keys: bool
) -> Iterator[Node]:
    """The one node of a frame. Raises NotFoundError for others, and for keys."""
    if keys:
        raise no_keys(frame)
    require_root(frame, node)
    return iter([frame_node(frame, out, counts=counts, attributes=attributes)])


def base_name(frame: "FrameFile") -> str:
    """What a listing calls the array: the name of its file."""
    return os.path.basename(frame.name.partition("?")[0].rstrip("/"))


def print_attributes(frame: "FrameFile", node: str, out: Output) -> None:
    """Print the attributes as JSON. Raises NotFoundError for a node that is not there."""
    require_root(frame, node)
    show_attributes("", shown_attributes(frame, out), out)
