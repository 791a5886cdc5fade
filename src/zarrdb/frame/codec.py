"""The packages of the extra `blosc2`: compression, and MessagePack. Nothing else uses them."""

from typing import TYPE_CHECKING, TypeAlias, cast

from zarrdb.errors import DependencyError

if TYPE_CHECKING:
    from enum import Enum
    from types import ModuleType
    from typing import Any

    import numpy as np

    from zarrdb.frame.geometry import Geometry
    from zarrdb.frame.header import Compression

Buffer: TypeAlias = bytes | bytearray | memoryview


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
    """One chunk; the parameters are the fields of blosc2's CParams."""
    return cast("bytes", package("blosc2").compress2(data, **parameters))


def compression_parameters(compression: "Compression") -> object:
    """What a header says of compression, as blosc2's CParams."""
    blosc2 = package("blosc2")
    return blosc2.CParams(
        codec=_member(blosc2.Codec, compression.codec),
        codec_meta=compression.codec_meta,
        clevel=compression.level,
        use_dict=compression.use_dict,
        typesize=compression.typesize,
        splitmode=_member(blosc2.SplitMode, compression.split_mode),
        filters=[_member(blosc2.Filter, number) for number in compression.filters],
        filters_meta=list(compression.filters_meta),
    )


def _member(kind: "type[Enum]", number: int) -> "Enum | int":
    """The member of an enumeration; the number where a plugin has registered its own."""
    try:
        return kind(number)
    except ValueError:
        return number
