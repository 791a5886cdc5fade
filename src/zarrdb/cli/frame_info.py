"""What `info` says about a Blosc2 frame."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

from zarrdb.cli.frames import frame_node, require_root
from zarrdb.cli.info_node import attribute_lines, conventions, decoded_bytes, ratio
from zarrdb.cli.output import Output
from zarrdb.cli.shown import node_members, shape_text
from zarrdb.frame.chunk import NANS, UNWRITTEN, ZEROS
from zarrdb.frame.labels import codec_label, filter_labels
from zarrdb.frame.plan import HEAD, TAIL
from zarrdb.hierarchy import Node
from zarrdb.keys import printable
from zarrdb.units import size_text

if TYPE_CHECKING:
    from zarrdb.frame import FrameFile

_VERSION_BITS = 15
_LABEL = 11


class _Parts(NamedTuple):
    """Bytes of the parts of a file that holds a frame."""

    header: int
    chunks: int
    end: int
    """Offsets of the chunks and trailer."""
    trailing: int

    @property
    def is_ready(self) -> bool:
        """Whether one round trip, of head and tail, opens it from afar."""
        return self.header <= HEAD and self.end <= TAIL and not self.trailing

    @property
    def requests(self) -> int:
        """What opening it from afar takes."""
        return 2 if self.is_ready else 3


def print_frame(frame: "FrameFile", node: str, out: Output) -> None:
    """Print what is known of a frame and the array in it. Raises NotFoundError."""
    require_root(frame, node)
    found = frame_node(frame, out, counts=True)
    parts = _parts(frame)
    if out.json:
        out.json_line(_members(frame, found, parts))
        return
    version = frame.header.fixed.flags & _VERSION_BITS
    title = out.style(printable(frame.name), "bold")
    out.line(f"{title}   Blosc2 frame, version {version}, contiguous")
    for label, text in _rows(frame, found, parts):
        out.line(f"{label:{_LABEL}}{text}")
    for label, text in attribute_lines(found, out, _LABEL):
        out.line(f"{label.lower():{_LABEL}}{text}")


def _parts(frame: "FrameFile") -> _Parts:
    header = frame.header
    return _Parts(
        header.fixed.header_len,
        header.fixed.cbytes,
        header.frame_len - header.index_at,
        frame.reader.size - header.frame_len,
    )


def _rows(frame: "FrameFile", node: Node, parts: _Parts) -> Iterator[tuple[str, str]]:
    sizes = f"header {size_text(parts.header)}, chunks {size_text(parts.chunks)}"
    more = f", {size_text(parts.trailing)} behind the frame" if parts.trailing else ""
    rest = f"offsets and attributes {size_text(parts.end)}"
    yield "file", f"{size_text(frame.reader.size)}: {sizes}, {rest}{more}"
    opens = "ready: opens in 1 round trip" if parts.is_ready else "opens in 2 round trips"
    yield "remote", f"{opens} ({parts.requests} requests), a chunk in 1 more"
    order = ", big-endian" if frame.dtype.byteorder == ">" else ""
    yield "data type", printable(node.data_type or "") + order
    chunks = f"chunks {shape_text(frame.chunks)}, blocks {shape_text(frame.blocks)}"
    yield "shape", f"{shape_text(frame.shape)}, {chunks}"
    codecs = [*filter_labels(frame.compression), codec_label(frame.compression)]
    yield "codec", ", ".join(codecs)
    yield "chunks", _chunks_text(frame)
    if node.problem:
        yield "problem", f"{printable(node.problem)}: `zarrdb check` tells more"
    size = decoded_bytes(node) or 0
    share = ratio(size, parts.chunks)
    yield "data", f"{size_text(size)} decoded" + (f", ratio {share}" if share else "")
    if declared := conventions(node.attributes):
        yield "declares", ", ".join(declared)


def _chunks_text(frame: "FrameFile") -> str:
    tally = frame.state.plan.index.tally()
    text = f"{frame.nchunks - tally[UNWRITTEN]:,} of {frame.nchunks:,} written"
    special = [f"{tally[kind]:,} {name}" for kind, name in ((ZEROS, "zeros"), (NANS, "NaN"))]
    shown = [each for each in special if not each.startswith("0 ")]
    return f"{text}; without bytes of their own: {', '.join(shown)}" if shown else text


def _members(frame: "FrameFile", node: Node, parts: _Parts) -> dict[str, object]:
    tally = frame.state.plan.index.tally()
    return {
        "file": frame.name,
        "kind": frame.kind,
        "container": {
            "frame_version": frame.header.fixed.flags & _VERSION_BITS,
            "bytes": frame.reader.size,
            "header_bytes": parts.header,
            "chunk_bytes": parts.chunks,
            "end_bytes": parts.end,
            "trailing_bytes": parts.trailing,
            "codec": codec_label(frame.compression),
            "filters": filter_labels(frame.compression),
        },
        "remote": {"opening": parts.requests, "chunk": 1},
        "array": {
            **node_members(node),
            "dtype": str(frame.dtype) if frame.dtype.names else frame.dtype.str,
            "block_shape": frame.blocks,
        },
        "chunks": {
            "total": frame.nchunks,
            "written": frame.nchunks - tally[UNWRITTEN],
            "stored": tally[0],
            "zeros": tally[ZEROS],
            "nan": tally[NANS],
            "unwritten": tally[UNWRITTEN],
        },
        "data": {"decoded_bytes": decoded_bytes(node)},
        "attributes": node.attributes,
        "conventions": conventions(node.attributes),
    }
