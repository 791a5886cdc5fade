"""What a pipeline of codecs makes of a chunk: the length that a value must have, and the
header that it must begin with. Nothing is decoded."""

from collections.abc import Iterable, Mapping
from math import prod
from typing import Any, Final, NamedTuple

from zarrdb.encoded.checksums import CHECKSUM_SIZE, CHECKSUMS
from zarrdb.encoded.headers import READERS
from zarrdb.encoded.shard_index import index_size
from zarrdb.hierarchy.arrays import lengths, named
from zarrdb.patterns import compiled

Codec = tuple[str, Mapping[str, Any]]
"""Name and parameters."""

_SAME_SIZE: Final = frozenset({"bytes", "transpose", "shuffle", "bitround"})
_RETYPED: Final = {
    "delta": "astype",
    "fixedscaleoffset": "astype",
    "quantize": "astype",
    "astype": "encode_dtype",
}
_TYPESTR: Final = r"[<>|][biufcmM]([0-9]+)(?:\[.*\])?"


class Shard(NamedTuple):
    """The index of a sharded chunk."""

    chunks: int
    """Inner chunks of one shard."""
    size: int
    """Bytes of the index."""
    checksum: bool
    at_start: bool
    big_endian: bool


class Stored(NamedTuple):
    """What is known of every value of an array; what is not is None."""

    length: int | None = None
    """Bytes that a value has."""
    codec: str | None = None
    """Of the header that it begins with; one of `zarrdb.encoded.headers.READERS`."""
    decoded: int | None = None
    """Bytes that this codec gives."""
    trailing: int = 0
    """Bytes of checksums behind what this codec wrote."""
    shard: Shard | None = None


def stored(chunks: Iterable[int], item_size: int | None, pipeline: Iterable[Codec]) -> Stored:
    """What values of this chunk shape, item size and pipeline are like."""
    items = prod(chunks)
    size = None if item_size is None else items * item_size
    result, known = Stored(), True
    for name, configuration in pipeline:
        name = name.removeprefix("numcodecs.")
        if name in CHECKSUMS:
            size = None if size is None else size + CHECKSUM_SIZE
            result = result._replace(trailing=result.trailing + CHECKSUM_SIZE)
        elif name in READERS:
            result, size = Stored(None, name, size), None
        elif name == "sharding_indexed":
            result, size = Stored(shard=_shard(chunks, configuration)), None
        else:
            known = known and (name in _SAME_SIZE or name in _RETYPED or name == "packbits")
            size = _sized(size, items, name, configuration) if known else None
            result = Stored() if not known else result
    return result._replace(length=size)


def _sized(size: int | None, items: int, name: str, configuration: Mapping[str, Any]) -> int | None:
    """Bytes after a codec that keeps the number of items."""
    if size is None or name in _SAME_SIZE:
        return size
    if name == "packbits":
        return 1 + -(-items // 8)
    parameter = configuration.get(_RETYPED[name]) or configuration.get("dtype")
    match = compiled(_TYPESTR).fullmatch(parameter) if isinstance(parameter, str) else None
    return items * int(match[1]) if match else None


def _shard(chunks: Iterable[int], configuration: Mapping[str, Any]) -> Shard | None:
    """The index of shards with these inner chunks, if its size does not depend on its content."""
    inner = lengths(configuration.get("chunk_shape"))
    outer = tuple(chunks)
    codecs = [named(codec) for codec in configuration.get("index_codecs", ())]
    names = [name for name, _ in codecs]
    if inner is None or len(inner) != len(outer) or not all(inner):
        return None
    if names not in (["bytes"], ["bytes", "crc32c"]):
        return None
    count = prod(-(-size // part) for size, part in zip(outer, inner, strict=True))
    checksum = len(names) == 2
    at_start = configuration.get("index_location", "end") == "start"
    big_endian = codecs[0][1].get("endian") == "big"
    return Shard(count, index_size(count, checksum=checksum), checksum, at_start, big_endian)
