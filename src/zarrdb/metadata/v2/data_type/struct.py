"""The v2 struct type: an array of records, the type of each being a field of its own."""

from typing import Annotated, Any, Final, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.base64 import decoded_size, sized_problems
from zarrdb.metadata.problem import Problem, Problems, shown
from zarrdb.metadata.resolve import AcceptedField, ResolvedField
from zarrdb.metadata.shape import Ge
from zarrdb.metadata.v2.data_type.fixed_width import ZarrV2Base64FillValue
from zarrdb.metadata.v2.kinds import (
    STRUCT_NAME,
    ZarrV2DataTypeDefinition,
    ZarrV2DataTypeField,
)

ZarrV2StructRecord: TypeAlias = (
    tuple[str, ZarrV2DataTypeField, tuple[Annotated[int, Ge(0)], ...]]
    | tuple[str, ZarrV2DataTypeField]
)
"""A field of a record: name, dtype and, for a sub-array, shape."""

_BYTES_PER_CODE_POINT: Final = 4

MAX_ITEM_SIZE: Final = 2**63
"""Where counting stops: no memory holds more, and lengths of any size may be written."""


class ZarrV2StructConfiguration(TypedDict, closed=True):
    """The records of a structured dtype; a document writes them as the dtype itself."""

    fields: ReadOnly[tuple[ZarrV2StructRecord, ...]]


def item_size(data_type: ResolvedField) -> int | None:
    """Bytes of one item, at most MAX_ITEM_SIZE; None where a part has no size that is known."""
    if not isinstance(data_type, AcceptedField):
        return None
    configuration = data_type.configuration
    if "fields" not in configuration:
        size: int | None = configuration.get("itemsize")
        is_text = data_type.definition is not None and data_type.definition.name == "str"
        return size * _BYTES_PER_CODE_POINT if size is not None and is_text else size
    total = 0
    for record, (_, field) in zip(configuration["fields"], data_type.nested, strict=True):
        size = item_size(field)
        if size is None:
            return None
        for length in record[2] if len(record) > 2 else ():
            size = min(size * length, MAX_ITEM_SIZE)
        total = min(total + size, MAX_ITEM_SIZE)
    return total


def _rules(configuration: ZarrV2StructConfiguration) -> Problems:
    """No name twice; NumPy leaves gaps nameless, so the empty name may come again."""
    seen: set[str] = set()
    problems: list[Problem] = []
    for index, (name, *_) in enumerate(configuration["fields"]):
        if name and name in seen:
            loc = ("fields", index, 0)
            text = f"a second field is named {shown(name)}"
            problems.append(Problem(loc, "invalid_value", text, reasons.DUPLICATE_FIELD))
        seen.add(name)
    return tuple(problems)


def _fill_value_rules(value: Any, data_type: AcceptedField) -> Problems:
    size = item_size(data_type)
    if size is None:
        size = (decoded_size(value) if value is not None else None) or 0
    return sized_problems(value, size, size)


STRUCT_DATA_TYPE_V2: Final = ZarrV2DataTypeDefinition(
    name=STRUCT_NAME,
    configuration=ZarrV2StructConfiguration,
    rules=_rules,
    fill_value=ZarrV2Base64FillValue,
    fill_value_rules=_fill_value_rules,
)
"""Records: the fill value is base64 of one of them."""
