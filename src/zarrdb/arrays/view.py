"""A part of an array, read in blocks, by NumPy's rules of slicing."""

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

from zarrdb.arrays.pipeline import Pipeline, pipeline_v2, pipeline_v3
from zarrdb.errors import CorruptError, NotFoundError, UsageError
from zarrdb.hierarchy import lookup
from zarrdb.hierarchy.nodes import Node
from zarrdb.keys import KeySource, join, printable

BLOCK_BYTES: Final = 64 << 20
"""Decoded bytes that are held at once, unless a single row of chunks is larger."""

Selector = int | slice


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
    """A selected part of one array of a source."""

    def __init__(self, source: KeySource, node: Node, text: str) -> None:
        if node.shape is None:
            raise CorruptError(
                f"{printable(source.name)}: `{printable(node.path)}` cannot be decoded:"
                f" {node.problem or 'its shape is not clear'}"
            )
        self.axes = parse_selection(text, node.shape)
        self._array = _open(source, node)
        self._node = node

    @property
    def dtype(self) -> Any:
        """The NumPy data type of what is read."""
        return self._array.dtype

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
        first = kept[0]
        axis = self.axes[first]
        rows = self._rows(first)
        for begin in range(0, axis.length, rows):
            length = min(rows, axis.length - begin)
            part = axis._replace(start=axis.start + begin * axis.step, length=length)
            yield self._read((*self.axes[:first], part, *self.axes[first + 1 :]))

    def _rows(self, first: int) -> int:
        """Items along an axis that a block takes: whole chunks of it."""
        row: int = max(1, self.dtype.itemsize)
        for number, axis in enumerate(self.axes):
            row *= axis.length if number != first else 1
        chunks = self._node.shard_shape or self._node.chunk_shape
        chunk = max(1, (chunks[first] if chunks else 1) // abs(self.axes[first].step))
        return max(chunk, BLOCK_BYTES // row // chunk * chunk)

    def _read(self, axes: tuple[Axis, ...]) -> Any:
        import numpy as np

        if any(axis.length == 0 for axis in axes):
            return np.empty([axis.length for axis in axes if axis.keep], self.dtype)
        forward = tuple(_forward(axis) for axis in axes)
        try:
            block = np.asarray(self._array[forward])
        except CorruptError:
            raise
        except Exception as error:
            # Codecs, and zarr around them, raise whatever comes to their authors' minds.
            raise CorruptError(
                f"{self._array.store}: `{printable(self._node.path)}` cannot be decoded: {error}",
                hint="`zarrdb check --data` names the chunks",
            ) from error
        turned = tuple(slice(None, None, -1 if axis.step < 0 else 1) for axis in axes)
        return block[turned].reshape([axis.length for axis in axes if axis.keep])


def _forward(axis: Axis) -> slice:
    last = axis.start + (axis.length - 1) * axis.step
    low, high = min(axis.start, last), max(axis.start, last)
    return slice(low, high + 1, abs(axis.step))


def open_view(source: KeySource, path: str, text: str) -> View:
    """A part of the array at a node path. Raises NotFoundError, UsageError, CorruptError."""
    nodes = lookup(source, path, counts=False)
    arrays = [node for node in nodes if node.kind == "array"]
    if not arrays:
        what = "is a group" if nodes else "is no node"
        raise NotFoundError(
            f"{printable(source.name)}: `{printable(path)}` {what}",
            hint="--slice wants an array; `zarrdb ls -R FILE` lists them",
        )
    return View(source, arrays[0], text)


def _open(source: KeySource, node: Node) -> Any:
    import zarr

    from zarrdb.arrays.sourcestore import SourceStore

    pipeline = _pipeline(source, node)
    if pipeline is not None and (obstacle := pipeline.obstacle()) is not None:
        raise CorruptError(
            f"{printable(source.name)}: `{printable(node.path)}` is not decoded: {obstacle}"
        )

    def guard(key: str, value: bytes) -> None:
        if pipeline is not None:
            try:
                pipeline.guard(value)
            except CorruptError as error:
                raise type(error)(f"{printable(source.name)}: {printable(key)}: {error}") from None

    try:
        return zarr.open_array(
            SourceStore(source, guard), path=node.path, mode="r", zarr_format=_format(node)
        )
    except Exception as error:
        # zarr raises ValueError, TypeError, KeyError … for documents that it cannot take.
        raise CorruptError(
            f"{printable(source.name)}: `{printable(node.path)}`: zarr cannot open it: {error}",
            hint="`zarrdb check` tells what is wrong with its document",
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
