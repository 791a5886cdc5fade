"""What the keys below an array are held against, taken from its document."""

from math import prod
from typing import Any, NamedTuple

from zarrdb.lint.grid import Layout, extent

MAX_RANK = 64
"""Of an array whose chunk keys are judged; NumPy has no more axes than this."""


class ArrayFacts(NamedTuple):
    """Grid and layout of the chunks of one array."""

    zarr_format: int
    shape: tuple[int, ...]
    chunks: tuple[int, ...]
    layout: Layout
    extent: tuple[int, ...]
    """Chunks along each axis."""
    fill_is_null: bool

    @property
    def total(self) -> int:
        """Chunks in the grid."""
        return prod(self.extent)


def array_facts(zarr_format: int, value: Any) -> ArrayFacts | None:
    """The facts of a document, or None where it does not say or says it in a way of its own."""
    shape = _lengths(value.get("shape"))
    if zarr_format == 2:
        chunks = _lengths(value.get("chunks"))
        encoding, separator = "v2", value.get("dimension_separator", ".")
    else:
        chunks = _lengths(_configuration(value.get("chunk_grid"), "regular").get("chunk_shape"))
        encoding, separator = _key_encoding(value.get("chunk_key_encoding"))
    if shape is None or chunks is None or len(shape) != len(chunks) or len(shape) > MAX_RANK:
        return None
    if encoding not in ("default", "v2") or separator not in ("/", "."):
        return None
    return ArrayFacts(
        zarr_format=zarr_format,
        shape=shape,
        chunks=chunks,
        layout=Layout("v2" if encoding == "v2" else "default", separator, len(shape)),
        extent=extent(shape, chunks),
        fill_is_null=value.get("fill_value") is None,
    )


def _lengths(value: Any) -> tuple[int, ...] | None:
    if not isinstance(value, list):
        return None
    if not all(type(item) is int and item >= 0 for item in value):
        return None
    return tuple(value)


def _key_encoding(value: Any) -> tuple[Any, Any]:
    if isinstance(value, str):
        value = {"name": value}
    if not isinstance(value, dict):
        return None, None
    name = value.get("name")
    default = "/" if name == "default" else "."
    return name, _configuration(value, name).get("separator", default)


def _configuration(value: Any, name: Any) -> dict[str, Any]:
    if not isinstance(value, dict) or value.get("name") != name:
        return {}
    configuration = value.get("configuration", {})
    return configuration if isinstance(configuration, dict) else {}
