"""The v2 families of any width: bytes (S), str (U) and void (V)."""

from typing import Any, Final, TypeAlias

from zarrdb.metadata.base64 import sized_problems
from zarrdb.metadata.problem import Problems
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.v2.data_type.scalar import ZarrV2ScalarConfiguration
from zarrdb.metadata.v2.data_type.typestr import Sized, orderless
from zarrdb.metadata.v2.kinds import ZarrV2DataTypeDefinition

ZarrV2Base64FillValue: TypeAlias = str | None
"""Bytes as base64 (specification, "Fill value encoding"), or null."""


def _bytes_fill_value_rules(value: Any, data_type: AcceptedField) -> Problems:
    return sized_problems(value, 0, data_type.configuration["itemsize"])


def _void_fill_value_rules(value: Any, data_type: AcceptedField) -> Problems:
    size = data_type.configuration["itemsize"]
    return sized_problems(value, size, size)


BYTES_DATA_TYPE_V2: Final = ZarrV2DataTypeDefinition(
    name="bytes",
    configuration=ZarrV2ScalarConfiguration,
    rules=Sized(None, None),
    canonical=orderless,
    fill_value=ZarrV2Base64FillValue,
    fill_value_rules=_bytes_fill_value_rules,
)
"""`|S5`: five bytes or fewer; the fill value is base64 of no more than that."""

STR_DATA_TYPE_V2: Final = ZarrV2DataTypeDefinition(
    name="str",
    configuration=ZarrV2ScalarConfiguration,
    rules=Sized(None, frozenset()),
    fill_value=str | None,
)
"""`<U5`: five code points of four bytes or fewer; the fill value is any text."""

VOID_DATA_TYPE_V2: Final = ZarrV2DataTypeDefinition(
    name="void",
    configuration=ZarrV2ScalarConfiguration,
    rules=Sized(None, None),
    canonical=orderless,
    fill_value=ZarrV2Base64FillValue,
    fill_value_rules=_void_fill_value_rules,
)
"""`|V5`: five bytes of anything; the fill value is base64 of exactly that many."""
