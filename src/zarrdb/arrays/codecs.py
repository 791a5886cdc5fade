"""The codecs that new arrays are compressed with, by names like `zstd:5`."""

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from zarrdb.errors import UsageError
from zarrdb.keys import printable

_SHUFFLE: Final = 1
_MOST_TYPESIZE: Final = 255


class Codec(NamedTuple):
    """A compressor and its level; `none` has none."""

    name: str
    level: int


class _Levels(NamedTuple):
    usual: int
    low: int
    high: int


_LEVELS: Final[Mapping[str, _Levels]] = {
    "zstd": _Levels(3, 1, 22),
    "blosc": _Levels(5, 0, 9),
    "gzip": _Levels(5, 0, 9),
    "none": _Levels(0, 0, 0),
}

DEFAULT: Final = Codec("zstd", 3)


def parse_codec(text: str) -> Codec:
    """A codec as people type it: `zstd`, `zstd:5`, `blosc`, `gzip:9`, `none`.

    Raises UsageError.
    """
    name, colon, level = text.partition(":")
    levels = _LEVELS.get(name)
    if levels is None:
        raise UsageError(
            f"--codec: `{printable(text)}` is not one of {', '.join(_LEVELS)}",
            hint="a level may follow, like `zstd:5`",
        )
    if not colon:
        return Codec(name, levels.usual)
    # Three digits are more than any level has, and few enough to compute with.
    is_number = level.isascii() and level.isdecimal() and len(level) < 4
    if is_number and levels.low <= int(level) <= levels.high:
        return Codec(name, int(level))
    raise UsageError(
        f"--codec: `{printable(level)}` is no level of {name}",
        hint="none has no levels" if name == "none" else f"from {levels.low} to {levels.high}",
    )


def for_zarr(codec: Codec, itemsize: int, zarr_format: int) -> Any:
    """The codec as `zarr.create_array` takes it."""
    if codec.name == "none":
        return None
    if zarr_format == 2:
        return {"zstd": _zstd, "blosc": _blosc, "gzip": _gzip}[codec.name](codec.level)
    from zarr.codecs import BloscCodec, GzipCodec, ZstdCodec

    if codec.name == "zstd":
        return ZstdCodec(level=codec.level)
    if codec.name == "gzip":
        return GzipCodec(level=codec.level)
    return BloscCodec(
        typesize=_typesize(itemsize), cname="zstd", clevel=codec.level, shuffle="shuffle"
    )


def encoder(codec: Codec, itemsize: int) -> Callable[[bytes], bytes]:
    """What compresses the bytes of a chunk; the same bytes give the same result."""
    if codec.name == "none":
        return bytes
    if codec.name == "gzip":
        from gzip import compress

        # numcodecs writes the time of day into its header.
        return lambda data: compress(data, codec.level, mtime=0)
    if codec.name == "zstd":
        return _zstd(codec.level).encode  # type: ignore[no-any-return]
    import numpy as np

    blosc = _blosc(codec.level)
    item = np.dtype(f"V{_typesize(itemsize)}")
    return lambda data: bytes(blosc.encode(np.frombuffer(data, item)))


def decoder(codec: Codec) -> Callable[[bytes], bytes]:
    """What undoes the encoder."""
    if codec.name == "none":
        return bytes
    made = {"zstd": _zstd, "blosc": _blosc, "gzip": _gzip}[codec.name](codec.level)
    return lambda value: bytes(made.decode(value))


def _zstd(level: int) -> Any:
    from numcodecs import Zstd

    return Zstd(level)


def _gzip(level: int) -> Any:
    from numcodecs import GZip

    return GZip(level)


def _blosc(level: int) -> Any:
    from numcodecs import Blosc

    return Blosc("zstd", level, _SHUFFLE)


def _typesize(itemsize: int) -> int:
    # Longer items are bytes to Blosc.
    return itemsize if itemsize <= _MOST_TYPESIZE else 1
