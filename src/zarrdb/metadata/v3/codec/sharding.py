"""The v3 codec `sharding_indexed`: a chunk as a shard of inner chunks and an index of them."""

from collections.abc import Mapping
from typing import Annotated, Any, Final, Literal, NotRequired, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Problem, Problems
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.shape import Ge
from zarrdb.metadata.v3.chunk import Chunk, Lengths, each_length
from zarrdb.metadata.v3.data_type.scalar import UINT64_DATA_TYPE_V3
from zarrdb.metadata.v3.kinds import (
    ZarrV3CodecDefinition,
    ZarrV3CodecField,
    ZarrV3DataTypeDefinition,
    ZarrV3FixedSizeCodecField,
)

ZarrV3IndexLocation: TypeAlias = Literal["start", "end"]
"""Where the index lies in a shard: at its end unless given."""


class ZarrV3ShardingConfiguration(TypedDict, closed=True):
    """The inner chunks, the pipeline that each of them passes, and that of the index."""

    chunk_shape: ReadOnly[tuple[Annotated[int, Ge(1)], ...]]
    codecs: ReadOnly[tuple[ZarrV3CodecField, ...]]
    index_codecs: ReadOnly[tuple[ZarrV3FixedSizeCodecField, ...]]
    index_location: NotRequired[ReadOnly[ZarrV3IndexLocation]]


_OF_THE_INDEX: Final = AcceptedField(
    ZarrV3DataTypeDefinition,
    UINT64_DATA_TYPE_V3.name,
    UINT64_DATA_TYPE_V3.name,
    UINT64_DATA_TYPE_V3,
    configuration={},
)
"""The type of an index, whatever is in scope."""

_OFFSET_AND_LENGTH: Final = 2


def _chunk_rules(codec: AcceptedField, chunk: Chunk) -> Problems:
    inner, lengths = codec.configuration["chunk_shape"], chunk.lengths
    if lengths is None:
        return ()
    if len(inner) != len(lengths):
        text = f"expected as many lengths as the shard has axes, {len(lengths)}, got {len(inner)}"
        return (Problem(("chunk_shape",), "invalid_value", text, reasons.RANK_MISMATCH),)
    problems: list[Problem] = []
    for axis, (length, shards) in enumerate(zip(inner, lengths, strict=True)):
        odd = [each for each in each_length(shards) if each % length]
        if odd:
            text = f"{length} does not divide the shard's length, {min(odd)}"
            loc = ("chunk_shape", axis)
            problems.append(Problem(loc, "invalid_value", text, reasons.NOT_DIVIDED))
    return tuple(problems)


def _pipelines(codec: AcceptedField, chunk: Chunk) -> Mapping[str, Chunk]:
    """The inner chunks, and the index: an offset and a length for each of them."""
    inner = codec.configuration["chunk_shape"]
    if chunk.lengths is not None and len(chunk.lengths) != len(inner):
        return {"codecs": Chunk(None, chunk.data_type), "index_codecs": Chunk(None, _OF_THE_INDEX)}
    shards = chunk.lengths or (None,) * len(inner)
    counts: Lengths = tuple(map(_counts, inner, shards))
    return {
        "codecs": Chunk(tuple(inner), chunk.data_type),
        "index_codecs": Chunk((*counts, _OFFSET_AND_LENGTH), _OF_THE_INDEX),
    }


def _counts(inner: int, shards: int | frozenset[int] | None) -> frozenset[int] | None:
    """How many inner chunks shards have along an axis, where they are whole."""
    lengths = each_length(shards)
    if not lengths or any(length % inner for length in lengths):
        return None
    return frozenset(length // inner for length in lengths)


def _canonical(configuration: Any) -> Any:
    if configuration.get("index_location") != "end":
        return configuration
    return {name: item for name, item in configuration.items() if name != "index_location"}


SHARDING_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="sharding_indexed",
    configuration=ZarrV3ShardingConfiguration,
    canonical=_canonical,
    kind="array_bytes",
    chunk_rules=_chunk_rules,
    pipelines=_pipelines,
)
"""Inner chunks that can be read one by one."""
