"""The nodes of a hierarchy, from its metadata documents and its keys."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from zarrdb.keys import KeySource

Kind = Literal["group", "array", "broken"]


class Codec(NamedTuple):
    """One step of an array's pipeline: `role` is `filter`, `serializer` or `compressor`."""

    role: str
    label: str
    """As shown: `zstd (level 3)`."""


class Node(NamedTuple):
    """A group or an array as its documents describe it.

    A path with documents of both formats, or of both kinds, is several nodes. What the
    documents do not say, or say wrongly, is None; `problem` then tells the first fault.
    """

    path: str
    """`""` is the root."""
    kind: Kind
    zarr_format: int | None
    """2 or 3; None for a group that is only implied by nodes below it."""
    data_type: str | None = None
    """zarr's name of it: `float32`, also for `<f4`."""
    shape: tuple[int, ...] | None = None
    dimension_names: tuple[str | None, ...] | None = None
    chunk_shape: tuple[int, ...] | None = None
    """Of the chunks inside the shards, where there are shards."""
    shard_shape: tuple[int, ...] | None = None
    fill_value: Any = None
    codecs: tuple[Codec, ...] = ()
    attributes: dict[str, Any] | None = None
    chunks_present: int | None = None
    """Stored chunks (shards) inside the grid; None when they were not counted."""
    chunks_total: int | None = None
    stored_bytes: int = 0
    """Of the chunks counted, else of the node's documents."""
    problem: str | None = None
    """What is wrong with its documents: `zarr.json is not JSON (3:9)`."""

    @property
    def is_implicit(self) -> bool:
        """Whether it has no document of its own."""
        return self.kind == "group" and self.zarr_format is None


def walk(
    source: KeySource, path: str = "", *, depth: int | None = None, counts: bool = True
) -> Iterator[Node]:
    """The node at `path` and all below it, parents first, in order of their paths.

    `depth` 0 is the node alone, 1 its children too, None everything. `counts=False` reads no
    chunk keys. One bad document never hides another node.
    """
    raise NotImplementedError


def lookup(source: KeySource, path: str, *, counts: bool = True) -> tuple[Node, ...]:
    """The nodes at a path: none, one, or one for each format and kind that claims it."""
    raise NotImplementedError
