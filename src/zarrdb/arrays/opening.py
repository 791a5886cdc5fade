"""Arrays of any source, opened by zarr-python within bounds."""

from collections.abc import Callable, Mapping
from typing import Any

from zarrdb.arrays.pipeline import Pipeline, pipeline_v2, pipeline_v3
from zarrdb.errors import CorruptError, NotFoundError
from zarrdb.hierarchy import lookup
from zarrdb.hierarchy.nodes import Node
from zarrdb.keys import KeySource, join, printable
from zarrdb.spec import DOCUMENT_NAMES


def array_node(source: KeySource, path: str) -> Node:
    """The array at a node path. Raises NotFoundError."""
    nodes = lookup(source, path, counts=False)
    arrays = [node for node in nodes if node.kind == "array"]
    if not arrays:
        what = "is a group" if nodes else "is no node"
        raise NotFoundError(
            f"{printable(source.name)}: `{printable(path) or '/'}` {what}",
            hint="an array is wanted; `zarrdb ls -R FILE` lists them",
        )
    return arrays[0]


def open_array(source: KeySource, node: Node) -> Any:
    """zarr-python's array at a node, its values guarded against expanding too far.

    Raises CorruptError for one that zarr cannot open, and one whose codecs are not used here.
    """
    from zarrdb.arrays.sourcestore import SourceStore

    return _opened(SourceStore(source, guard_of(source, node)), source, node)


class HeldArray:
    """zarr-python's array at a node, which decodes the values that it is given.

    Safe from several threads. Raises CorruptError as `open_array` does.
    """

    def __init__(self, source: KeySource, node: Node) -> None:
        from zarr.storage import MemoryStore

        from zarrdb.zarrvalues import as_buffer

        self._as_buffer = as_buffer
        self._guard = guard_of(source, node)
        self._source = source
        self._node = node
        keys = [join(node.path, name) for name in DOCUMENT_NAMES]
        self._held: dict[str, Any] = {
            key: as_buffer(value, None) for key, value in source.get_many(keys) if value is not None
        }
        self.array = _opened(MemoryStore(self._held), source, node)

    def decode(self, values: Mapping[str, bytes], box: tuple[slice, ...]) -> Any:
        """The items of a box that lies in the chunks or shards with these keys."""
        for key, value in values.items():
            self._guard(key, value)
        self._held.update({key: self._as_buffer(value, None) for key, value in values.items()})
        try:
            return read_box(self._source, self._node, self.array, box)
        finally:
            for key in values:
                del self._held[key]


def guard_of(source: KeySource, node: Node) -> Callable[[str, bytes], None]:
    """What raises CorruptError for a value that would expand to more than a chunk.

    Raises CorruptError itself for an array whose codecs are not used here.
    """
    pipeline = _pipeline(source, node)
    name = printable(source.name)
    if pipeline is not None and (obstacle := pipeline.obstacle()) is not None:
        raise CorruptError(f"{name}: `{printable(node.path)}` is not decoded: {obstacle}")

    def guard(key: str, value: bytes) -> None:
        if pipeline is not None:
            try:
                pipeline.guard(value)
            except CorruptError as error:
                raise type(error)(f"{name}: {printable(key)}: {error}") from None

    return guard


def _opened(store: Any, source: KeySource, node: Node) -> Any:
    import zarr

    try:
        return zarr.open_array(store, path=node.path, mode="r", zarr_format=_format(node))
    except Exception as error:
        # zarr raises ValueError, TypeError, KeyError … for documents that it cannot take.
        raise CorruptError(
            f"{printable(source.name)}: `{printable(node.path)}`: zarr cannot open it: {error}",
            hint="`zarrdb check` tells what is wrong with its document",
        ) from error


def read_box(source: KeySource, node: Node, array: Any, box: tuple[slice, ...]) -> Any:
    """Items of an array that `open_array` gave. Raises CorruptError."""
    import numpy as np

    try:
        return np.asarray(array[box])
    except CorruptError:
        raise
    except Exception as error:
        # Codecs, and zarr around them, raise whatever comes to their authors' minds.
        raise CorruptError(
            f"{printable(source.name)}: `{printable(node.path)}` cannot be decoded: {error}",
            hint="`zarrdb check --data` names the chunks",
        ) from error


def _format(node: Node) -> Any:
    return node.zarr_format


def _pipeline(source: KeySource, node: Node) -> Pipeline | None:
    """The pipeline of the array's values; None for shards, whose chunks zarr takes out."""
    import json

    try:
        if node.zarr_format == 2:
            document = json.loads(source.get(join(node.path, ".zarray")) or b"")
            return pipeline_v2(document, node.item_size)
        document = json.loads(source.get(join(node.path, "zarr.json")) or b"")
        codecs = document["codecs"]
        if node.shard_shape is not None:
            inner = next(c for c in codecs if c["name"] == "sharding_indexed")
            codecs = inner["configuration"]["codecs"]
            pipeline = pipeline_v3(codecs, node.chunk_shape or (), node.item_size)
            # Only whether it may be decoded at all: the values are shards.
            return None if pipeline.obstacle() is None else pipeline
        return pipeline_v3(codecs, node.chunk_shape or (), node.item_size)
    except (ValueError, TypeError, KeyError, AttributeError):
        return None
