"""What known writers got wrong in v2 documents."""

from collections.abc import Iterator
from typing import Any, Final

from zarrdb.metadata.problem import Loc
from zarrdb.metadata.repair import CONSOLIDATED_IN_ZGROUP, NON_FINITE_FILL_VALUE, Repair
from zarrdb.metadata.resolve import AcceptedField, resolve
from zarrdb.metadata.v2.array import ZARR_V2_ARRAY_METADATA_STORE_KEY as ARRAY
from zarrdb.metadata.v2.consolidated import ZARR_V2_CONSOLIDATED_METADATA_STORE_KEY as CONSOLIDATED
from zarrdb.metadata.v2.data_type.scalar import COMPLEX_DATA_TYPE_V2, FLOAT_DATA_TYPE_V2
from zarrdb.metadata.v2.definition import CORE_V2
from zarrdb.metadata.v2.group import ZARR_V2_GROUP_METADATA_STORE_KEY as GROUP
from zarrdb.metadata.v2.kinds import ZarrV2DataTypeDefinition
from zarrdb.metadata.v2.read_consolidated import document_name, node_path
from zarrdb.metadata.value import is_fit

_PARTS: Final = 2
"""Of a complex number."""


def repairs(name: str, value: Any) -> tuple[Repair, ...]:
    """The repairs of a document as it is stored: `.zarray` or `.zmetadata`.

    zarr-python 3.0 wrote bare NaN and Infinity as fill values, and 3.x writes a member
    `consolidated_metadata` into the groups within a `.zmetadata`.
    """
    if not isinstance(value, dict):
        return ()
    if name == ARRAY:
        return tuple(_fill_value_repairs(value, ()))
    listed = value.get("metadata")
    if name != CONSOLIDATED or not isinstance(listed, dict):
        return ()
    return tuple(repair for key, item in listed.items() for repair in _entry_repairs(key, item))


def _entry_repairs(key: str, item: Any) -> Iterator[Repair]:
    loc = ("metadata", key)
    if not isinstance(item, dict):
        return
    if document_name(key) == ARRAY:
        yield from _fill_value_repairs(item, loc)
    copied = item.get("consolidated_metadata")
    if (
        document_name(key) == GROUP
        and node_path(key)
        and item.get("zarr_format") == 2
        and isinstance(copied, dict)
        and is_fit(copied)
    ):
        yield Repair((*loc, "consolidated_metadata"), CONSOLIDATED_IN_ZGROUP, removed=True)


def _fill_value_repairs(array: dict[str, Any], loc: Loc) -> Iterator[Repair]:
    """The names of the floats that were written as bare tokens."""
    data_type, _ = resolve(array.get("dtype"), ZarrV2DataTypeDefinition, CORE_V2)
    fill_value, at = array.get("fill_value"), (*loc, "fill_value")
    if not isinstance(data_type, AcceptedField):
        return
    places: list[tuple[Loc, Any]] = []
    if data_type.definition is FLOAT_DATA_TYPE_V2:
        places = [(at, fill_value)]
    elif data_type.definition is COMPLEX_DATA_TYPE_V2 and isinstance(fill_value, list):
        places = [((*at, index), part) for index, part in enumerate(fill_value)]
        places = places if len(places) == _PARTS else []
    for place, part in places:
        if isinstance(part, float) and part - part != 0.0:
            yield Repair(place, NON_FINITE_FILL_VALUE, _name(part))


def _name(number: float) -> str:
    """What a float without a number is called."""
    if number != number:
        return "NaN"
    return "Infinity" if number > 0 else "-Infinity"
