"""What known writers got wrong in v2 documents."""

from collections.abc import Iterator
from typing import Any, Final

from zarrdb.metadata.problem import Loc
from zarrdb.metadata.repair import CONSOLIDATED_IN_ZGROUP, Repair, unnamed_floats
from zarrdb.metadata.resolve import AcceptedField, resolve
from zarrdb.metadata.v2.array import ZARR_V2_ARRAY_METADATA_STORE_KEY as ARRAY
from zarrdb.metadata.v2.consolidated import ZARR_V2_CONSOLIDATED_METADATA_STORE_KEY as CONSOLIDATED
from zarrdb.metadata.v2.context import ZarrV2Context
from zarrdb.metadata.v2.data_type.scalar import COMPLEX_DATA_TYPE_V2, FLOAT_DATA_TYPE_V2
from zarrdb.metadata.v2.definition import CORE_V2
from zarrdb.metadata.v2.group import ZARR_V2_GROUP_METADATA_STORE_KEY as GROUP
from zarrdb.metadata.v2.kinds import ZarrV2DataTypeDefinition
from zarrdb.metadata.v2.read_consolidated import document_name, node_path
from zarrdb.metadata.value import is_fit

_FLOATS: Final = (FLOAT_DATA_TYPE_V2, COMPLEX_DATA_TYPE_V2)


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
        and _is_v2(item)
        and isinstance(copied, dict)
        and is_fit(copied)
    ):
        yield Repair((*loc, "consolidated_metadata"), CONSOLIDATED_IN_ZGROUP, removed=True)


def _is_v2(document: dict[str, Any]) -> bool:
    said = document.get("zarr_format")
    return type(said) is int and said == ZarrV2Context.zarr_format


def _fill_value_repairs(array: dict[str, Any], loc: Loc) -> Iterator[Repair]:
    """The names of the floats that were written as bare tokens, in a document that says which
    format it is, its dtype spelled as writers do."""
    dtype = array.get("dtype")
    data_type, _ = resolve(dtype, ZarrV2DataTypeDefinition, CORE_V2)
    if not _is_v2(array) or not isinstance(data_type, AcceptedField):
        return
    if data_type.definition in _FLOATS and data_type.canonical == dtype:
        parts = data_type.definition is COMPLEX_DATA_TYPE_V2
        yield from unnamed_floats(array.get("fill_value"), (*loc, "fill_value"), parts=parts)
