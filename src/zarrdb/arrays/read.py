"""The stored chunks of an array of any source, decoded."""

from array import array
from collections.abc import Iterator
from itertools import product
from math import prod
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from zarrdb.arrays.opening import HeldArray
from zarrdb.errors import CorruptError, SourceChangedError
from zarrdb.fanout import workers
from zarrdb.frame.geometry import Geometry, ravel, unravel
from zarrdb.hierarchy.nodes import Node
from zarrdb.inorder import in_order
from zarrdb.keys import KeySource, as_prefix, printable

if TYPE_CHECKING:
    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

# Decoded bytes that all workers hold together, unless a single value has more.
_MOST: Final = 256 << 20
# Decoded bytes of one call of zarr, which takes 0.3 ms however small the chunks are.
_RUN: Final = 4 << 20
_MOST_VALUES: Final = 128

Chunk = tuple[int, "Array"]
"""The number of a chunk in C order, and its items as far as they are inside the array."""


class _Run(NamedTuple):
    """Values of neighbours along the last axis: the places of the first and the last of them."""

    first: tuple[int, ...]
    last: tuple[int, ...]
    values: dict[str, bytes]


class StoredArray:
    """One array of a source. Raises CorruptError for one that cannot be decoded."""

    def __init__(self, source: KeySource, node: Node) -> None:
        if node.shape is None or node.chunk_shape is None or node.grid is None:
            what = node.problem or "its chunks have no one shape"
            raise CorruptError(
                f"{printable(source.name)}: `{printable(node.path)}` cannot be decoded: {what}"
            )
        self._source = source
        self._prefix = as_prefix(node.path)
        self._grid = node.grid
        self._held = HeldArray(source, node)
        self._cell = node.shard_shape or node.chunk_shape
        """The shape of what one value holds."""
        self.dtype: np.dtype[Any] = _as_stored(self._held.array)
        """With the byte order of the stored items."""
        self.fill_value: Any = self._held.array.fill_value
        """The item that absent chunks are made of; None if that is nowhere defined."""
        self.geometry = Geometry(
            node.shape, node.chunk_shape, node.chunk_shape, self.dtype.itemsize
        )
        self.stored = array("q", sorted(self._numbers()))
        """The values that there are, by their number in C order of the grid."""

    @property
    def nbytes(self) -> int:
        """Decoded bytes of all stored values."""
        return len(self.stored) * self._value_nbytes

    def chunks(self, jobs: int | None = None) -> Iterator[Chunk]:
        """Each chunk of each stored value, once; those that follow are decoded meanwhile.

        The source is read in the thread that asks. Raises CorruptError, SourceChangedError.
        """
        for chunks in in_order(self._decoded, self._runs(), threads=self.threads(jobs)):
            yield from chunks

    def threads(self, jobs: int | None = None) -> int:
        """How many runs of values may be decoded at once."""
        return min(workers(jobs), max(1, _MOST // max(_RUN, self._value_nbytes)))

    @property
    def _value_nbytes(self) -> int:
        return prod(self._cell) * self.dtype.itemsize

    def _numbers(self) -> Iterator[int]:
        start = len(self._prefix)
        for key, _ in self._source.entries(self._prefix):
            index = self._grid.index(key[start:]) if self._grid.holds(key[start:]) else None
            if index is not None:
                yield ravel(index, self._grid.lengths)

    def _runs(self) -> Iterator[_Run]:
        lengths = self._grid.lengths
        for numbers in self._runs_of_numbers():
            places = [unravel(number, lengths) for number in numbers]
            keys = [self._prefix + self._grid.key(place) for place in places]
            values: dict[str, bytes] = {}
            for key, data in self._source.get_many(keys):
                if data is None:
                    raise SourceChangedError(
                        f"{self._source.name}: {printable(key)} vanished while it was read",
                        hint="try again when nobody writes to it",
                    )
                values[key] = data
            yield _Run(places[0], places[-1], values)

    def _runs_of_numbers(self) -> Iterator[list[int]]:
        most = min(_MOST_VALUES, max(1, _RUN // max(1, self._value_nbytes)))
        in_row = self._grid.lengths[-1] if self._grid.lengths else 1
        run: list[int] = []
        for number in self.stored:
            if run and (number != run[-1] + 1 or number % in_row == 0 or len(run) == most):
                yield run
                run = []
            run.append(number)
        if run:
            yield run

    def _decoded(self, run: _Run) -> list[Chunk]:
        shape, chunks = self.geometry.shape, self.geometry.chunks
        axes = zip(run.first, run.last, self._cell, shape, strict=True)
        box = tuple(slice(i * c, min((j + 1) * c, n)) for i, j, c, n in axes)
        items = self._held.decode(run.values, box).astype(self.dtype, copy=False)
        # Values that are shards hold several chunks each.
        firsts = [part.start // c for part, c in zip(box, chunks, strict=True)]
        counts = [-(-(part.stop - part.start) // c) for part, c in zip(box, chunks, strict=True)]
        found = []
        for inner in product(*map(range, counts)):
            part = tuple(slice(i * c, (i + 1) * c) for i, c in zip(inner, chunks, strict=True))
            index = tuple(first + i for first, i in zip(firsts, inner, strict=True))
            found.append((ravel(index, self.geometry.grid), items[(*part, ...)]))
        return found


def _as_stored(array: Any) -> Any:
    """The data type of an array with the byte order that its codecs store."""
    dtype = array.dtype
    if array.metadata.zarr_format == 3 and not dtype.names and _is_big(array.metadata.codecs):
        return dtype.newbyteorder(">")
    return dtype


def _is_big(codecs: Any) -> bool:
    from zarr.codecs import BytesCodec, ShardingCodec

    for codec in codecs:
        if isinstance(codec, BytesCodec):
            return getattr(codec.endian, "value", codec.endian) == "big"
        if isinstance(codec, ShardingCodec):
            return _is_big(codec.codecs)
    return False
