"""Array metadata of v2: reasons, facts, and what two documents say differently."""

from typing import Any

import pytest

from zarrdb.errors import MetadataError
from zarrdb.metadata import reasons
from zarrdb.metadata.v2 import CORE_V2, ZarrV2Context, ZarrV2Reader, item_size

ARRAY: dict[str, Any] = {
    "zarr_format": 2,
    "shape": [4, 4],
    "chunks": [2, 2],
    "dtype": "<i4",
    "compressor": {"id": "zlib"},
    "fill_value": 0,
    "order": "C",
    "filters": None,
}
READER = ZarrV2Reader()


def said(**changes: Any) -> list[tuple[Any, str]]:
    reading = READER.document(".zarray", {**ARRAY, **changes})
    return [(problem.loc, problem.reason) for problem in reading.problems]


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"shape": [4, -1]}, [(("shape",), reasons.OUT_OF_RANGE)]),
        ({"shape": [4.0, 4]}, [(("shape",), reasons.INTEGRAL_FLOAT)]),
        ({"shape": None}, [(("shape",), reasons.WRONG_TYPE)]),
        ({"shape": [float("nan"), 4]}, [(("shape", 0), reasons.NOT_FINITE)]),
        ({"chunks": [2]}, [(("chunks",), reasons.RANK_MISMATCH)]),
        ({"order": "A"}, [(("order",), reasons.NOT_ALLOWED)]),
        ({"zarr_format": "2"}, [(("zarr_format",), reasons.WRONG_TYPE)]),
        ({"dimension_separator": "-"}, [(("dimension_separator",), reasons.NOT_ALLOWED)]),
        ({"filters": {}}, [(("filters",), reasons.WRONG_TYPE)]),
        ({"attributes": {}}, [(("attributes",), reasons.MISPLACED_MEMBER)]),
        ({"attributes": 5}, [(("attributes",), reasons.MISPLACED_MEMBER)]),
        ({"extra": [float("inf")]}, [(("extra", 0), reasons.NOT_FINITE)]),
        ({"filters": [{"id": "zlib", "level": 99}]}, [
            (("filters", 0, "level"), reasons.OUT_OF_RANGE),
        ]),
    ],
)  # fmt: skip
def test_reasons_of_members(changes: dict[str, Any], expected: Any) -> None:
    assert said(**changes) == expected


@pytest.mark.parametrize("member", sorted(ARRAY))
def test_every_member_is_required(member: str) -> None:
    value = {name: item for name, item in ARRAY.items() if name != member}
    (problem,) = READER.document(".zarray", value).problems
    assert (problem.loc, problem.reason) == ((member,), reasons.MISSING_MEMBER)


@pytest.mark.parametrize(
    ("dtype", "fill_value", "loc", "reason"),
    [
        ("<i4", 2**31, (), reasons.OUT_OF_RANGE),
        ("|u1", -1, (), reasons.OUT_OF_RANGE),
        ("<M8[ns]", 2**63, (), reasons.OUT_OF_RANGE),
        ("<i4", 0.0, (), reasons.INTEGRAL_FLOAT),
        ("<i4", 0.5, (), reasons.WRONG_TYPE),
        ("<i4", "0", (), reasons.NUMBER_AS_TEXT),
        ("<f4", "0.5", (), reasons.NUMBER_AS_TEXT),
        ("<f4", "nan", (), reasons.WRONG_SPELLING),
        ("<f4", "-inf", (), reasons.WRONG_SPELLING),
        ("<f4", "none", (), reasons.NOT_ALLOWED),
        ("<f4", [], (), reasons.WRONG_TYPE),
        ("<c8", ["nan", 0], (0,), reasons.WRONG_SPELLING),
        ("<c8", [0, "1"], (1,), reasons.NUMBER_AS_TEXT),
        ("<c8", [0], (), reasons.WRONG_LENGTH),
        ("|b1", 0, (), reasons.LEGACY_NUMBER),
        ("|b1", 2, (), reasons.WRONG_TYPE),
        ("<U3", 0, (), reasons.LEGACY_NUMBER),
        ("<U3", 1, (), reasons.WRONG_TYPE),
        ("|S3", 0, (), reasons.LEGACY_NUMBER),
        ([["a", "<i4"]], 0, (), reasons.LEGACY_NUMBER),
        ("|S3", "X", (), reasons.NOT_BASE64),
        ("|S3", "QUJDRA==", (), reasons.WRONG_BYTE_LENGTH),
        ("|V4", "QUJD", (), reasons.WRONG_BYTE_LENGTH),
        ([["a", "<U1", [2]]], "QUJD", (), reasons.WRONG_BYTE_LENGTH),
        ("<M8[D]", "nat", (), reasons.WRONG_SPELLING),
        ("<M8[D]", "2000-01-01", (), reasons.NOT_ALLOWED),
    ],
)
def test_reasons_of_fill_values(dtype: Any, fill_value: Any, loc: Any, reason: str) -> None:
    assert said(dtype=dtype, fill_value=fill_value) == [(("fill_value", *loc), reason)]


@pytest.mark.parametrize(
    ("dtype", "size"),
    [
        ("|b1", 1),
        ("<f8", 8),
        ("<U3", 12),
        ("|S0", 0),
        ("|O", None),
        ("<t4", None),
        ("<f3", None),
        ([["a", "<i2"], ["b", "<U1", [2, 3]], ["c", [["d", "|u1"]]]], 2 + 24 + 1),
        ([["a", "<i2"], ["b", "|O"]], None),
        ([], 0),
    ],
)
def test_sizes_of_items(dtype: Any, size: int | None) -> None:
    data_type = READER.array({**ARRAY, "dtype": dtype}).dtype
    assert data_type is not None
    assert item_size(data_type) == size


def test_a_size_that_nothing_holds_is_told_without_a_number_of_digits() -> None:
    dtype = [["a", "|S" + "9" * 4000, [10**3000]]]
    assert said(dtype=dtype, fill_value="") == [(("fill_value",), reasons.WRONG_BYTE_LENGTH)]


def test_facts_of_a_reading() -> None:
    reading = READER.array({**ARRAY, "filters": [{"id": "delta", "dtype": "<i4"}, {"id": "x"}]})
    assert reading.dtype is reading.field_at("dtype")
    assert reading.compressor is not None
    assert reading.compressor.name == "zlib"
    assert [field.name for field in reading.filters] == ["delta", "x"]
    assert [(each.loc, each.slot, each.name) for each in reading.unclaimed] == [
        (("filters", 1), "codecs", "x")
    ]
    assert reading.field_at("chunk_grid") is None


@pytest.mark.parametrize(
    ("changes", "names"),
    [
        ({}, []),
        ({"compressor": {"level": 1, "id": "zlib"}}, []),
        ({"dtype": "<i04"}, []),
        ({"dimension_separator": "."}, []),
        ({"attributes": {}}, []),
        ({"dtype": "<f4", "fill_value": 0.0}, ["dtype", "fill_value"]),
        ({"compressor": None, "shape": [5, 4]}, ["compressor", "shape"]),
        ({"filters": []}, ["filters"]),
        ({"attributes": {"a": float("nan")}}, ["attributes"]),
        ({"extra": 1}, ["extra"]),
    ],
)
def test_differences_are_those_of_meaning(changes: dict[str, Any], names: list[str]) -> None:
    first, second = READER.array(ARRAY), READER.array({**ARRAY, **changes})
    assert first.differences(second) == names
    assert (first == second) == (not names)
    assert names or hash(first) == hash(second)


def test_a_reading_that_is_not_clean_says_so() -> None:
    reading = READER.array({**ARRAY, "order": "A", "shape": None})
    with pytest.raises(MetadataError) as caught:
        reading.clean()
    assert caught.value.problems == reading.problems
    assert "1 more" in str(caught.value)
    assert READER.array(ARRAY).clean().problems == ()


def test_what_is_unclaimed_may_be_claimed_later() -> None:
    reading = ZarrV2Reader(ZarrV2Context()).array(ARRAY)
    assert [each.name for each in reading.unclaimed] == ["<i4", "zlib"]
    refined = reading.refined_in(READER.cache.scope)
    assert refined.unclaimed == ()
    assert refined.refines(reading)
    assert not reading.refines(refined)
    assert refined.with_context(ZarrV2Context()).unclaimed == reading.unclaimed


@pytest.mark.parametrize(
    ("changes", "refines"),
    [
        ({"dimension_separator": ".", "attributes": {}}, True),
        ({"compressor": {"level": 1, "id": "zlib"}}, True),
        ({"dtype": "<i04"}, True),
        ({"compressor": {"id": "zlib", "level": 2}}, False),
        ({"attributes": {"a": 1}}, False),
        ({"fill_value": 1}, False),
        ({"fill_value": "x"}, False),
        ({"filters": []}, False),
    ],
)
def test_another_spelling_is_refined_too(changes: dict[str, Any], refines: bool) -> None:
    whole = READER.array(ARRAY)
    for scope in (ZarrV2Context(), CORE_V2):
        other = ZarrV2Reader(scope).array({**ARRAY, **changes})
        assert whole.refines(other) == refines
    assert not ZarrV2Reader(ZarrV2Context()).array(ARRAY).refines(whole)
    assert not whole.refines(READER.group({"zarr_format": 2}))
