"""Facts of a node as `ls`, its tree and `info` show them."""

from zarrdb.hierarchy import Node


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
