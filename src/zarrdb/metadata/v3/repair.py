"""What known writers got wrong in v3 documents."""

from collections.abc import Iterator
from typing import Any, Final, TypeGuard

from zarrdb.metadata.problem import Loc
from zarrdb.metadata.repair import NULL_CONSOLIDATED, ZERO_CHUNK_LENGTH, Repair, unnamed_floats
from zarrdb.metadata.v3.envelope import CONFIGURATION
from zarrdb.metadata.v3.read_node import CONSOLIDATED

_FLOATS: Final = ("float16", "float32", "float64")
_COMPLEX: Final = ("complex64", "complex128")


def repairs(value: Any) -> tuple[Repair, ...]:
    """The repairs of a `zarr.json`, and of every document that it lists.

    zarr-python 3.0 and 3.1 wrote chunk lengths of 0 on empty axes, `consolidated_metadata` as
    null, and within it NaN and Infinity as bare tokens.
    """
    return tuple(_repairs(value, ()))


def _repairs(value: Any, at: Loc) -> Iterator[Repair]:
    if not isinstance(value, dict):
        return
    node_type = value.get("node_type")
    if node_type == "array":
        yield from _zero_chunks(value, at)
        if at:
            yield from _bare_fill_values(value, at)
    copy = value.get(CONSOLIDATED, 0)
    if node_type == "group" and copy is None:
        yield Repair((*at, CONSOLIDATED), NULL_CONSOLIDATED, removed=True)
    listed = copy.get("metadata") if isinstance(copy, dict) else None
    if isinstance(listed, dict):
        for path, entry in listed.items():
            yield from _repairs(entry, (*at, CONSOLIDATED, "metadata", path))


def _zero_chunks(array: dict[str, Any], at: Loc) -> Iterator[Repair]:
    """A length of 0 in a regular grid becomes 1, where every such axis is empty."""
    shape, grid = array.get("shape"), array.get("chunk_grid")
    if not isinstance(grid, dict) or grid.get("name") != "regular":
        return
    configuration = grid.get("configuration")
    chunks = configuration.get("chunk_shape") if isinstance(configuration, dict) else None
    if not _are_lengths(shape) or not _are_lengths(chunks) or len(shape) != len(chunks):
        return
    zeros = [axis for axis, length in enumerate(chunks) if length == 0]
    if all(shape[axis] == 0 for axis in zeros):
        for axis in zeros:
            loc = (*at, "chunk_grid", *CONFIGURATION, "chunk_shape", axis)
            yield Repair(loc, ZERO_CHUNK_LENGTH, 1)


def _are_lengths(value: Any) -> TypeGuard[list[int]]:
    return isinstance(value, list) and all(type(each) is int and each >= 0 for each in value)


def _bare_fill_values(array: dict[str, Any], at: Loc) -> Iterator[Repair]:
    data_type, fill_value = array.get("data_type"), array.get("fill_value")
    if data_type in _FLOATS or data_type in _COMPLEX:
        yield from unnamed_floats(fill_value, (*at, "fill_value"), parts=data_type in _COMPLEX)
