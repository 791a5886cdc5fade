"""How Zarr v2 documents write their fields: typestrings, records, and numcodecs objects."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final

from typing_extensions import TypeAliasType, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.checks import missing
from zarrdb.metadata.definition import C, Definition, Written
from zarrdb.metadata.problem import Problem, Problems, shown
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.shape import FieldOf
from zarrdb.metadata.value import JSONValue

ZarrV2DataTypeMetadata = TypeAliasType(
    "ZarrV2DataTypeMetadata",
    "str | tuple[tuple[str, ZarrV2DataTypeMetadata] | tuple[str, ZarrV2DataTypeMetadata, tuple[int, ...]], ...]",
)
"""A dtype: a typestring such as `<f8`, or records of name, dtype and, for a sub-array, shape.

Zarr v2 specification, "Data type encoding".
"""


class ZarrV2CodecMetadata(TypedDict, extra_items=JSONValue):  # type: ignore[call-arg]
    """A compressor or filter: the numcodecs id, and its parameters beside it."""

    id: str


ZarrV2DataTypeField = TypeAliasType(
    "ZarrV2DataTypeField", Annotated[ZarrV2DataTypeMetadata, FieldOf("data_types")]
)
"""A member that holds a dtype, read in the scope of what holds it."""

ZarrV2CodecField = TypeAliasType(
    "ZarrV2CodecField", Annotated[ZarrV2CodecMetadata, FieldOf("codecs")]
)
"""A member that holds a codec, read in the scope of what holds it."""

STRUCT_NAME: Final = "struct"
FAMILIES: Final = {
    "b": "bool",
    "i": "int",
    "u": "uint",
    "f": "float",
    "c": "complex",
    "S": "bytes",
    "U": "str",
    "V": "void",
    "O": "object",
    "M": "datetime64",
    "m": "timedelta64",
}
"""The family that each NumPy type code belongs to."""

_CODES: Final = {family: code for code, family in FAMILIES.items()}
_TYPESTR: Final = re.compile(r"([<>|])([A-Za-z])([0-9]*)(?:\[([0-9]*)([A-Za-z\u03bc]+)\])?")
_V3_NAME: Final = re.compile(r"bool|string|bytes|(u?int|float|complex|r)[0-9]+|numpy\..+")


@dataclass(frozen=True, kw_only=True, repr=False)
class ZarrV2DataTypeDefinition(Definition[C]):
    """A family of NumPy types, and the fill value of an array of that family.

    It reads every typestring of the family; byte order, size and unit are the configuration
    and the rules say which of them the family has. `struct` reads an array of records, with
    the configuration `{"fields": records}`: what is wrong in a record is located under
    `fields`. `fill_value` is the shape of a fill value, null included; its rules and its
    canonical form are given the value and the data type.
    """

    label: ClassVar[str] = "v2 data type"
    slot: ClassVar[str] = "data_types"
    zarr_format: ClassVar[int] = 2
    field_aliases: ClassVar[tuple[Any, ...]] = (ZarrV2DataTypeField,)
    """What a member that holds a field of this kind is annotated with."""

    fill_value: Any = JSONValue
    fill_value_rules: Callable[[Any, AcceptedField], Problems] | None = None
    fill_value_canonical: Callable[[Any, AcceptedField], JSONValue] | None = None

    @classmethod
    def name_refusal(cls, name: object) -> str | None:
        if name == STRUCT_NAME or name in _CODES:
            return None
        return f"a definition is named by its family ({', '.join(_CODES)}, {STRUCT_NAME})"

    @classmethod
    def filed_under(cls, name: str) -> str | None:
        if name == STRUCT_NAME:
            return name
        match = _TYPESTR.fullmatch(name)
        return FAMILIES.get(match[2]) if match and _is_sized(match) else None

    @classmethod
    def written(cls, value: object) -> Written:
        if isinstance(value, str):
            return _typestr(value)
        if isinstance(value, list | tuple):
            return Written(STRUCT_NAME, {"fields": value})
        text = f"expected a typestring or an array of records, got {shown(value)}"
        return Written(None, None, (Problem((), "invalid_type", text, reasons.WRONG_FORM),))

    @classmethod
    def restated(cls, problem: Problem) -> Problem:
        member = str(problem.loc[0]) if problem.loc else ""
        reason = _RESTATED.get((member, problem.reason), problem.reason)
        return Problem((), problem.kind, f"{member}: {problem.message}", reason)

    @classmethod
    def joined(cls, name: str, configuration: dict[str, Any]) -> JSONValue:
        if name == STRUCT_NAME:
            fields: JSONValue = configuration["fields"]
            return fields
        text = f"{configuration['byteorder']}{_CODES[name]}{configuration.get('itemsize', '')}"
        unit = configuration.get("unit")
        if unit is None:
            return text
        factor = configuration.get("scale_factor", 1)
        return f"{text}[{'' if factor == 1 else factor}{unit}]"


_RESTATED: Final = {
    ("itemsize", reasons.UNKNOWN_MEMBER): reasons.WRONG_SIZE,
    ("unit", reasons.UNKNOWN_MEMBER): reasons.WRONG_UNIT,
    ("scale_factor", reasons.UNKNOWN_MEMBER): reasons.WRONG_UNIT,
    ("scale_factor", reasons.OUT_OF_RANGE): reasons.WRONG_FACTOR,
    ("fields", reasons.MISSING_MEMBER): reasons.BAD_TYPESTR,
}


class ZarrV2CodecDefinition(Definition[C]):
    """A numcodecs codec: the id that it is filed under, and the parameters beside the id."""

    label: ClassVar[str] = "v2 codec"
    slot: ClassVar[str] = "codecs"
    zarr_format: ClassVar[int] = 2

    @classmethod
    def name_refusal(cls, name: object) -> str | None:
        return None if isinstance(name, str) and name else "an id is a text that is not empty"

    @classmethod
    def written(cls, value: object) -> Written:
        if not isinstance(value, dict):
            text = f"expected an object with an `id`, got {shown(value)}"
            return Written(None, None, (Problem((), "invalid_type", text, reasons.WRONG_FORM),))
        if "id" not in value:
            return Written(None, None, missing("id", reasons.MISSING_NAME))
        name = value["id"]
        if not isinstance(name, str):
            text = f"expected a codec's id, a string, got {shown(name)}"
            problem = Problem(("id",), "invalid_type", text, reasons.WRONG_NAME)
            return Written(None, None, (problem,))
        if not name:
            text = "expected a codec's id, got an empty string"
            problem = Problem(("id",), "invalid_value", text, reasons.WRONG_NAME)
            return Written(name, None, (problem,))
        return Written(name, {key: item for key, item in value.items() if key != "id"})

    @classmethod
    def joined(cls, name: str, configuration: dict[str, Any]) -> JSONValue:
        return {"id": name, **configuration}


def _is_sized(match: re.Match[str]) -> bool:
    """Whether a typestring has its size; only objects are written without one."""
    return bool(match[3]) or match[2] == "O"


def _typestr(text: str) -> Written:
    """A dtype written as text: a typestring carries all that there is to configure."""
    if text == STRUCT_NAME:
        return Written(text, {}, carried=True)
    match = _TYPESTR.fullmatch(text)
    if match is None:
        reason = reasons.OTHER_FORMAT if _V3_NAME.fullmatch(text) else reasons.BAD_TYPESTR
        return _no_typestr(text, "is no typestring such as `<f4` or `|S10`", reason)
    order, _, size, factor, unit = match.groups()
    if not _is_sized(match):
        return _no_typestr(text, "has no size in bytes after its type code", reasons.MISSING_SIZE)
    carried: dict[str, Any] = {"byteorder": order}
    try:
        if size:
            carried["itemsize"] = int(size)
        if unit:
            carried["unit"] = unit
            carried["scale_factor"] = int(factor or 1)
    except ValueError:  # more digits than Python turns into an integer
        return _no_typestr(text, "has a number that nothing can hold", reasons.WRONG_SIZE)
    return Written(text, carried, carried=True)


def _no_typestr(text: str, why: str, reason: str) -> Written:
    return Written(text, None, (Problem((), "invalid_value", f"{shown(text)} {why}", reason),))
