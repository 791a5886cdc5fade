"""Whether stored chunks decode, within bounds; the values are dropped."""

from collections.abc import Mapping, Sequence
from math import prod
from typing import Any, NamedTuple

from zarrdb.arrays.pipeline import MOST_BYTES, ExpandsError, Pipeline, pipeline_v2, pipeline_v3
from zarrdb.encoded import shard_index
from zarrdb.errors import CorruptError, DependencyError
from zarrdb.units import size_text


class Fault(NamedTuple):
    """Why a chunk does not decode; `too_far` if it was stopped for its size."""

    message: str
    too_far: bool = False


class Verifier:
    """Decodes the chunks of one array; safe from several threads."""

    def __init__(self, pipeline: Pipeline, shard: "_Shard | None" = None) -> None:
        self._pipeline = pipeline
        self._shard = shard

    def obstacle(self) -> str | None:
        """Why the chunks cannot be decoded here, if so."""
        if (self._pipeline.decoded or 0) > MOST_BYTES:
            return f"a chunk takes {size_text(self._pipeline.decoded or 0)} when decoded"
        inner = None if self._shard is None else self._shard.inner.obstacle()
        return self._pipeline.obstacle() or inner

    def verify(self, value: bytes) -> Fault | None:
        """Decode a stored value; what is wrong with it, if anything."""
        try:
            self.decode(value)
        except ExpandsError as error:
            return Fault(error.message, too_far=True)
        except (CorruptError, DependencyError) as error:
            return Fault(error.message)
        return None

    def decode(self, value: bytes) -> None:
        """Decode a stored value. Raises CorruptError, ExpandsError, DependencyError."""
        decoded = self._pipeline.decode(value)
        if self._shard is not None:
            self._shard.decode(bytes(decoded))


class _Shard(NamedTuple):
    """What is inside the shards of an array."""

    chunks: int
    checksum: bool
    at_start: bool
    big_endian: bool
    inner: Verifier

    def decode(self, value: bytes) -> None:
        length = shard_index.index_size(self.chunks, checksum=self.checksum)
        if len(value) < length:
            raise CorruptError("is shorter than the index of a shard")
        index = value[:length] if self.at_start else value[len(value) - length :]
        fault = shard_index.fault(
            index,
            len(value),
            checksum=self.checksum,
            at_start=self.at_start,
            big_endian=self.big_endian,
        )
        if fault is not None:
            raise CorruptError(fault.message)
        for inner in shard_index.entries(index, big_endian=self.big_endian):
            try:
                self.inner.decode(value[inner.offset : inner.end])
            except CorruptError as error:
                message = f"inner chunk {inner.number}: {error.message}"
                raise type(error)(message) from None


def verifier_v2(document: Mapping[str, Any], item_size: int | None) -> Verifier:
    """What verifies the chunks of a `.zarray` without problems."""
    return Verifier(pipeline_v2(document, item_size))


def verifier_v3(
    codecs: Sequence[Any], chunk: Sequence[int], item_size: int | None
) -> Verifier | None:
    """What verifies chunks of a shape and item size; None for a shard that is out of the way.

    Codecs before a sharding codec give it its items in another order, which no length
    depends on; those behind it have made bytes of bytes.
    """
    names = [_name(codec) for codec in codecs]
    if "sharding_indexed" not in names:
        return Verifier(pipeline_v3(codecs, chunk, item_size))
    place = names.index("sharding_indexed")
    shard = _shard(codecs[place]["configuration"], chunk, item_size)
    if shard is None or any(name != "transpose" for name in names[:place]):
        return None
    return Verifier(pipeline_v3(codecs[place + 1 :], chunk, None), shard)


def _shard(
    configuration: Mapping[str, Any], chunk: Sequence[int], item_size: int | None
) -> _Shard | None:
    inner_shape, index_codecs = configuration["chunk_shape"], configuration["index_codecs"]
    names = [_name(codec) for codec in index_codecs]
    inner = verifier_v3(configuration["codecs"], inner_shape, item_size)
    if inner is None or names not in (["bytes"], ["bytes", "crc32c"]):
        return None
    first = index_codecs[0]
    endian = first.get("configuration", {}).get("endian") if isinstance(first, dict) else None
    return _Shard(
        chunks=prod(-(-size // part) for size, part in zip(chunk, inner_shape, strict=True)),
        checksum=len(names) == 2,
        at_start=configuration.get("index_location", "end") == "start",
        big_endian=endian == "big",
        inner=inner,
    )


def _name(codec: Any) -> Any:
    return codec if isinstance(codec, str) else codec["name"]
