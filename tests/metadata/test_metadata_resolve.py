"""Fields: outcomes, reasons, and what a cache may not change."""

import pickle
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.metadata import (
    AcceptedField,
    FieldCache,
    RefusedField,
    UnclaimedField,
    reasons,
    resolve,
)
from zarrdb.metadata.v2 import (
    CORE_V2,
    ZarrV2CodecDefinition,
    ZarrV2Context,
    ZarrV2DataTypeDefinition,
)


def read_dtype(value: Any) -> Any:
    return resolve(value, ZarrV2DataTypeDefinition, CORE_V2)


def read_codec(value: Any) -> Any:
    return resolve(value, ZarrV2CodecDefinition, CORE_V2)


@pytest.mark.parametrize(
    ("value", "reason"),
    [
        (5, reasons.WRONG_FORM),
        ({"name": "float32"}, reasons.WRONG_FORM),
        ("<f4 ", reasons.BAD_TYPESTR),
        ("struct", reasons.BAD_TYPESTR),
        ("float32", reasons.OTHER_FORMAT),
        ("string", reasons.OTHER_FORMAT),
        ("numpy.datetime64", reasons.OTHER_FORMAT),
        ("|S", reasons.MISSING_SIZE),
        ("<f3", reasons.WRONG_SIZE),
        ("|O8", reasons.WRONG_SIZE),
        ("<i" + "9" * 5000, reasons.WRONG_SIZE),
        ("|f4", reasons.WRONG_BYTE_ORDER),
        ("<M8", reasons.MISSING_UNIT),
        ("<M8[generic]", reasons.WRONG_UNIT),
        ("<f4[ns]", reasons.WRONG_UNIT),
        ("<M8[0ns]", reasons.WRONG_FACTOR),
        ([["a", "<f4"], ["a", "<f4"]], reasons.DUPLICATE_FIELD),
        ([["a", "<f4", [-1]]], reasons.OUT_OF_RANGE),
        ([["a"]], reasons.WRONG_LENGTH),
        ([["a", "float32"]], reasons.OTHER_FORMAT),
        (float("nan"), reasons.NOT_FINITE),
    ],
)
def test_reasons_of_data_types(value: Any, reason: str) -> None:
    _, problems = read_dtype(value)
    assert {problem.reason for problem in problems} == {reason}


@pytest.mark.parametrize(
    ("value", "loc", "reason"),
    [
        ("zlib", (), reasons.WRONG_FORM),
        ({}, ("id",), reasons.MISSING_NAME),
        ({"id": 5}, ("id",), reasons.WRONG_NAME),
        ({"id": ""}, ("id",), reasons.WRONG_NAME),
        ({"id": "zlib", "level": 10}, ("level",), reasons.OUT_OF_RANGE),
        ({"id": "zlib", "level": 1.0}, ("level",), reasons.INTEGRAL_FLOAT),
        ({"id": "zlib", "level": "1"}, ("level",), reasons.WRONG_TYPE),
        ({"id": "zlib", "x": 1}, ("x",), reasons.UNKNOWN_MEMBER),
        ({"id": "blosc", "cname": "lzo"}, ("cname",), reasons.NOT_ALLOWED),
        ({"id": "delta"}, ("dtype",), reasons.MISSING_MEMBER),
        ({"id": "delta", "dtype": "f4"}, ("dtype",), reasons.BAD_TYPESTR),
        ({"id": "quantize", "digits": 1, "dtype": "<i4"}, ("dtype",), reasons.NOT_A_FLOAT_TYPE),
    ],
)
def test_reasons_of_codecs(value: Any, loc: Any, reason: str) -> None:
    _, problems = read_codec(value)
    assert [(problem.loc, problem.reason) for problem in problems] == [(loc, reason)]


def test_bounds_and_choices_are_in_the_message() -> None:
    (_, (level,)), (_, (cname,)) = (
        read_codec({"id": "zlib", "level": 12}),
        read_codec({"id": "blosc", "cname": "lzo"}),
    )
    assert level.message == "expected an integer from -1 to 9, got 12"
    assert '"zstd"' in cname.message
    assert '"lzo"' in cname.message


def test_the_three_outcomes() -> None:
    accepted, _ = read_codec({"id": "zlib", "x": 1})
    unclaimed, none = read_codec({"id": "mine", "x": 1})
    refused, _ = read_codec({"id": "zlib", "level": 99})
    assert isinstance(accepted, AcceptedField)
    assert accepted.configuration == {}
    assert isinstance(unclaimed, UnclaimedField)
    assert unclaimed.configuration == {"x": 1}
    assert none == ()
    assert isinstance(refused, RefusedField)
    assert refused.definition is CORE_V2.codecs["zlib"]


def test_fields_within_are_read_in_the_same_scope() -> None:
    less = CORE_V2.update(
        data_types=[each for each in CORE_V2.data_types.values() if each.name != "float"]
    )
    field, problems = resolve([["a", [["b", "<f4"]]]], ZarrV2DataTypeDefinition, less)
    assert problems == ()
    assert [(loc, type(each)) for loc, each in field.walk()] == [
        ((), AcceptedField),
        (("fields", 0, 1), AcceptedField),
        (("fields", 0, 1, "fields", 0, 1), UnclaimedField),
    ]


def test_a_record_nested_as_deep_as_allowed_has_a_canonical_form() -> None:
    value: Any = "<i1"
    for _ in range(128):
        value = [["n", value]]
    field, problems = read_dtype(value)
    assert problems == ()
    assert str(field.canonical).count("|i1") == 1


def test_a_field_travels() -> None:
    field, _ = read_dtype([["a", "<M8[1ns]"]])
    back = pickle.loads(pickle.dumps(field))
    assert back == field
    assert hash(back) == hash(field)
    assert back != "field"


scalars = st.sampled_from([0, 1, True, False, 1.0, 0.0, -0.0, None, "1", "<f4", 9, 10])
codecs = st.builds(
    lambda name, members: {"id": name, **members},
    st.sampled_from(["zlib", "blosc", "zstd", "mine"]),
    st.dictionaries(st.sampled_from(["level", "shuffle", "checksum", "x"]), scalars, max_size=2),
)


@given(st.lists(codecs, max_size=12))
def test_a_cache_gives_what_resolve_gives(values: list[Any]) -> None:
    cache = FieldCache(CORE_V2, limit=4)
    for value in [*values, *reversed(values)]:
        field, problems = resolve(value, ZarrV2CodecDefinition, CORE_V2)
        known, found = cache.resolve(value, ZarrV2CodecDefinition)
        assert (type(known), known.identity, found) == (type(field), field.identity, problems)


def test_a_cache_keeps_its_bound_and_its_scope() -> None:
    cache = FieldCache(ZarrV2Context(), limit=2)
    for size in range(50):
        field, _ = cache.resolve(f"|S{size}", ZarrV2DataTypeDefinition)
        assert isinstance(field, UnclaimedField)
        assert cache.fill_value_problems(5, field) == ()
        assert len(cache._fields) <= 2
        assert len(cache._checks) <= 2
