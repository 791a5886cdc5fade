"""The v3 codec `transpose`: the axes of a chunk in another order."""

from typing import Any, Final

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Problem, Problems
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.v3.chunk import Chunk
from zarrdb.metadata.v3.kinds import ZarrV3CodecDefinition


class ZarrV3TransposeConfiguration(TypedDict, closed=True):
    """The axis of the chunk that becomes each axis of what is stored."""

    order: ReadOnly[tuple[int, ...]]


def _rules(configuration: ZarrV3TransposeConfiguration) -> Problems:
    order = configuration["order"]
    if sorted(order) == list(range(len(order))):
        return ()
    text = f"expected each axis from 0 to {len(order) - 1} once"
    return (Problem(("order",), "invalid_value", text, reasons.NOT_A_PERMUTATION),)


def _chunk_rules(codec: AcceptedField, chunk: Chunk) -> Problems:
    count = len(codec.configuration["order"])
    if chunk.rank in (None, count):
        return ()
    text = f"expected as many axes as the chunk has, {chunk.rank}, got {count}"
    return (Problem(("order",), "invalid_value", text, reasons.RANK_MISMATCH),)


def _hands_on(codec: AcceptedField, chunk: Chunk) -> Chunk:
    order, lengths = codec.configuration["order"], chunk.lengths
    if lengths is None or len(lengths) != len(order):
        return Chunk(None, chunk.data_type)
    return Chunk(tuple(lengths[axis] for axis in order), chunk.data_type)


TRANSPOSE_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="transpose",
    configuration=ZarrV3TransposeConfiguration,
    rules=_rules,
    kind="array_array",
    fixed_size=True,
    by_rank=True,
    chunk_rules=_chunk_rules,
    hands_on=_hands_on,
)
"""The axes in the order given."""
