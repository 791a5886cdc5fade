"""A part of an array, read in blocks, by NumPy's rules of slicing."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from zarrdb.arrays.opening import array_node, open_array, read_box
from zarrdb.errors import CorruptError, UsageError
from zarrdb.keys import KeySource, printable

if TYPE_CHECKING:
    from zarrdb.frame import Frame

BLOCK_BYTES: Final = 64 << 20
"""Decoded bytes that are held at once, unless a single row of chunks is larger."""

Box: TypeAlias = tuple[slice, ...]
Read: TypeAlias = Callable[[Box], Any]


class Axis(NamedTuple):
    """What is taken along one axis: items `start + i * step` for `length` values of i."""

    start: int
    step: int
    length: int
    keep: bool
    """False for an index, which takes the axis away."""


def parse_selection(text: str, shape: tuple[int, ...]) -> tuple[Axis, ...]:
    """What `0:10, ::-2, 3, ...` selects of an array. Raises UsageError."""
    parts = [part.strip() for part in text.split(",")] if text.strip() else []
    if parts and not parts[-1]:
        parts.pop()
    if parts.count("...") > 1:
        raise _wrong(text, "has more than one `...`")
    if "..." in parts:
        place = parts.index("...")
        parts[place : place + 1] = [":"] * (len(shape) - len(parts) + 1)
    if len(parts) > len(shape):
        raise _wrong(text, f"has {len(parts)} axes, the array has {len(shape)}")
    parts += [":"] * (len(shape) - len(parts))
    return tuple(
        _axis(text, part, size, number)
        for number, (part, size) in enumerate(zip(parts, shape, strict=True))
    )


def _axis(text: str, part: str, size: int, number: int) -> Axis:
    try:
        numbers = [int(each) if each.strip() else None for each in part.split(":")]
    except ValueError:
        raise _wrong(text, f"`{printable(part)}` is no index and no slice") from None
    if len(numbers) == 1:
        index = numbers[0]
        if index is None or not -size <= index < size:
            raise _wrong(text, f"index {part} is outside axis {number} of length {size}")
        return Axis(index % size, 1, 1, keep=False)
    if len(numbers) > 3 or numbers[2:] == [0]:
        raise _wrong(text, f"`{printable(part)}` is no slice")
    start, stop, step = slice(*numbers).indices(size)
    return Axis(start, step, len(range(start, stop, step)), keep=True)


def _wrong(text: str, why: str) -> UsageError:
    return UsageError(
        f"--slice `{printable(text)}`: {why}",
        hint="NumPy's rules: `0:10, ::5` or `-1` or `..., 0`; an empty text is all of it",
    )


class View:
    """A selected part of one array, `read` by ascending slices, one an axis."""

    def __init__(
        self, axes: tuple[Axis, ...], dtype: Any, chunks: tuple[int, ...], read: Read
    ) -> None:
        self.axes = axes
        self.dtype = dtype
        """The NumPy data type of what is read."""
        self._chunks = chunks
        self._read_box = read

    @property
    def shape(self) -> tuple[int, ...]:
        """The shape of what is read."""
        return tuple(axis.length for axis in self.axes if axis.keep)

    def blocks(self) -> Iterator[Any]:
        """NumPy arrays that follow one another along the first axis that was kept.

        Raises CorruptError for chunks that do not decode.
        """
        kept = [number for number, axis in enumerate(self.axes) if axis.keep]
        if not kept or 0 in self.shape:
            yield self._read(self.axes)
            return
        axis, rows = self.axes[kept[0]], self._rows(kept[0])
        # Blocks end where chunks do, so that none is decoded for two of them.
        lead = axis.start % rows if axis.step == 1 else 0
        for begin in range(-lead, axis.length, rows):
            yield self.read((slice(max(0, begin), min(begin + rows, axis.length)),))

    def read(self, region: Box) -> Any:
        """The items in a region of what is read: slices with both ends; the last ones may be
        left out."""
        return self._read(self.source_axes(region))

    def source_axes(self, region: Box) -> tuple[Axis, ...]:
        """What of the array lies behind a region of what is read."""
        left = iter(region)
        axes = []
        for axis in self.axes:
            part = next(left, None) if axis.keep else None
            if part is not None:
                start = axis.start + part.start * axis.step
                axis = axis._replace(start=start, length=part.stop - part.start)
            axes.append(axis)
        return tuple(axes)

    def _rows(self, first: int) -> int:
        """Items along an axis that a block takes: whole chunks of it."""
        row: int = max(1, self.dtype.itemsize)
        for number, axis in enumerate(self.axes):
            row *= axis.length if number != first else 1
        chunk = max(1, (self._chunks[first] if self._chunks else 1) // abs(self.axes[first].step))
        return max(chunk, BLOCK_BYTES // row // chunk * chunk)

    def _read(self, axes: tuple[Axis, ...]) -> Any:
        import numpy as np

        if any(axis.length == 0 for axis in axes):
            return np.empty([axis.length for axis in axes if axis.keep], self.dtype)
        block = self._read_box(tuple(_forward(axis) for axis in axes))
        turned = tuple(slice(None, None, -1 if axis.step < 0 else 1) for axis in axes)
        return block[turned].reshape([axis.length for axis in axes if axis.keep])


def _forward(axis: Axis) -> slice:
    last = axis.start + (axis.length - 1) * axis.step
    low, high = min(axis.start, last), max(axis.start, last)
    return slice(low, high + 1, abs(axis.step))


def open_view(source: KeySource, path: str, text: str) -> View:
    """A part of the array at a node path. Raises NotFoundError, UsageError, CorruptError."""
    node = array_node(source, path)
    if node.shape is None:
        raise CorruptError(
            f"{printable(source.name)}: `{printable(node.path)}` cannot be decoded:"
            f" {node.problem or 'its shape is not clear'}"
        )
    axes = parse_selection(text, node.shape)
    array = open_array(source, node)

    def read(box: Box) -> Any:
        return read_box(source, node, array, box)

    return View(axes, array.dtype, node.shard_shape or node.chunk_shape or (), read)


def frame_view(frame: "Frame", text: str) -> View:
    """A part of the array in a Blosc2 frame. Raises UsageError."""
    return View(parse_selection(text, frame.shape), frame.dtype, frame.chunks, frame.read)
