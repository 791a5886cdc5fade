"""What `info` says about a group or an array, under the labels of zarr-python."""

from collections.abc import Iterator
from itertools import islice
from math import prod
from typing import Any

from zarrdb.cli.output import Output, json_text
from zarrdb.cli.shown import node_members, shape_text, stored_text
from zarrdb.db import Database
from zarrdb.hierarchy import Node, walk
from zarrdb.keys import KeySource, join, printable
from zarrdb.units import counted, size_text

Row = tuple[str, str, str]

_LABEL = 20
_VALUE = 18
_ATTRIBUTE_LINES = 20

# Chunks that are named, and places of the grid that are looked at for one that is absent.
_NAMED = 3
_TRIES = 10_000


# Names of attributes that nothing else uses.
_CONVENTIONS = {
    "OME-NGFF": ("ome", "multiscales", "omero", "plate", "well", "bioformats2raw.layout"),
    "AnnData": ("encoding-type", "encoding-version"),
    "CF": ("Conventions", "standard_name", "grid_mapping", "cell_methods"),
    "GeoZarr": ("proj:code", "proj:wkt2", "proj:projjson", "spatial:transform", "spatial:bbox"),
    "Zarr conventions": ("zarr_conventions",),
}


def print_node(source: KeySource, node: Node, out: Output) -> None:
    """Print what is known of a node."""
    if out.json:
        out.json_line(_members(source, node))
        return
    title = f"{node.kind}, Zarr v{node.zarr_format}" if node.zarr_format else "implicit group"
    out.line(f"{out.style(printable(node.path) or '/', 'bold')}   {title}")
    for label, value, extra in _rows(source, node):
        text = f"{label:{_LABEL}}{printable(value):{_VALUE}}  {printable(extra)}"
        out.line(text.rstrip())
    for label, text in attribute_lines(node, out, _LABEL):
        out.line(f"{label:{_LABEL}}{text}")


def _rows(source: KeySource, node: Node) -> Iterator[Row]:
    if node.problem:
        yield "Problem", node.problem, ""
    if node.kind == "array":
        yield from _array_rows(source, node)
    else:
        yield from _group_rows(source, node)
    names = conventions(node.attributes)
    if names:
        yield "Conventions", ", ".join(names), ""


def _group_rows(source: KeySource, node: Node) -> Iterator[Row]:
    members = [n for n in walk(source, node.path, depth=1, counts=False) if n.path != node.path]
    arrays = sum(member.kind == "array" for member in members)
    groups = sum(member.kind == "group" for member in members)
    if members or node.kind == "group":
        parts = f"{counted(arrays, 'array')}, {counted(groups, 'group')}"
        yield "No. members", str(len(members)), parts


def _array_rows(source: KeySource, node: Node) -> Iterator[Row]:
    yield "Data type", node.data_type or "?", ""
    names = ", ".join(name if name is not None else "-" for name in node.dimension_names or ())
    yield "Shape", shape_text(node.shape) or "?", f"({names})" if names else ""
    if node.shard_shape is not None:
        yield "Shard shape", shape_text(node.shard_shape), _decoded(node.shard_shape, node)
    yield "Chunk shape", shape_text(node.chunk_shape) or "?", _decoded(node.chunk_shape, node)
    yield "Fill value", _fill_value(node.fill_value), ""
    for role in ("filter", "serializer", "compressor"):
        labels = [codec.label for codec in node.codecs if codec.role == role]
        if labels:
            yield f"{role.capitalize()}{'' if role == 'serializer' else 's'}", ", ".join(labels), ""
    if node.chunks_present is not None and node.chunks_total is not None:
        label = "Shards initialized" if node.shard_shape else "Chunks initialized"
        yield label, f"{node.chunks_present} of {node.chunks_total}", _absent_text(source, node)
    stored = f"stored {stored_text(node)}"
    size = decoded_bytes(node)
    if size is None:
        yield "No. bytes", "?", stored
    else:
        share = ratio(size, node.stored_bytes or 0)
        yield "No. bytes", size_text(size), f"{stored}, ratio {share}" if share else stored
    if node.strays:
        yield "Other keys", str(node.strays), size_text(node.stray_bytes)


def decoded_bytes(node: Node) -> int | None:
    """Bytes of all of an array once decoded; None where its document does not tell."""
    if node.shape is None or node.item_size is None:
        return None
    return prod(node.shape) * node.item_size


def ratio(decoded: int, stored: int) -> str | None:
    """How many times larger the decoded bytes are: `2.3`."""
    if not stored or not decoded:
        return None
    # In integers: the product of a shape may exceed any float.
    tenths = (decoded * 20 + stored) // (2 * stored)
    return f"{tenths // 10:,}.{tenths % 10}"


def conventions(attributes: dict[str, Any] | None) -> list[str]:
    """The conventions that attributes declare, by their names alone."""
    given = attributes or {}
    return [
        convention
        for convention, names in _CONVENTIONS.items()
        if any(name in given for name in names)
    ]


def _decoded(shape: tuple[int, ...] | None, node: Node) -> str:
    if shape is None or node.item_size is None:
        return ""
    return f"{size_text(prod(shape) * node.item_size)} decoded"


def _fill_value(value: object) -> str:
    text = json_text(value, ascii_only=False)
    plain = text.strip('"')
    return plain if plain in ("NaN", "Infinity", "-Infinity") else text


def _absent_text(source: KeySource, node: Node) -> str:
    absent = (node.chunks_total or 0) - (node.chunks_present or 0)
    if not absent:
        return ""
    if not node.chunks_present:
        return "none stored"
    names = list(islice(_absent(source, node), _NAMED))
    shown = ", ".join(names) + (", …" if absent > len(names) else "")
    return f"{absent} absent" + (f": {shown}" if names else "")


def _is_there(source: KeySource, key: str) -> bool:
    if isinstance(source, Database):
        return source.exists(key)
    return source.size(key) is not None


def _absent(source: KeySource, node: Node) -> Iterator[str]:
    """Keys of absent chunks, relative to the array, among the first places of the grid."""
    grid = node.grid
    if grid is None:
        return
    for number in range(min(grid.total, _TRIES)):
        rest, index = number, []
        for length in reversed(grid.lengths):
            rest, place = divmod(rest, length)
            index.append(place)
        key = grid.key(tuple(reversed(index)))
        if not _is_there(source, join(node.path, key)):
            yield key


def attribute_lines(node: Node, out: Output, indent: int) -> Iterator[tuple[str, str]]:
    """The attributes, one a line, the first of them and cut to the width on a terminal."""
    attributes = node.attributes or {}
    short = out.terminal and not out.verbose
    label = "Attributes"
    for name, value in islice(attributes.items(), _ATTRIBUTE_LINES if short else None):
        text = printable(f"{name} = {json_text(value, ascii_only=False)}")
        room = out.width - indent
        if short and len(text) > room:
            text = text[: room - 1] + "…"
        yield label, text
        label = ""
    if short and len(attributes) > _ATTRIBUTE_LINES:
        yield "", f"{len(attributes) - _ATTRIBUTE_LINES} more (-v)"


def _members(source: KeySource, node: Node) -> dict[str, object]:
    members = node_members(node)
    if node.kind == "array":
        size = decoded_bytes(node)
        members |= {
            "item_size": node.item_size,
            "fill_value": node.fill_value,
            "codecs": [{"role": codec.role, "label": codec.label} for codec in node.codecs],
            "decoded_bytes": size,
            "absent": list(islice(_absent(source, node), _ATTRIBUTE_LINES)),
            "other_keys": node.strays,
            "other_bytes": node.stray_bytes,
        }
    return {**members, "conventions": conventions(node.attributes)}
