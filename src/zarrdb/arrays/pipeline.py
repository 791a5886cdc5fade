"""The codecs of an array, for decoding one stored value within bounds.

What a codec does to bytes is left to numcodecs; how many bytes may come out of it is known
here from the document. Nothing is decoded by a codec that runs code (`pickle`), nor by one
that this Python does not have.
"""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, Final, NamedTuple

from zarrdb.arrays.bounded import Expanded, decompress, told_size
from zarrdb.encoded.checksums import CHECKSUM_SIZE, CHECKSUMS
from zarrdb.errors import CorruptError, DependencyError

MOST_BYTES: Final = 2 << 30
"""Decoded bytes of a chunk whose size its document does not fix."""
_UNSAFE: Final = frozenset({"pickle"})
# They give back as many bytes as they get.
_SAME_SIZE: Final = frozenset({"shuffle", "delta", "bitround", "transpose", "bytes", "endian"})
_WIDEST_CHANGE: Final = 16
"""A filter may change the width of items: from one byte to a complex number of sixteen."""


class Step(NamedTuple):
    """One codec, by numcodecs' id, with its parameters."""

    name: str
    parameters: Mapping[str, Any]


class Pipeline(NamedTuple):
    """The codecs of an array's values, in the order in which they decode."""

    steps: tuple[Step, ...]
    decoded: int | None
    """Bytes of a decoded chunk, where the data type fixes them."""
    items: int
    """Items of a chunk."""

    def limit_after(self, place: int) -> int:
        """The most bytes that may come out of the step at a place."""
        if self.decoded is None:
            return MOST_BYTES
        rest = self.steps[place + 1 :]
        checksums = sum(step.name in CHECKSUMS for step in rest)
        if all(step.name in _SAME_SIZE | CHECKSUMS for step in rest):
            return self.decoded + CHECKSUM_SIZE * checksums
        return self.decoded * _WIDEST_CHANGE + 4096

    def obstacle(self) -> str | None:
        """Why values cannot be decoded here: an unsafe or a missing codec."""
        for step in self.steps:
            if step.name in _UNSAFE:
                return f"the codec {step.name} runs code when it decodes"
            if step.name not in _NATIVE and not _is_installed(step.name):
                return f"the codec {step.name} is not installed"
        return None

    def decode(self, value: bytes) -> Any:
        """Decode a stored value; bytes, or an object array.

        Raises CorruptError: a codec fails, a checksum or the size differs, or it would be
        more than a chunk holds (`ExpandsError`). Raises DependencyError for a missing codec.
        """
        data: Any = value
        for place, step in enumerate(self.steps):
            data = _undo(step, data, self.limit_after(place))
        wanted: int | None
        if getattr(data, "dtype", None) == "O":
            found, wanted, what = data.size, self.items, "items"
        else:
            found, wanted, what = memoryview(data).nbytes, self.decoded, "bytes"
        if wanted is not None and found != wanted:
            raise CorruptError(f"decodes to {found:,} {what}, a chunk has {wanted:,}")
        return data

    def guard(self, value: bytes) -> None:
        """Raise ExpandsError if decoding the outermost codec alone passes the bound."""
        if self.steps:
            step = self.steps[0]
            limit = self.limit_after(0)
            size = told_size(step.name, value)
            if size is None and step.name in ("gzip", "zlib", "bz2", "lzma"):
                decoded = decompress(step.name, step.parameters, value, limit)
                size = decoded.size if isinstance(decoded, Expanded) else 0
            if size is not None and size > limit:
                raise _expands(step.name, size, limit)


class ExpandsError(CorruptError):
    """A value that would decode to more than a chunk holds."""


def pipeline_v2(document: Mapping[str, Any], item_size: int | None) -> Pipeline:
    """The pipeline of a `.zarray`: compressor, then the filters from the last to the first."""
    codecs = [*(document.get("filters") or ()), document.get("compressor")]
    steps = [
        Step(codec["id"], {name: value for name, value in codec.items() if name != "id"})
        for codec in reversed(codecs)
        if codec is not None
    ]
    return _pipeline(steps, document["chunks"], item_size)


def pipeline_v3(
    codecs: Sequence[Any], chunk_shape: Sequence[int], item_size: int | None
) -> Pipeline:
    """The pipeline of a list of codecs of a `zarr.json`; of shards that of their chunks."""
    steps = []
    for codec in reversed(codecs):
        name = codec if isinstance(codec, str) else codec["name"]
        parameters = {} if isinstance(codec, str) else codec.get("configuration") or {}
        steps.append(Step(name.removeprefix("numcodecs."), parameters))
    return _pipeline(steps, chunk_shape, item_size)


def _pipeline(steps: Sequence[Step], shape: Sequence[int], item_size: int | None) -> Pipeline:
    items = prod(shape)
    return Pipeline(tuple(steps), None if item_size is None else items * item_size, items)


def _undo(step: Step, data: Any, limit: int) -> Any:
    # The crc32c of Zarr 2 may lie at the start.
    if step.name in _NATIVE and "location" not in step.parameters:
        return _NATIVE[step.name](data)
    raw = bytes(data) if step.name in ("gzip", "zlib", "bz2", "lzma") else None
    if raw is not None:
        decoded = decompress(step.name, step.parameters, raw, limit)
        if isinstance(decoded, Expanded):
            raise _expands(step.name, decoded.size, limit)
        return decoded
    if step.name in ("blosc", "zstd", "lz4"):
        size = told_size(step.name, bytes(memoryview(data).cast("B")))
        if size is not None and size > limit:
            raise _expands(step.name, size, limit)
    return _by_numcodecs(step, data)


def _by_numcodecs(step: Step, data: Any) -> Any:
    codec = _codec(step)
    try:
        return codec.decode(data)
    except Exception as error:
        # Codecs raise whatever comes to their authors' minds.
        raise CorruptError(f"{step.name} cannot decode it: {error}") from None


def _codec(step: Step) -> Any:
    import numcodecs

    parameters = dict(step.parameters)
    if step.name == "blosc" and isinstance(parameters.get("shuffle"), str):
        # Zarr 3 names what numcodecs numbers; decoding needs neither.
        parameters = {}
    try:
        return numcodecs.get_codec({"id": step.name, **parameters})
    except ValueError:
        raise DependencyError(
            f"the codec {step.name} is not installed", hint="install the package that has it"
        ) from None
    except TypeError as error:
        raise CorruptError(f"{step.name} does not take its parameters: {error}") from None


def _is_installed(name: str) -> bool:
    from numcodecs.registry import codec_registry, entries

    return name in codec_registry or name in entries


def _expands(codec: str, size: int, limit: int) -> ExpandsError:
    return ExpandsError(
        f"{codec} would decode it to {size:,} bytes or more, a chunk allows {limit:,}"
    )


def _crc32c(data: Any) -> bytes:
    import google_crc32c

    raw = bytes(data)
    if len(raw) < 4:
        raise CorruptError("is shorter than its crc32c checksum")
    told = int.from_bytes(raw[-4:], "little")
    if google_crc32c.value(raw[:-4]) != told:
        raise CorruptError("its crc32c checksum differs")
    return raw[:-4]


def _as_it_is(data: Any) -> Any:
    return data


_NATIVE: Final[Mapping[str, Any]] = {
    "bytes": _as_it_is,
    "endian": _as_it_is,
    "transpose": _as_it_is,
    "crc32c": _crc32c,
}
"""Codecs of Zarr 3 that are done here: those that move bytes, which no size depends on."""
