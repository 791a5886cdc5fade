"""The v3 codec `bytes`: the values of a chunk one behind the other."""

from typing import Any, Final, Literal, NotRequired, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Problem, Problems, shown
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.v3.chunk import Chunk, storage_of
from zarrdb.metadata.v3.kinds import ZarrV3CodecDefinition

ZarrV3Endian: TypeAlias = Literal["little", "big"]
"""Which byte of a number comes first: the least or the most significant."""


class ZarrV3BytesConfiguration(TypedDict, closed=True):
    """`endian` has to be there for types of which it means something."""

    endian: NotRequired[ReadOnly[ZarrV3Endian]]


def _chunk_rules(codec: AcceptedField, chunk: Chunk) -> Problems:
    if chunk.data_type is None:
        return ()
    storage = storage_of(chunk.data_type)
    if storage.varies:
        text = f"expected values of one size, and those of {shown(chunk.data_type.name)} vary"
        return (Problem((), "invalid_value", text, reasons.WRONG_DATA_TYPE),)
    if storage.ordered and "endian" not in codec.configuration:
        text = f"`endian` is missing, which {shown(chunk.data_type.name)} needs: little or big"
        return (Problem(("endian",), "missing_key", text, reasons.MISSING_MEMBER),)
    return ()


BYTES_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="bytes",
    configuration=ZarrV3BytesConfiguration,
    kind="array_bytes",
    fixed_size=True,
    by_rank=True,
    chunk_rules=_chunk_rules,
)
"""The values as they lie in memory, in C order."""
