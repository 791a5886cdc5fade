"""Facts of a node as `ls`, its tree and `info` show them."""

from zarrdb.hierarchy import Node
from zarrdb.units import size_text


def shape_text(shape: tuple[int, ...] | None) -> str:
    """A shape: `365 x 180 x 360`, `()` for a scalar's, nothing for one that is not known."""
    if shape is None:
        return ""
    return " x ".join(map(str, shape)) if shape else "()"


def chunks_text(node: Node) -> str:
    """The shape of its chunks, and of the shards that they lie in."""
    chunks = shape_text(node.chunk_shape)
    return f"{chunks} in {shape_text(node.shard_shape)}" if node.shard_shape else chunks


def present_text(node: Node) -> str:
    """How many of its chunks are stored: `360/365`; nothing where they were not counted."""
    if node.chunks_present is None or node.chunks_total is None:
        return ""
    return f"{node.chunks_present}/{node.chunks_total}"


def stored_text(node: Node, *, exact: bool = False) -> str:
    """How many bytes are stored; `?` where that is far away."""
    if node.stored_bytes is None:
        return "?"
    return str(node.stored_bytes) if exact else size_text(node.stored_bytes)


def node_members(node: Node) -> dict[str, object]:
    """The node as a JSON object has it, but for `schema`."""
    return {
        "path": node.path,
        "kind": node.kind,
        "zarr_format": node.zarr_format,
        "data_type": node.data_type,
        "shape": node.shape,
        "dimension_names": node.dimension_names,
        "chunk_shape": node.chunk_shape,
        "shard_shape": node.shard_shape,
        "chunks_present": node.chunks_present,
        "chunks_total": node.chunks_total,
        "stored_bytes": node.stored_bytes,
        "attributes": node.attributes,
        "problem": node.problem,
    }
