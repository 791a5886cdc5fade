"""Scopes are values; the vectors say which ones can be built."""

import copy
import pickle
from typing import Any

import pytest

from helpers_metadata import own_definition
from zarrdb.errors import UsageError
from zarrdb.metadata import ScopeConflictError, resolve
from zarrdb.metadata.v2 import (
    CODECS_V2,
    CORE_V2,
    DATA_TYPES_V2,
    GZIP_CODEC_V2,
    ZLIB_CODEC_V2,
    ZarrV2CodecDefinition,
    ZarrV2Context,
    ZarrV2DataTypeDefinition,
)
from zarrdb.metadata.v3 import CORE_V3


def test_a_scope_cannot_be_changed_through_its_tables() -> None:
    codecs: Any = CORE_V2.codecs
    with pytest.raises(TypeError):
        codecs["gzip"] = ZLIB_CODEC_V2
    assert CORE_V2.codecs["gzip"] is GZIP_CODEC_V2


def test_tables_are_read_only_views_by_kind() -> None:
    assert dict(CORE_V2.definitions_of(ZarrV2CodecDefinition)) == {c.name: c for c in CODECS_V2}
    assert list(CORE_V2.data_types.values()) == list(DATA_TYPES_V2)
    assert CORE_V2.kinds == {
        "data_types": ZarrV2DataTypeDefinition,
        "codecs": ZarrV2CodecDefinition,
    }
    assert CORE_V2.zarr_format == 2


def test_copies_are_the_scope_itself() -> None:
    assert copy.copy(CORE_V2) is CORE_V2
    assert copy.deepcopy(CORE_V2) is CORE_V2


def test_scopes_and_definitions_travel() -> None:
    for value in (CORE_V2, ZarrV2Context(), *CODECS_V2, *DATA_TYPES_V2):
        back = pickle.loads(pickle.dumps(value))
        assert back == value
        assert hash(back) == hash(value)


def test_a_name_that_means_something_else_makes_another_scope() -> None:
    other: Any = own_definition("gzip", "open")
    changed = CORE_V2.update(codecs={**CORE_V2.codecs, "gzip": other})
    assert changed != CORE_V2
    assert changed.claimant(ZarrV2CodecDefinition, "gzip") is other
    assert CORE_V2 != "CORE_V2"


def test_a_slot_of_one_scope_goes_into_another() -> None:
    assert ZarrV2Context(codecs=CORE_V2.codecs, data_types=CORE_V2.data_types) == CORE_V2


def test_a_conflict_says_what_and_travels() -> None:
    other: Any = own_definition("gzip", "open")
    with pytest.raises(ScopeConflictError) as caught:
        CORE_V2.union(ZarrV2Context(codecs=[other]))
    error = caught.value
    assert "'gzip'" in str(error)
    assert isinstance(error, UsageError)
    back = pickle.loads(pickle.dumps(error))
    assert back.conflicts == error.conflicts
    assert str(back) == str(error)


def test_scopes_show_their_size() -> None:
    assert repr(CORE_V2) == "<ZarrV2Context: 33 definitions>"


def test_definitions_and_fields_show_their_name() -> None:
    assert repr(CORE_V2.codecs["gzip"]) == "<ZarrV2CodecDefinition: 'gzip'>"
    assert repr(CORE_V3.data_types["int8"]) == "<ZarrV3DataTypeDefinition: 'int8'>"
    field, _ = resolve("<f4", ZarrV2DataTypeDefinition, CORE_V2)
    assert repr(field) == "<AcceptedField: v2 data type '<f4'>"
