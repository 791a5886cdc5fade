"""The v3 codecs that calculate (zarr-extensions): scale_offset and cast_value."""

from collections.abc import Iterator
from typing import Any, Final, Literal, NotRequired, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.fill_value import fill_value_check
from zarrdb.metadata.problem import Loc, Problem, Problems, below, shown, under
from zarrdb.metadata.resolve import AcceptedField, ResolvedField
from zarrdb.metadata.v3.chunk import Chunk
from zarrdb.metadata.v3.kinds import RAW_NAME, ZarrV3CodecDefinition, ZarrV3DataTypeField
from zarrdb.metadata.value import JSONValue

ZarrV3Rounding: TypeAlias = Literal[
    "nearest-even", "towards-zero", "towards-positive", "towards-negative", "nearest-away"
]
"""How a number is rounded that the target type does not have; nearest-even unless given."""

ZarrV3OutOfRange: TypeAlias = Literal["clamp", "wrap"]
"""What becomes of a number past the target type's bounds; an error unless given."""


class ZarrV3ScaleOffsetConfiguration(TypedDict, closed=True):
    """Stored is (value - offset) * scale; both are written as fill values of the type."""

    offset: NotRequired[ReadOnly[JSONValue]]
    scale: NotRequired[ReadOnly[JSONValue]]


ZarrV3ScalarPair: TypeAlias = tuple[JSONValue, JSONValue]
"""A value and what becomes of it, each written as a fill value of its type."""


class ZarrV3ScalarMap(TypedDict, closed=True):
    """Values that are mapped instead of cast, on the way in and on the way out."""

    encode: NotRequired[ReadOnly[tuple[ZarrV3ScalarPair, ...]]]
    decode: NotRequired[ReadOnly[tuple[ZarrV3ScalarPair, ...]]]


class ZarrV3CastValueConfiguration(TypedDict, closed=True):
    """The type that is stored, and what happens to values that it does not have."""

    data_type: ReadOnly[ZarrV3DataTypeField]
    rounding: NotRequired[ReadOnly[ZarrV3Rounding]]
    out_of_range: NotRequired[ReadOnly[ZarrV3OutOfRange]]
    scalar_map: NotRequired[ReadOnly[ZarrV3ScalarMap]]


_NO_NUMBERS: Final = frozenset({"bool", "string", "bytes", "struct", RAW_NAME})
_NOT_REAL: Final = _NO_NUMBERS | {"complex64", "complex128"}
_FLOATS: Final = frozenset({"float16", "float32", "float64", "bfloat16"})
_SMALL_FLOATS: Final = ("float4_", "float6_", "float8_")


def _name_of(data_type: ResolvedField | None) -> str | None:
    """The name of an accepted data type; of others nothing is known."""
    if not isinstance(data_type, AcceptedField):
        return None
    return data_type.definition.name


def _wrong_type(loc: Loc, wanted: str, data_type: ResolvedField | None) -> Problems:
    name = None if data_type is None else data_type.name
    text = f"expected {wanted}, got {shown(name)}"
    return (Problem(loc, "invalid_value", text, reasons.WRONG_DATA_TYPE),)


def _scale_offset_rules(configuration: Any) -> Problems:
    text = "expected a number as the data type writes it, got null"
    return tuple(
        Problem((name,), "invalid_value", text, reasons.WRONG_TYPE)
        for name in ("offset", "scale")
        if name in configuration and configuration[name] is None
    )


def _scale_offset_chunk_rules(codec: AcceptedField, chunk: Chunk) -> Problems:
    name = _name_of(chunk.data_type)
    if name is None or chunk.data_type is None:
        return ()
    if name in _NO_NUMBERS:
        return _wrong_type((), "values that can be calculated with", chunk.data_type)
    problems: Problems = ()
    check = fill_value_check(chunk.data_type)
    for member in ("offset", "scale"):
        if member in codec.configuration:
            problems += under(member, check(codec.configuration[member]))
    return problems


def _same(_: AcceptedField, chunk: Chunk) -> Chunk:
    return chunk


def _cast_value_rules(codec: AcceptedField) -> Problems:
    target = codec.within("data_type")
    name = _name_of(target)
    if name is None or target is None:
        return ()
    if name in _NOT_REAL:
        return _wrong_type(("data_type",), "a type of real numbers", target)
    problems: Problems = ()
    is_float = name in _FLOATS or name.startswith(_SMALL_FLOATS)
    if is_float and codec.configuration.get("out_of_range") == "wrap":
        problems += _wrong_type(("out_of_range",), "an integer type to wrap to", target)
    return problems + _mapped_problems(codec, target, side=1)


def _cast_value_chunk_rules(codec: AcceptedField, chunk: Chunk) -> Problems:
    name = _name_of(chunk.data_type)
    if name is None or chunk.data_type is None:
        return ()
    if name in _NOT_REAL:
        return _wrong_type((), "values that are real numbers", chunk.data_type)
    return _mapped_problems(codec, chunk.data_type, side=0)


def _mapped_problems(codec: AcceptedField, data_type: ResolvedField, side: int) -> Problems:
    """Mapped values of one side of the cast, 1 being the target, that its type does not have."""
    check = fill_value_check(data_type)
    problems: Problems = ()
    for loc, value in _mapped(codec.configuration.get("scalar_map", {}), side):
        problems += below(loc, check(value))
    return problems


def _mapped(scalar_map: Any, side: int) -> Iterator[tuple[Loc, Any]]:
    for direction, at in (("encode", side), ("decode", 1 - side)):
        for index, pair in enumerate(scalar_map.get(direction, ())):
            yield ("scalar_map", direction, index, at), pair[at]


def _cast(codec: AcceptedField, chunk: Chunk) -> Chunk:
    return Chunk(chunk.lengths, codec.within("data_type"))


SCALE_OFFSET_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="scale_offset",
    configuration=ZarrV3ScaleOffsetConfiguration,
    rules=_scale_offset_rules,
    kind="array_array",
    fixed_size=True,
    by_rank=True,
    chunk_rules=_scale_offset_chunk_rules,
    hands_on=_same,
)
"""Numbers scaled and moved, in their own arithmetic."""

CAST_VALUE_CODEC_V3: Final = ZarrV3CodecDefinition[Any](
    name="cast_value",
    configuration=ZarrV3CastValueConfiguration,
    field_rules=_cast_value_rules,
    kind="array_array",
    fixed_size=True,
    by_rank=True,
    chunk_rules=_cast_value_chunk_rules,
    hands_on=_cast,
)
"""Numbers as another type."""
