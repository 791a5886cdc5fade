"""The v3 data type `struct` (zarr-extensions): records whose fields have types of their own."""

from collections.abc import Mapping
from typing import Any, Final, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.checks import missing
from zarrdb.metadata.fill_value import canonical_fill_value, fill_value_check
from zarrdb.metadata.problem import Loc, Problem, Problems, shown, under
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.v3.chunk import Storage, storage_of
from zarrdb.metadata.v3.kinds import ZarrV3DataTypeDefinition, ZarrV3DataTypeField
from zarrdb.metadata.value import JSONValue

ZarrV3StructFillValue: TypeAlias = Mapping[str, JSONValue]
"""The fill value of a record: that of each field, by name."""


class ZarrV3StructField(TypedDict, closed=True):
    """A field of a record."""

    name: ReadOnly[str]
    data_type: ReadOnly[ZarrV3DataTypeField]


class ZarrV3StructConfiguration(TypedDict, closed=True):
    """The fields of a record, packed one behind the other."""

    fields: ReadOnly[tuple[ZarrV3StructField, ...]]


def _rules(struct: AcceptedField) -> Problems:
    fields = struct.configuration["fields"]
    if not fields:
        text = "a record has at least one field"
        return (Problem(("fields",), "invalid_value", text, reasons.NO_FIELDS),)
    seen: set[str] = set()
    problems: list[Problem] = []
    for index, (field, data_type) in enumerate(zip(fields, _data_types(struct), strict=True)):
        loc, name = ("fields", index), field["name"]
        if not name:
            text = "a field has a name that is not empty"
            problems.append(_wrong((*loc, "name"), text, reasons.NAMELESS_FIELD))
        if name in seen:
            text = f"a second field is named {shown(name)}"
            problems.append(_wrong((*loc, "name"), text, reasons.DUPLICATE_FIELD))
        if storage_of(data_type).varies:
            text = f"a record is of fixed size, and values of {shown(data_type.name)} are not"
            problems.append(_wrong((*loc, "data_type"), text, reasons.WRONG_DATA_TYPE))
        seen.add(name)
    return tuple(problems)


def _wrong(loc: Loc, text: str, reason: str) -> Problem:
    return Problem(loc, "invalid_value", text, reason)


def _data_types(struct: AcceptedField) -> list[Any]:
    """The types of the fields, in order; each record has one, and nothing else within it."""
    return [field for _, field in struct.nested]


def _names(struct: AcceptedField) -> list[str]:
    return [field["name"] for field in struct.configuration["fields"]]


def _fill_value_rules(value: Any, struct: AcceptedField) -> Problems:
    problems: list[Problem] = []
    names = _names(struct)
    for name, data_type in zip(names, _data_types(struct), strict=True):
        if name in value:
            problems += under(name, fill_value_check(data_type)(value[name]))
        else:
            problems += missing(name)
    for name in value:
        if name not in names:
            text = f"no field is named {shown(name)}"
            problems.append(Problem((name,), "unknown_key", text, reasons.UNKNOWN_MEMBER))
    return tuple(problems)


def _fill_value_canonical(value: Any, struct: AcceptedField) -> JSONValue:
    types = zip(_names(struct), _data_types(struct), strict=True)
    return {name: canonical_fill_value(value[name], data_type) for name, data_type in types}


def _storage(struct: AcceptedField) -> Storage:
    """That of the fields together; known as far as they all are."""
    parts = [storage_of(data_type) for data_type in _data_types(struct)]
    sizes = [part.size for part in parts if part.size is not None]
    orders = {part.ordered for part in parts}
    ordered = True if True in orders else False if orders == {False} else None
    return Storage(sum(sizes) if len(sizes) == len(parts) else None, ordered)


STRUCT_DATA_TYPE_V3: Final = ZarrV3DataTypeDefinition(
    name="struct",
    configuration=ZarrV3StructConfiguration,
    field_rules=_rules,
    fill_value=ZarrV3StructFillValue,
    fill_value_rules=_fill_value_rules,
    fill_value_canonical=_fill_value_canonical,
    storage=_storage,
)
"""Records: the fill value is an object with that of each field."""
