"""The nodes of a hierarchy, from its metadata documents and its keys."""

from collections.abc import Iterator
from typing import Any, Literal, NamedTuple

from zarrdb.hierarchy.arrays import ArrayFacts, array_v2, array_v3
from zarrdb.hierarchy.chunks import Grid, Tally, count
from zarrdb.hierarchy.documents import Document, has_documents, node_documents
from zarrdb.hierarchy.labels import Codec
from zarrdb.keys import Entry, FarSource, KeySource, as_prefix, join

Kind = Literal["group", "array", "broken"]


class Node(NamedTuple):
    """A group or an array as its documents describe it.

    A path with documents of both formats, or of both kinds, is several nodes. What the
    documents do not say, or say wrongly, is None; `problem` then tells the first fault.
    """

    path: str
    """`""` is the root."""
    kind: Kind
    zarr_format: int | None
    """2 or 3; None for a group that has no document of its own but nodes below it."""
    data_type: str | None = None
    """zarr's name of it: `float32`, also for `<f4`."""
    item_size: int | None = None
    """Bytes of a decoded item, where the data type fixes them."""
    shape: tuple[int, ...] | None = None
    dimension_names: tuple[str | None, ...] | None = None
    chunk_shape: tuple[int, ...] | None = None
    """Of the chunks inside the shards, where there are shards."""
    shard_shape: tuple[int, ...] | None = None
    fill_value: Any = None
    codecs: tuple[Codec, ...] = ()
    attributes: dict[str, Any] | None = None
    grid: Grid | None = None
    """The stored chunks (shards) and how their keys are written."""
    chunks_present: int | None = None
    """Stored chunks (shards) inside the grid; None when they were not counted."""
    chunks_total: int | None = None
    stored_bytes: int | None = 0
    """Of an array's chunks, where they were counted; else of the documents. None for chunks
    far away, whose sizes would have to be fetched one by one."""
    document_bytes: int = 0
    strays: int = 0
    """Other keys below an array that are no documents, where they were counted."""
    stray_bytes: int = 0
    problem: str | None = None
    """What is wrong with its documents: `zarr.json is not JSON (3:9)`."""

    @property
    def is_implicit(self) -> bool:
        """Whether it has no document of its own."""
        return self.kind == "group" and self.zarr_format is None


def walk(
    source: KeySource, path: str = "", *, depth: int | None = None, counts: bool = True
) -> Iterator[Node]:
    """The nodes at `path` and all below, parents first, siblings in order of their names.

    `depth` 0 is the path alone, 1 its children too, None everything. `counts=False` reads no
    chunk keys, and then does not look for nodes below arrays. One bad document never hides
    another node. Raises what the source raises.
    """
    reader = _Reader(source, counts=counts)
    levels = [iter((path,))]
    while levels:
        here = next(levels[-1], None)
        if here is None:
            levels.pop()
            continue
        nodes, is_parent = reader.nodes(here)
        yield from nodes
        if is_parent and (depth is None or len(levels) <= depth):
            levels.append(reader.below(here))


def lookup(source: KeySource, path: str, *, counts: bool = True) -> tuple[Node, ...]:
    """The nodes at a path: none, one, or one for each format and kind that claims it."""
    return tuple(_Reader(source, counts=counts).nodes(path)[0])


class _Reader:
    """One walk over a source; remembers where it last saw a node below a place."""

    def __init__(self, source: KeySource, *, counts: bool) -> None:
        self._source = source
        self._counts = counts
        self._last_found = ""

    def nodes(self, path: str) -> tuple[list[Node], bool]:
        """The nodes at a path, and whether there may be others below it."""
        documents = node_documents(self._source, path)
        nodes = [*_nodes_v3(path, documents), *_nodes_v2(path, documents)]
        if not nodes:
            if not documents and not self._has_nodes_below(path):
                return [], False
            return [_implicit(path, documents)], True
        is_parent = any(node.kind != "array" for node in nodes)
        if self._counts:
            for position, node in enumerate(nodes):
                if node.kind == "array":
                    nodes[position], has_nodes = self._counted(node)
                    is_parent = is_parent or has_nodes
        return nodes, is_parent

    def below(self, path: str) -> Iterator[str]:
        """The paths directly below one, whether nodes or not."""
        for child in self._source.children(as_prefix(path)):
            # A prefix with an empty name is that of a key which the format forbids.
            if child.is_prefix and child.name:
                yield join(path, child.name)

    def _counted(self, node: Node) -> tuple[Node, bool]:
        prefix = as_prefix(node.path)
        if not isinstance(self._source, FarSource):
            tally = count(self._source.entries(prefix), prefix, node.grid)
            return _with(node, tally), tally.has_nodes
        keys = self._source.keys_at_hand(prefix)
        if keys is None:
            return node._replace(stored_bytes=None), False
        tally = count((Entry(key, 0) for key in keys), prefix, node.grid)
        return _with(node, tally)._replace(stored_bytes=None), tally.has_nodes

    def _has_nodes_below(self, path: str) -> bool:
        prefix = as_prefix(path)
        if self._last_found.startswith(prefix) and self._last_found:
            return True
        levels = [self.below(path)]
        while levels:
            here = next(levels[-1], None)
            if here is None:
                levels.pop()
            elif has_documents(self._source, here):
                self._last_found = here
                return True
            else:
                levels.append(self.below(here))
        return False


def _nodes_v3(path: str, documents: dict[str, Document]) -> Iterator[Node]:
    document = documents.get("zarr.json")
    if document is None:
        return
    size, value, problem = document
    if value is None:
        yield _broken(path, 3, size, f"zarr.json {problem}")
    elif type(value.get("zarr_format")) is not int or value["zarr_format"] != 3:
        yield _broken(path, 3, size, "zarr.json does not say zarr_format 3")
    elif value.get("node_type") == "group":
        attributes, fault = _attributes(value.get("attributes", {}), "attributes of zarr.json")
        yield Node(path, "group", 3, attributes=attributes, problem=fault)._replace(
            stored_bytes=size, document_bytes=size
        )
    elif value.get("node_type") == "array":
        attributes, fault = _attributes(value.get("attributes", {}), "attributes of zarr.json")
        yield _array(path, 3, array_v3(value), attributes, size, fault)
    else:
        yield _broken(path, 3, size, "zarr.json has no node_type `group` or `array`")


def _nodes_v2(path: str, documents: dict[str, Document]) -> Iterator[Node]:
    attributes, fault, extra = _attributes_v2(documents)
    for name in (".zarray", ".zgroup"):
        document = documents.get(name)
        if document is None:
            continue
        size, value, problem = document
        size += extra
        if value is None:
            yield _broken(path, 2, size, f"{name} {problem}")
        elif name == ".zarray":
            yield _array(path, 2, array_v2(value, attributes), attributes, size, fault)
        else:
            yield Node(path, "group", 2, attributes=attributes, problem=fault)._replace(
                stored_bytes=size, document_bytes=size
            )


def _attributes_v2(
    documents: dict[str, Document],
) -> tuple[dict[str, Any] | None, str | None, int]:
    """Attributes, what is wrong with them, and the bytes of what stands beside the node's."""
    extra = sum(documents[name].size for name in (".zattrs", ".zmetadata") if name in documents)
    document = documents.get(".zattrs")
    if document is None:
        return {}, None, extra
    fault = f".zattrs {document.problem}" if document.problem else None
    return document.value, fault, extra


def _attributes(value: object, name: str) -> tuple[dict[str, Any] | None, str | None]:
    return (value, None) if isinstance(value, dict) else (None, f"{name} is no object")


def _array(
    path: str,
    zarr_format: int,
    facts: ArrayFacts,
    attributes: dict[str, Any] | None,
    size: int,
    fault: str | None,
) -> Node:
    name = ".zarray" if zarr_format == 2 else "zarr.json"
    return Node(
        path=path,
        kind="array",
        zarr_format=zarr_format,
        data_type=facts.data_type.name if facts.data_type else None,
        item_size=facts.data_type.size if facts.data_type else None,
        shape=facts.shape,
        dimension_names=facts.dimension_names,
        chunk_shape=facts.chunk_shape,
        shard_shape=facts.shard_shape,
        fill_value=facts.fill_value,
        codecs=facts.codecs,
        attributes=attributes,
        grid=facts.grid,
        chunks_total=facts.grid.total if facts.grid else None,
        stored_bytes=size,
        document_bytes=size,
        problem=f"{name}: {facts.problem}" if facts.problem else fault,
    )


def _with(node: Node, tally: Tally) -> Node:
    return node._replace(
        chunks_present=tally.chunks if node.grid else None,
        stored_bytes=tally.chunk_bytes,
        strays=tally.strays,
        stray_bytes=tally.stray_bytes,
    )


def _broken(path: str, zarr_format: int, size: int, problem: str) -> Node:
    return Node(
        path, "broken", zarr_format, stored_bytes=size, document_bytes=size, problem=problem
    )


def _implicit(path: str, documents: dict[str, Document]) -> Node:
    attributes, fault, size = _attributes_v2(documents)
    return Node(
        path,
        "group",
        None,
        attributes=attributes,
        stored_bytes=size,
        document_bytes=size,
        problem=fault,
    )
