"""The packages of the extra `blosc2`: compression, and MessagePack. Nothing else uses them."""

from typing import TYPE_CHECKING, TypeAlias, cast

from zarrdb.errors import DependencyError, UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping
    from enum import Enum
    from types import ModuleType
    from typing import Any

    import numpy as np

    from zarrdb.frame.geometry import Geometry
    from zarrdb.frame.header import Compression

Buffer: TypeAlias = bytes | bytearray | memoryview

# By the number in a chunk. BloscLZ estimates what it would save, and leaves what it could shorten.
_THOROUGH = {1: ("LZ4", "LZ4HC"), 3: ("ZLIB",), 4: ("ZSTD",)}
_LEVELS = range(1, 10)


def package(name: str) -> "ModuleType":
    """Import `blosc2` or `msgpack`; raises DependencyError when it is not installed."""
    from importlib import import_module

    try:
        return import_module(name)
    except ImportError as error:
        raise DependencyError(
            f"reading and writing Blosc2 frames needs the package {name}",
            hint="pip install 'zarrdb[blosc2]'",
        ) from error


def unpack(data: Buffer, *, raw: bool = False) -> object:
    """The MessagePack value that is all of `data`; None if it is not one.

    `raw` leaves strings as bytes.
    """
    try:
        return cast("object", package("msgpack").unpackb(data, raw=raw))
    except ValueError:
        return None


def decompress(chunk: Buffer, *, nthreads: int = 1) -> bytes:
    """The content of a chunk whose header was checked; raises ValueError if it is damaged.

    One thread unless the chunk has no delta filter: with more, blosc2 may wait for ever on
    a block that is not there.
    """
    try:
        return cast("bytes", package("blosc2").decompress2(chunk, nthreads=nthreads))
    except (ValueError, RuntimeError) as error:
        raise ValueError("its compressed bytes are damaged") from error


def decompress_in_array(chunk: Buffer, geometry: "Geometry", dtype: "np.dtype[Any]") -> bytes:
    """The content of a chunk whose codec or filter asks for the shape of the array.

    Raises ValueError if it is damaged.
    """
    blosc2 = package("blosc2")
    one = {"nthreads": 1}
    try:
        array = blosc2.empty(
            geometry.chunks,
            dtype=dtype,
            chunks=geometry.chunks,
            blocks=geometry.blocks,
            cparams=one,
            dparams=one,
        )
        array.schunk.update_chunk(0, bytes(chunk))
        return cast("bytes", array.schunk.decompress_chunk(0))
    except (ValueError, RuntimeError) as error:
        raise ValueError("its compressed bytes are damaged") from error


def compress(data: Buffer, **parameters: object) -> bytes:
    """One chunk; the parameters are the fields of blosc2's CParams.

    Raises UsageError for parameters that do not go with one another.
    """
    blosc2 = package("blosc2")
    try:
        # CParams takes numbers, the function only what they stand for.
        fields = vars(blosc2.CParams(**parameters))
        return cast("bytes", blosc2.compress2(data, **fields))
    except (TypeError, ValueError, OverflowError, RuntimeError) as error:
        raise UsageError(f"parameters of blosc2 that cannot be used: {error}") from error


def is_thorough(codec: int) -> bool:
    """Whether the codec of this number in a chunk shortens every stream that it can."""
    return codec in _THOROUGH


def always_shortens(codec: int, stream: bytes) -> bool:
    """Whether a thorough codec shortens a stream at every level that it has."""
    blosc2 = package("blosc2")
    size = len(stream)
    plain = {"typesize": 1, "filters": [], "filters_meta": [], "splitmode": 2, "nthreads": 1}
    chunks = (
        compress(stream, codec=getattr(blosc2.Codec, name), clevel=level, blocksize=size, **plain)
        for name in _THOROUGH[codec]
        for level in _LEVELS
    )
    return all(len(chunk) < size for chunk in chunks)


def compression_parameters(compression: "Compression") -> object:
    """What a header says of compression, as blosc2's CParams."""
    return package("blosc2").CParams(**compression.parameters())


def parse_parameters(parameters: "Mapping[str, object]", typesize: int) -> "Compression":
    """What a header will say, from fields of CParams; raises UsageError for unknown ones."""
    from zarrdb.frame.header import Compression

    try:
        fields = package("blosc2").CParams(**{**parameters, "typesize": typesize})
    except (TypeError, ValueError) as error:
        raise UsageError(f"parameters of blosc2 that cannot be used: {error}") from error
    none = (0,) * 6
    compression = Compression(
        codec=_number(fields.codec),
        codec_meta=fields.codec_meta,
        level=fields.clevel,
        filters=(*map(_number, fields.filters), *none)[:6],
        filters_meta=(*fields.filters_meta, *none)[:6],
        use_dict=bool(fields.use_dict),
        split_mode=_number(fields.splitmode),
        typesize=typesize,
    )
    numbers = (*compression.filters, *compression.filters_meta, compression.codec)
    if not all(0 <= number < 256 for number in (*numbers, compression.codec_meta)):
        raise UsageError("parameters of blosc2 that do not fit a byte each")
    if compression.level not in range(10) or compression.split_mode not in range(1, 5):
        raise UsageError("parameters of blosc2 with an unknown level or mode")
    return compression


def _number(member: "Enum | int") -> int:
    return member if isinstance(member, int) else cast("int", member.value)


def compute_blocks(
    shape: tuple[int, ...], chunks: tuple[int, ...], dtype: "np.dtype[Any]"
) -> tuple[int, ...]:
    """The block shape that blosc2 thinks best for chunks of this shape."""
    found = package("blosc2").compute_chunks_blocks(shape, chunks=chunks, dtype=dtype)
    return tuple(int(n) for n in found[1])
