"""NumPy's basic indexing, taken apart: what to read, and what to make of it."""

from collections.abc import Sequence
from operator import index as as_index
from typing import NamedTuple, cast

from zarrdb.errors import SelectionError


class Selection(NamedTuple):
    """A box to read and the index that turns it into what was asked for."""

    box: tuple[range, ...]
    """One ascending range an axis."""
    finish: tuple[int | slice | None, ...]
    """Drops the axes of integers, adds those of None, turns those of negative steps."""

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of the box."""
        return tuple(len(axis) for axis in self.box)


def select(key: object, shape: tuple[int, ...]) -> Selection:
    """Resolve integers, slices, `...` and None against a shape.

    Raises SelectionError for an index out of bounds, too many of them, or another kind.
    """
    box: list[range] = []
    finish: list[int | slice | None] = []
    for item in _fill_ellipsis(key, len(shape)):
        if item is None:
            finish.append(None)
            continue
        size = shape[len(box)]
        if isinstance(item, slice):
            axis = _slice_range(item, size)
            turned = axis.step < 0
            box.append(axis[::-1] if turned else axis)
            finish.append(slice(None, None, -1 if turned else None))
        else:
            position = _position(item, size, len(box))
            box.append(range(position, position + 1))
            finish.append(0)
    return Selection(tuple(box), tuple(finish))


def _fill_ellipsis(key: object, ndim: int) -> list[object]:
    """One item an axis (and the Nones), whatever was left out."""
    items = list(cast("Sequence[object]", key)) if isinstance(key, tuple) else [key]
    ellipses = sum(item is Ellipsis for item in items)
    if ellipses > 1:
        raise SelectionError("an index can have only one ellipsis (`...`)")
    given = sum(item is not None and item is not Ellipsis for item in items)
    if given > ndim:
        raise SelectionError(f"too many indices: {given} for an array of {ndim} dimensions")
    if not ellipses:
        items.append(Ellipsis)
    at = next(i for i, item in enumerate(items) if item is Ellipsis)
    return items[:at] + [slice(None)] * (ndim - given) + items[at + 1 :]


def _slice_range(item: slice, size: int) -> range:
    try:
        return range(*item.indices(size))
    except (TypeError, ValueError) as error:
        raise SelectionError(f"a slice that cannot be used: {error}") from None


def _position(item: object, size: int, axis: int) -> int:
    try:
        if isinstance(item, bool):
            raise TypeError
        position = as_index(item)  # type: ignore[arg-type]
    except TypeError:
        raise SelectionError(
            f"cannot index with {type(item).__name__}: integers, slices, `...` and None are taken"
        ) from None
    if not -size <= position < size:
        raise SelectionError(f"index {position} is out of bounds for axis {axis} of size {size}")
    return position % size
