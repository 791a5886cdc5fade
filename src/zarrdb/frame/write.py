"""Writing an array as one contiguous frame, in one pass over its chunks."""

import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from struct import Struct
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from zarrdb.db.private import PrivateFile, raise_target_error
from zarrdb.errors import TargetExistsError, UsageError
from zarrdb.frame import build
from zarrdb.frame.attributes import encode_value
from zarrdb.frame.b2nd import MAX_DIMENSIONS
from zarrdb.frame.chunk import (
    HEADER_LENGTH,
    NAN,
    NANS,
    UNWRITTEN,
    VALUE,
    ZEROS,
    parse_chunk_header,
    run_chunk,
)
from zarrdb.frame.codec import compress, compute_blocks, parse_parameters
from zarrdb.frame.dtypes import format_dtype, parse_dtype
from zarrdb.frame.geometry import Geometry
from zarrdb.frame.header import Compression
from zarrdb.inorder import in_order

if TYPE_CHECKING:
    from typing import Any

    import numpy as np

    Array = np.ndarray[Any, np.dtype[Any]]

_MAX_CHUNK = (1 << 31) - 1 - HEADER_LENGTH
_PLAIN_CODECS = range(6)
_ARRAY_FILTERS = (32, 33)
"""They ask for the shape of the array, which a chunk on its own does not have."""
_OFFSETS = {"typesize": 8, "codec": 0, "clevel": 5, "splitmode": 2, "nthreads": 1}
"""BloscLZ, streams not split: as blosc2 writes its own."""
_OFFSET = Struct("<q")


def write_frame(
    path: str | os.PathLike[str],
    items: "Iterable[tuple[int, Array]]",
    *,
    shape: Sequence[int],
    dtype: "np.dtype[Any]",
    chunks: Sequence[int],
    blocks: Sequence[int] | None = None,
    attributes: Mapping[str, object] | None = None,
    fill_value: object = None,
    cparams: Mapping[str, object] | None = None,
    overwrite: bool = False,
    threads: int = 1,
    check: Callable[[str], None] | None = None,
) -> None:
    """Write an array to a new frame, which gets its name when it is complete.

    `items` gives number and items of chunks, each once and as far as it is inside the array;
    those it leaves out are stored as runs of the fill value, without one as never written.
    Attributes become vlmeta, `cparams` are fields of blosc2's CParams. The same calls give
    the same bytes, however many `threads` compress. `check` is called with the path of the
    complete file before it gets its name. Raises UsageError for what a frame cannot hold,
    TargetExistsError, TargetError and NoSpaceError.
    """
    target = os.fspath(path)
    if os.path.lexists(target) and not overwrite:
        raise TargetExistsError(f"{target}: exists already", hint="--overwrite replaces it")
    geometry = _geometry(
        tuple(shape), tuple(chunks), None if blocks is None else tuple(blocks), dtype
    )
    compression = parse_parameters(cparams or {}, geometry.itemsize)
    if compression.codec not in _PLAIN_CODECS or {*compression.filters} & {*_ARRAY_FILTERS}:
        raise UsageError(f"{target}: this codec or filter is written by blosc2 only")
    stored = _stored_attributes(target, attributes or {})
    left_out = _left_out(fill_value, geometry, dtype)

    def compressed(item: "tuple[int, Array]") -> tuple[int, bytes]:
        return item[0], _compressed(item[1], item[0], geometry, dtype, compression)

    chunks_of_bytes = in_order(compressed, items, threads=threads)
    private = PrivateFile(target)
    try:
        try:
            with open(private.path, "wb") as file:
                _write(file, chunks_of_bytes, left_out, geometry, dtype, compression, stored)
        except OSError as error:
            raise_target_error(error, target)
        private.sync()
        if check is not None:
            check(private.path)
        if os.path.exists(target):
            private.take_after(target)
        private.rename()
    finally:
        private.remove()


def _geometry(
    shape: tuple[int, ...],
    chunks: tuple[int, ...],
    blocks: tuple[int, ...] | None,
    dtype: "np.dtype[Any]",
) -> Geometry:
    """The partition, completed and checked; raises UsageError."""
    try:
        parse_dtype(format_dtype(dtype))
    except ValueError as error:
        raise UsageError(f"data type {dtype}: {error}") from error
    if len(shape) != len(chunks) or len(shape) > MAX_DIMENSIONS:
        raise UsageError(f"chunks of {chunks} for an array of {shape}")
    if not all(shape):
        # An array without items stores nothing, and blosc2 wants chunks and blocks as small.
        return Geometry(shape, shape, shape, dtype.itemsize)
    if blocks is None:
        blocks = compute_blocks(shape, chunks, dtype)
    if len(blocks) != len(chunks) or not all(
        0 < b <= c for b, c in zip(blocks, chunks, strict=True)
    ):
        raise UsageError(f"blocks of {blocks} in chunks of {chunks}")
    geometry = Geometry(shape, chunks, blocks, dtype.itemsize)
    if geometry.chunk_nbytes > _MAX_CHUNK:
        raise UsageError(
            f"chunks of {geometry.chunk_nbytes} bytes; a frame holds up to {_MAX_CHUNK}",
            hint="choose smaller chunks",
        )
    return geometry


def storable(attributes: Mapping[str, object]) -> tuple[dict[str, object], list[str]]:
    """The attributes that a frame can hold, and the names of the others."""
    kept, left_out = {}, []
    for name, value in attributes.items():
        try:
            _stored_attribute("", name, value)
        except UsageError:
            left_out.append(name)
        else:
            kept[name] = value
    return kept, left_out


def _stored_attributes(target: str, attributes: Mapping[str, object]) -> dict[str, bytes]:
    stored = {n: _stored_attribute(target, n, value) for n, value in attributes.items()}
    if build.list_length(stored) > build.MAX_LIST:
        raise UsageError(f"{target}: {len(stored)} attributes are more than a frame holds")
    return stored


def _stored_attribute(target: str, name: str, value: object) -> bytes:
    if len(name.encode(errors="surrogatepass")) > build.MAX_NAME:
        raise UsageError(
            f"{target}: the name of attribute {name!r} is over {build.MAX_NAME} bytes long",
            hint="frames hold no longer names",
        )
    try:
        packed = encode_value(value)
        name.encode()
    except (TypeError, ValueError, OverflowError) as error:
        raise UsageError(f"{target}: attribute {name!r}: {error}") from error
    return compress(packed, typesize=1, nthreads=1)


def _write(
    file: BinaryIO,
    chunks: Iterable[tuple[int, bytes]],
    left_out: "_LeftOut",
    geometry: Geometry,
    dtype: "np.dtype[Any]",
    compression: Compression,
    attributes: Mapping[str, bytes],
) -> None:
    start = len(build.header(geometry, dtype, compression))
    file.write(bytes(start))
    position, offsets = 0, bytearray(_special(left_out.kind) * geometry.nchunks)
    for nchunk, chunk in chain(chunks, _runs(left_out, offsets)):
        if parse_chunk_header(chunk, len(chunk)).special == ZEROS:
            offset = _special(ZEROS)
        else:
            offset = _OFFSET.pack(position)
            position += file.write(chunk)
        offsets[8 * nchunk : 8 * nchunk + 8] = offset
    if offsets:
        file.write(_index(bytes(offsets)))
    file.write(build.trailer(attributes))
    length = file.tell()
    file.seek(0)
    file.write(
        build.header(
            geometry,
            dtype,
            compression,
            cbytes=position,
            frame_len=length,
            has_attributes=bool(attributes),
        )
    )


class _LeftOut(NamedTuple):
    """How chunks are stored that nobody gives: as an offset of a kind, or a chunk each."""

    kind: int
    chunk: bytes = b""


def _left_out(fill_value: object, geometry: Geometry, dtype: "np.dtype[Any]") -> _LeftOut:
    import numpy as np

    if fill_value is None:
        return _LeftOut(UNWRITTEN)
    value = np.array(fill_value, dtype).tobytes()
    if not any(value):
        return _LeftOut(ZEROS)
    if dtype.kind == "f" and value == NAN.get(len(value)):
        return _LeftOut(NANS)
    sizes = (geometry.itemsize, geometry.chunk_nbytes, geometry.block_nbytes)
    return _LeftOut(UNWRITTEN, run_chunk(VALUE, *sizes, value))


def _runs(left_out: _LeftOut, offsets: bytearray) -> Iterator[tuple[int, bytes]]:
    """The chunk for each place that has no other; looked for once all others are known."""
    if left_out.chunk:
        none = _special(UNWRITTEN)
        for nchunk in range(len(offsets) // _OFFSET.size):
            if offsets[8 * nchunk : 8 * nchunk + 8] == none:
                yield nchunk, left_out.chunk


def _index(offsets: bytes) -> bytes:
    """The chunk of the offsets; if all are the same, it is a run."""
    first, size = offsets[: _OFFSET.size], len(offsets)
    if size > _OFFSET.size and offsets == first * (size // _OFFSET.size):
        return run_chunk(VALUE, _OFFSET.size, size, size, first)
    return compress(offsets, **_OFFSETS)


def _special(kind: int) -> bytes:
    """The offset of a chunk that is not in the file."""
    return bytes((*bytes(7), 0x80 | kind))


def _compressed(
    array: "Array",
    nchunk: int,
    geometry: Geometry,
    dtype: "np.dtype[Any]",
    compression: Compression,
) -> bytes:
    """A chunk, padded with zeros and its blocks in a row."""
    import numpy as np

    region = geometry.region(nchunk)
    if array.dtype != dtype or array.shape != tuple(part.stop - part.start for part in region):
        raise UsageError(f"chunk {nchunk}: items of {array.dtype} and shape {array.shape}")
    padded = np.zeros(geometry.padded, dtype)
    padded[tuple(slice(0, n) for n in array.shape)] = array
    ndim = len(geometry.shape)
    pairs = zip(geometry.block_grid, geometry.blocks, strict=True)
    split = padded.reshape([n for pair in pairs for n in pair])
    content = split.transpose([*range(0, 2 * ndim, 2), *range(1, 2 * ndim, 2)]).tobytes()
    return compress(
        content,
        blocksize=geometry.block_nbytes,
        nthreads=1,
        **compression.parameters(),
    )
