"""Registered v3 codecs outside the core scope: vlen, packbits, bitround, and numcodecs.

The codecs of numcodecs have there what they have in v2, under their id and with the same
parameters (zarr-extensions, `numcodecs.*`).
"""

from typing import Annotated, Any, Final, Literal, NotRequired

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.definition import EmptyConfiguration
from zarrdb.metadata.problem import Problem, Problems, shown
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.shape import Ge, ObjectOf
from zarrdb.metadata.v2.codec import CODECS_V2
from zarrdb.metadata.v3.chunk import Chunk
from zarrdb.metadata.v3.kinds import CodecKind, ZarrV3CodecDefinition
from zarrdb.metadata.value import JSONValue

PREFIX: Final = "numcodecs."
"""What the names of numcodecs' own codecs begin with."""


class ZarrV3PackBitsConfiguration(TypedDict, closed=True):
    """Which bits of each value are stored, and where their number of padding bits stands."""

    padding_encoding: NotRequired[ReadOnly[Literal["none", "first_byte", "last_byte"]]]
    first_bit: NotRequired[ReadOnly[Annotated[int, Ge(0)] | None]]
    last_bit: NotRequired[ReadOnly[Annotated[int, Ge(0)] | None]]


class ZarrV3BitRoundConfiguration(TypedDict, closed=True):
    """The bits that are kept."""

    keepbits: ReadOnly[Annotated[int, Ge(1)]]


_FLOATS: Final = frozenset({"float16", "float32", "float64"})
_NO_NUMBERS: Final = frozenset({"bool", "string", "bytes", "struct", "r*"})


def _refused(chunk: Chunk, wanted: str) -> Problems:
    name = None if chunk.data_type is None else chunk.data_type.name
    text = f"expected {wanted}, got {shown(name)}"
    return (Problem((), "invalid_value", text, reasons.WRONG_DATA_TYPE),)


def _name(chunk: Chunk) -> str | None:
    """The data type of a chunk; nothing is known of one that is not accepted."""
    if not isinstance(chunk.data_type, AcceptedField):
        return None
    return chunk.data_type.definition.name


def _texts_only(_: AcceptedField, chunk: Chunk) -> Problems:
    return () if _name(chunk) in (None, "string") else _refused(chunk, "`string`")


def _bytes_only(_: AcceptedField, chunk: Chunk) -> Problems:
    known = (None, "bytes", "variable_length_bytes")
    return () if _name(chunk) in known else _refused(chunk, "`bytes`")


def _bools_only(_: AcceptedField, chunk: Chunk) -> Problems:
    return () if _name(chunk) in (None, "bool") else _refused(chunk, "`bool`")


def _floats_only(_: AcceptedField, chunk: Chunk) -> Problems:
    return () if _name(chunk) in (None, *_FLOATS) else _refused(chunk, "floats")


def _numbers_only(_: AcceptedField, chunk: Chunk) -> Problems:
    return _refused(chunk, "numbers") if _name(chunk) in _NO_NUMBERS else ()


def _packbits_rules(configuration: Any) -> Problems:
    first, last = configuration.get("first_bit"), configuration.get("last_bit")
    if last is None or last >= (first or 0):
        return ()
    text = "the last bit comes before the first"
    return (Problem(("last_bit",), "invalid_value", text, reasons.OUT_OF_RANGE),)


def _same_values(_: AcceptedField, chunk: Chunk) -> Chunk:
    return chunk


def _same_shape(_: AcceptedField, chunk: Chunk) -> Chunk:
    return Chunk(chunk.lengths)


_OPEN: Final[Any] = ObjectOf((), JSONValue)
_FIXED: Final = frozenset({"shuffle", "crc32", "crc32c", "adler32", "fletcher32"})
_ARRAY_TO_ARRAY: Final[dict[str, Any]] = {
    "delta": {"hands_on": _same_shape},
    "fixedscaleoffset": {"hands_on": _same_shape},
    "quantize": {"hands_on": _same_shape},
    "astype": {"hands_on": _same_shape},
    "bitround": {"hands_on": _same_values, "chunk_rules": _floats_only},
    "packbits": {"chunk_rules": _bools_only},
}
_OWN_IN_V3: Final = frozenset({"vlen-utf8", "vlen-bytes", "vlen-array"})


def _of_numcodecs(definition: Any) -> ZarrV3CodecDefinition[Any]:
    """A codec of v2 as v3 has it."""
    name = definition.name
    kind: CodecKind = "array_array" if name in _ARRAY_TO_ARRAY else "bytes_bytes"
    return ZarrV3CodecDefinition(
        name=f"{PREFIX}{name}",
        configuration=definition.configuration,
        rules=definition.rules,
        canonical=definition.canonical,
        kind=kind,
        fixed_size=kind == "array_array" or name in _FIXED,
        **_ARRAY_TO_ARRAY.get(name, {}),
    )


def _open(name: str, kind: CodecKind, *, fixed_size: bool = False) -> ZarrV3CodecDefinition[Any]:
    """A codec that takes any parameters."""
    return ZarrV3CodecDefinition(name=name, configuration=_OPEN, kind=kind, fixed_size=fixed_size)


VLEN_UTF8_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="vlen-utf8",
    configuration=EmptyConfiguration,
    kind="array_bytes",
    chunk_rules=_texts_only,
)
"""Texts, each behind its length."""

VLEN_BYTES_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="vlen-bytes",
    configuration=EmptyConfiguration,
    kind="array_bytes",
    chunk_rules=_bytes_only,
)
"""Bytes, each value behind its length."""

PACKBITS_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="packbits",
    configuration=ZarrV3PackBitsConfiguration,
    rules=_packbits_rules,
    kind="array_bytes",
    fixed_size=True,
)
"""Values of any number of bits, without gaps."""

BITROUND_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="bitround",
    configuration=ZarrV3BitRoundConfiguration,
    kind="array_array",
    fixed_size=True,
    chunk_rules=_numbers_only,
    hands_on=_same_values,
)
"""Numbers rounded to some bits."""

REGISTERED_CODECS_V3: Final[tuple[ZarrV3CodecDefinition[Any], ...]] = (
    VLEN_UTF8_CODEC_V3,
    VLEN_BYTES_CODEC_V3,
    PACKBITS_CODEC_V3,
    BITROUND_CODEC_V3,
    *(_of_numcodecs(each) for each in CODECS_V2 if each.name not in _OWN_IN_V3),
    _open(f"{PREFIX}pcodec", "array_bytes"),
    _open(f"{PREFIX}zfpy", "array_bytes"),
    _open(f"{PREFIX}jenkins_lookup3", "bytes_bytes", fixed_size=True),
)
"""Every v3 codec that is registered and outside the core scope."""
