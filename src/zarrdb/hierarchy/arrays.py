"""What the document of an array says about it, as far as it can be understood.

The rules are not applied here: a member that makes no sense is left out and named.
"""

from typing import Any, Final, NamedTuple

from zarrdb.hierarchy import labels
from zarrdb.hierarchy.chunks import Grid

Shape = tuple[int, ...]

# Some 4,200 digits, which leaves room for the size of an item.
_MOST_BITS: Final = 14_000

_DEFAULT_SEPARATORS: Final = {"default": "/", "v2": "."}


class ArrayFacts(NamedTuple):
    """The facts of one array; None is what its document does not say, or says wrongly."""

    data_type: labels.DataType | None
    shape: Shape | None
    dimension_names: tuple[str | None, ...] | None
    chunk_shape: Shape | None
    shard_shape: Shape | None
    fill_value: Any
    codecs: tuple[labels.Codec, ...]
    grid: Grid | None
    problem: str | None
    """The first member that makes no sense: `shape is no list of lengths`."""


def array_v2(document: dict[str, Any], attributes: dict[str, Any] | None) -> ArrayFacts:
    """The facts of a `.zarray`; xarray keeps dimension names in the attributes."""
    shape, chunks = lengths(document.get("shape")), lengths(document.get("chunks"))
    separator = document.get("dimension_separator", ".")
    data_type = labels.data_type_v2(document.get("dtype"), document.get("filters"))
    counts = chunk_counts(shape, chunks)
    problem = _first(
        document,
        (shape is None, "shape", "is no list of lengths"),
        (chunks is None, "chunks", "is no list of lengths"),
        (counts is None, "chunks", "does not fit shape"),
        (data_type is None, "dtype", "is no data type"),
        (separator not in (".", "/"), "dimension_separator", "is neither `.` nor `/`"),
    )
    return ArrayFacts(
        data_type=data_type,
        shape=shape,
        dimension_names=_names((attributes or {}).get("_ARRAY_DIMENSIONS")),
        chunk_shape=chunks,
        shard_shape=None,
        fill_value=document.get("fill_value"),
        codecs=labels.codecs_v2(document.get("compressor"), document.get("filters")),
        grid=_grid(layout_v2(document)),
        problem=problem,
    )


def array_v3(document: dict[str, Any]) -> ArrayFacts:
    """The facts of a `zarr.json` of an array."""
    shape = lengths(document.get("shape"))
    data_type = labels.data_type_v3(document.get("data_type"))
    stored = _regular(document.get("chunk_grid"))
    counts = chunk_counts(shape, stored)
    if stored is None:
        counts = _rectilinear(document.get("chunk_grid"), shape)
    inner = lengths(labels.shard_chunk_shape(document.get("codecs")))
    problem = _first(
        document,
        (shape is None, "shape", "is no list of lengths"),
        (data_type is None, "data_type", "has no name"),
        (stored is not None and counts is None, "chunk_grid", "does not fit shape"),
        (not isinstance(document.get("codecs"), list), "codecs", "is no list"),
    )
    return ArrayFacts(
        data_type=data_type,
        shape=shape,
        dimension_names=_names(document.get("dimension_names")),
        chunk_shape=stored if inner is None else inner,
        shard_shape=None if inner is None else stored,
        fill_value=document.get("fill_value"),
        codecs=labels.codecs_v3(document.get("codecs")),
        grid=_grid(layout_v3(document)),
        problem=problem,
    )


class Layout(NamedTuple):
    """The chunks along each axis, and how their keys are written; what a Grid is made of."""

    lengths: Shape
    encoding: str
    separator: str


def layout_v2(document: dict[str, Any]) -> Layout | None:
    """The layout that a `.zarray` describes, None where it does not."""
    shape, chunks = lengths(document.get("shape")), lengths(document.get("chunks"))
    return layout_v2_of(shape, chunks, document.get("dimension_separator", "."))


def layout_v2_of(shape: Shape | None, chunks: Shape | None, separator: object) -> Layout | None:
    """The layout of an array of this shape, chunk shape and separator."""
    counts = chunk_counts(shape, chunks)
    if counts is None or separator not in (".", "/"):
        return None
    return Layout(counts, "v2", str(separator))


def layout_v3(document: dict[str, Any]) -> Layout | None:
    """The layout that a `zarr.json` of an array describes, None where it does not."""
    shape, grid = lengths(document.get("shape")), document.get("chunk_grid")
    stored = _regular(grid)
    counts = _rectilinear(grid, shape) if stored is None else chunk_counts(shape, stored)
    encoding = _encoding(document.get("chunk_key_encoding"))
    return None if counts is None or encoding is None else Layout(counts, *encoding)


def _grid(layout: Layout | None) -> Grid | None:
    if layout is None:
        return None
    return Grid(layout.lengths, encoding=layout.encoding, separator=layout.separator)


def lengths(value: object) -> Shape | None:
    """A list of whole numbers from 0 as a tuple; None for anything else.

    None also where the product has more digits than Python prints.
    """
    if type(value) is not list:
        return None
    bits = 0
    for number in value:
        if type(number) is not int or number < 0:
            return None
        bits += number.bit_length()
    return tuple(value) if bits <= _MOST_BITS else None


def chunk_counts(shape: Shape | None, chunks: Shape | None) -> Shape | None:
    """The number of chunks along each axis; an axis without items has none."""
    if shape is None or chunks is None or len(shape) != len(chunks):
        return None
    counts = []
    for size, chunk in zip(shape, chunks, strict=True):
        if size and not chunk:
            return None
        counts.append(-(-size // (chunk or 1)))
    return tuple(counts)


def named(value: object) -> tuple[str, dict[str, Any]]:
    """Name and configuration of an extension, `("", {})` for what has no name."""
    if isinstance(value, str):
        return value, {}
    if not isinstance(value, dict) or not isinstance(value.get("name"), str):
        return "", {}
    settings = value.get("configuration", {})
    return value["name"], settings if isinstance(settings, dict) else {}


def _regular(grid: object) -> Shape | None:
    name, settings = named(grid)
    return lengths(settings.get("chunk_shape")) if name == "regular" else None


def _rectilinear(grid: object, shape: Shape | None) -> Shape | None:
    """Chunk counts of a grid whose chunks differ in size along an axis."""
    name, settings = named(grid)
    axes = settings.get("chunk_shapes")
    if name != "rectilinear" or shape is None or not isinstance(axes, list):
        return None
    if len(axes) != len(shape):
        return None
    counts = [_edges(axis, size) for axis, size in zip(axes, shape, strict=True)]
    return lengths(counts)


def _edges(axis: object, size: int) -> int | None:
    if type(axis) is int and axis > 0:
        return -(-size // axis)
    if not isinstance(axis, list):
        return None
    count = 0
    for edge in axis:
        if type(edge) is int and edge > 0:
            count += 1
        elif (run := lengths(edge)) and len(run) == 2:
            count += run[1]
        else:
            return None
    return count


def _encoding(value: object) -> tuple[str, str] | None:
    name, settings = named(value)
    separator = settings.get("separator", _DEFAULT_SEPARATORS.get(name))
    if name not in _DEFAULT_SEPARATORS or separator not in (".", "/"):
        return None
    return name, str(separator)


def _names(value: object) -> tuple[str | None, ...] | None:
    if isinstance(value, list) and all(item is None or isinstance(item, str) for item in value):
        return tuple(value)
    return None


def _first(document: dict[str, Any], *faults: tuple[bool, str, str]) -> str | None:
    """The first fault that is there: of a member that is wrong, or missing altogether."""
    for found, member, fault in faults:
        if found:
            return f"{member} {fault}" if member in document else f"{member} is missing"
    return None
