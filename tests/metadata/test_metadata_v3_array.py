"""v3 arrays: every kind of fault with its place and reason, notes, and what a reading tells."""

from typing import Any

import pytest

from zarrdb.metadata import AcceptedField, RefusedField, UnclaimedField, reasons
from zarrdb.metadata.v3 import CORE_V3, ZarrV3ArrayReading, ZarrV3Context, ZarrV3Reader

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
READER = ZarrV3Reader()


def array(**members: Any) -> dict[str, Any]:
    """An array with other members; `...` leaves one out."""
    usual = {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4, 6],
        "data_type": "float32",
        "chunk_grid": regular(2, 3),
        "chunk_key_encoding": {"name": "default"},
        "fill_value": 0,
        "codecs": [LITTLE],
    }
    return {name: item for name, item in {**usual, **members}.items() if item is not ...}


def regular(*lengths: Any) -> dict[str, Any]:
    return {"name": "regular", "configuration": {"chunk_shape": list(lengths)}}


def codec(name: str, **configuration: Any) -> dict[str, Any]:
    return {"name": name, "configuration": configuration}


def shard(*chunk_shape: Any, **changes: Any) -> dict[str, Any]:
    usual = {"chunk_shape": list(chunk_shape), "codecs": [LITTLE], "index_codecs": [LITTLE]}
    return codec("sharding_indexed", **{**usual, **changes})


def struct(*types: Any) -> dict[str, Any]:
    fields = [
        {"name": name, "data_type": each} for name, each in zip("abcdef", types, strict=False)
    ]
    return codec("struct", fields=fields)


def read(**members: Any) -> ZarrV3ArrayReading:
    return READER.array(array(**members))


def said(**members: Any) -> list[tuple[Any, ...]]:
    return [(*problem.loc, problem.reason) for problem in read(**members).problems]


AT = "configuration"
FAULTS: list[tuple[dict[str, Any], tuple[Any, ...]]] = [
    ({"shape": ...}, ("shape", reasons.MISSING_MEMBER)),
    ({"shape": [4, 6.0]}, ("shape", reasons.INTEGRAL_FLOAT)),
    ({"shape": [-4, 6]}, ("shape", reasons.OUT_OF_RANGE)),
    ({"zarr_format": 2}, ("zarr_format", reasons.NOT_ALLOWED)),
    ({"attributes": None}, ("attributes", reasons.WRONG_TYPE)),
    ({"dimension_names": None}, ("dimension_names", reasons.NULL_MEMBER)),
    ({"dimension_names": "xy"}, ("dimension_names", reasons.WRONG_TYPE)),
    ({"dimension_names": ["x"]}, ("dimension_names", reasons.RANK_MISMATCH)),
    ({"storage_transformers": None}, ("storage_transformers", reasons.NULL_MEMBER)),
    ({"storage_transformers": {}}, ("storage_transformers", reasons.WRONG_TYPE)),
    ({"data_type": "<f4"}, ("data_type", reasons.OTHER_FORMAT)),
    ({"data_type": "Float32"}, ("data_type", reasons.WRONG_NAME)),
    ({"data_type": 5}, ("data_type", reasons.WRONG_FORM)),
    ({"data_type": "r12"}, ("data_type", reasons.WRONG_SIZE)),
    ({"data_type": struct()}, ("data_type", AT, "fields", reasons.NO_FIELDS)),
    (
        {"data_type": struct("string")},
        ("data_type", AT, "fields", 0, "data_type", reasons.WRONG_DATA_TYPE),
    ),
    (
        {"data_type": {"name": "float32", "must_understand": False}},
        ("data_type", "must_understand", reasons.NOT_SKIPPABLE),
    ),
    ({"chunk_grid": regular(2)}, ("chunk_grid", AT, "chunk_shape", reasons.RANK_MISMATCH)),
    ({"chunk_grid": regular(0, 3)}, ("chunk_grid", AT, "chunk_shape", 0, reasons.ZERO_CHUNK)),
    (
        {"shape": [0, 6], "chunk_grid": regular(0, 3)},
        ("chunk_grid", AT, "chunk_shape", 0, reasons.ZERO_CHUNK_ON_EMPTY_AXIS),
    ),
    ({"chunk_grid": regular(-1, 3)}, ("chunk_grid", AT, "chunk_shape", 0, reasons.OUT_OF_RANGE)),
    ({"chunk_grid": "regular"}, ("chunk_grid", AT, reasons.MISSING_MEMBER)),
    (
        {"chunk_grid": codec("rectilinear", kind="inline", chunk_shapes=[[1, 2], 3])},
        ("chunk_grid", AT, "chunk_shapes", 0, reasons.NOT_COVERED),
    ),
    (
        {"chunk_key_encoding": codec("default", separator="-")},
        ("chunk_key_encoding", AT, "separator", reasons.NOT_ALLOWED),
    ),
    ({"fill_value": None}, ("fill_value", reasons.NULL_FILL_VALUE)),
    ({"fill_value": "nan"}, ("fill_value", reasons.WRONG_SPELLING)),
    ({"fill_value": "1.5"}, ("fill_value", reasons.NUMBER_AS_TEXT)),
    ({"fill_value": "0x7fc0000"}, ("fill_value", reasons.WRONG_HEX)),
    ({"fill_value": float("nan")}, ("fill_value", reasons.NOT_FINITE)),
    ({"data_type": "int8", "fill_value": 128}, ("fill_value", reasons.OUT_OF_RANGE)),
    ({"data_type": "int8", "fill_value": 0.0}, ("fill_value", reasons.INTEGRAL_FLOAT)),
    ({"data_type": "int8", "fill_value": "0"}, ("fill_value", reasons.NUMBER_AS_TEXT)),
    ({"data_type": "bool", "fill_value": 0}, ("fill_value", reasons.WRONG_TYPE)),
    (
        {"data_type": "complex64", "fill_value": [0, "inf"]},
        ("fill_value", 1, reasons.WRONG_SPELLING),
    ),
    ({"data_type": "r16", "fill_value": [0]}, ("fill_value", reasons.WRONG_BYTE_LENGTH)),
    (
        {"data_type": struct("int8"), "fill_value": {}},
        ("fill_value", "a", reasons.MISSING_MEMBER),
    ),
    ({"codecs": [{"id": "zlib"}]}, ("codecs", 0, "name", reasons.OTHER_FORMAT)),
    ({"codecs": [{}]}, ("codecs", 0, "name", reasons.MISSING_NAME)),
    ({"codecs": ["bytes"]}, ("codecs", 0, AT, "endian", reasons.MISSING_MEMBER)),
    ({"codecs": []}, ("codecs", reasons.NO_ENCODER)),
    ({"codecs": [LITTLE, LITTLE]}, ("codecs", 1, reasons.SECOND_ENCODER)),
    ({"codecs": ["crc32c", LITTLE]}, ("codecs", 1, reasons.CODEC_ORDER)),
    (
        {"codecs": [codec("transpose", order=[0, 0]), LITTLE]},
        ("codecs", 0, AT, "order", reasons.NOT_A_PERMUTATION),
    ),
    (
        {"codecs": [codec("transpose", order=[0]), LITTLE]},
        ("codecs", 0, AT, "order", reasons.RANK_MISMATCH),
    ),
    ({"codecs": [shard(1)]}, ("codecs", 0, AT, "chunk_shape", reasons.RANK_MISMATCH)),
    ({"codecs": [shard(2, 2)]}, ("codecs", 0, AT, "chunk_shape", 1, reasons.NOT_DIVIDED)),
    (
        {"codecs": [shard(1, 3, index_codecs=[LITTLE, codec("gzip", level=1)])]},
        ("codecs", 0, AT, "index_codecs", 1, reasons.VARIABLE_SIZE),
    ),
    (
        {"codecs": [shard(1, 3, index_location="middle")]},
        ("codecs", 0, AT, "index_location", reasons.NOT_ALLOWED),
    ),
    (
        {"codecs": [shard(1, 3, codecs=[])]},
        ("codecs", 0, AT, "codecs", reasons.NO_ENCODER),
    ),
    ({"data_type": "string", "fill_value": ""}, ("codecs", 0, AT, reasons.WRONG_DATA_TYPE)),
    (
        {"codecs": [codec("cast_value", data_type="bool"), "bytes"]},
        ("codecs", 0, AT, "data_type", reasons.WRONG_DATA_TYPE),
    ),
    (
        {"codecs": [codec("scale_offset", offset="x"), LITTLE]},
        ("codecs", 0, AT, "offset", reasons.NOT_ALLOWED),
    ),
    (
        {"codecs": [LITTLE, codec("blosc", cname="lz4", clevel=1, shuffle="shuffle", blocksize=0)]},
        ("codecs", 1, AT, "typesize", reasons.MISSING_MEMBER),
    ),
]


@pytest.mark.parametrize(("members", "expected"), FAULTS)
def test_each_fault_has_its_place_and_reason(
    members: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    found = said(**members)
    assert expected in found
    # What rests on a data type is not right for another one, and v2 codecs have members of v2.
    assert len(found) == 1 or "data_type" in members or expected[-1] == reasons.OTHER_FORMAT


def test_a_name_of_v2_is_answered_with_that_of_v3() -> None:
    expected = {
        "<f4": "float32",
        ">c16": "complex128",
        "|b1": "bool",
        "|S5": "null_terminated_bytes",
        "<U5": "fixed_length_utf32",
        "<M8[ns]": "numpy.datetime64",
        "|O": "string",
        "<i": "a name",
    }
    for written, name in expected.items():
        (problem,) = [each for each in read(data_type=written).problems if "data_type" in each.loc]
        assert f"v3 writes {name})" in problem.message


def test_a_wrong_format_is_one_problem() -> None:
    for change in ({"zarr_format": 2}, {"zarr_format": "3"}, {"zarr_format": 3.0}):
        assert len(READER.node(array(**change)).problems) == 1
    for node_type in ("Array", "dataset", 1, None):
        (problem,) = READER.node(array(node_type=node_type, shape="x", codecs=5)).problems
        assert problem.loc == ("node_type",)


def test_shapes_and_types_are_handed_from_codec_to_codec() -> None:
    turned = codec("transpose", order=[1, 0])
    assert said(codecs=[turned, shard(3, 2)]) == []
    assert said(codecs=[turned, shard(2, 3)]) == [
        ("codecs", 1, AT, "chunk_shape", 0, reasons.NOT_DIVIDED),
        ("codecs", 1, AT, "chunk_shape", 1, reasons.NOT_DIVIDED),
    ]
    assert said(codecs=[codec("cast_value", data_type="uint8"), "bytes"]) == []
    assert said(codecs=["mystery", codec("transpose", order=[0]), "bytes"]) == []
    inner = shard(1, 3, codecs=["bytes"])
    assert said(codecs=[inner]) == [
        ("codecs", 0, AT, "codecs", 0, AT, "endian", reasons.MISSING_MEMBER)
    ]


def test_stages_tell_what_each_codec_is_given() -> None:
    turned = codec("transpose", order=[1, 0])
    stages = read(codecs=[turned, shard(3, 1), codec("gzip", level=1)]).stages
    assert [None if each.given is None else each.given.lengths for each in stages] == [
        (2, 3),
        (3, 2),
        None,
    ]
    (index,) = stages[1].inner["index_codecs"]
    assert index.given is not None
    assert index.given.rank == 3
    rectilinear = codec("rectilinear", kind="inline", chunk_shapes=[[[2, 2]], [1, 5]])
    (stage,) = read(chunk_grid=rectilinear).stages
    assert stage.given is not None
    assert stage.given.lengths == (frozenset({2}), frozenset({1, 5}))


def test_item_sizes() -> None:
    sizes = {"bool": 1, "uint16": 2, "complex128": 16, "r24": 3, "string": None, "mystery": None}
    for name, size in sizes.items():
        assert read(data_type=name).item_size == size
    assert read(data_type=struct("int8", "float64", struct("r16"))).item_size == 11
    assert read(data_type=struct("int8", "mystery")).item_size is None


@pytest.mark.parametrize(
    ("members", "expected"),
    [
        ({"extra": 5}, ("extra", reasons.UNKNOWN_MEMBER)),
        ({"extra": {"must_understand": True}}, ("extra", reasons.UNKNOWN_MEMBER)),
        ({"filters": None}, ("filters", reasons.MISPLACED_MEMBER)),
        (
            {"storage_transformers": ["mystery"]},
            ("storage_transformers", reasons.STORAGE_TRANSFORMER),
        ),
        ({"dimension_names": ["x", "x"]}, ("dimension_names", 1, reasons.DUPLICATE_NAME)),
        ({"codecs": [codec("endian", endian="little")]}, ("codecs", 0, reasons.RENAMED)),
        (
            {"codecs": [shard(1, 3, codecs=[codec("endian", endian="big")])]},
            ("codecs", 0, AT, "codecs", 0, reasons.RENAMED),
        ),
    ],
)
def test_notes_on_documents_without_a_fault(
    members: dict[str, Any], expected: tuple[Any, ...]
) -> None:
    reading = read(**members)
    assert reading.problems == ()
    assert [(*note.loc, note.reason) for note in reading.notes] == [expected]


@pytest.mark.parametrize(
    "members",
    [
        {},
        {"extra": {"must_understand": False}},
        {"storage_transformers": []},
        {"dimension_names": ["", ""]},
        {"dimension_names": [None, None]},
        {"attributes": {"compressor": float("nan")}},
    ],
)
def test_nothing_to_note(members: dict[str, Any]) -> None:
    assert read(**members).problems == read(**members).notes == ()


SAME: list[tuple[dict[str, Any], dict[str, Any]]] = [
    ({"chunk_key_encoding": "default"}, {"chunk_key_encoding": codec("default", separator="/")}),
    ({"chunk_key_encoding": "v2"}, {"chunk_key_encoding": codec("v2", separator=".")}),
    ({"data_type": "float32"}, {"data_type": {"name": "float32", "configuration": {}}}),
    ({"codecs": [LITTLE, "crc32c"]}, {"codecs": [LITTLE, {"name": "crc32c"}]}),
    ({"codecs": [shard(1, 3)]}, {"codecs": [shard(1, 3, index_location="end")]}),
    ({"fill_value": 0.1}, {"fill_value": 0.10000000149011612}),
    ({"fill_value": 1}, {"fill_value": "0x3f800000"}),
    ({"fill_value": "NaN"}, {"fill_value": "0x7fc00000"}),
    ({"fill_value": 1e39}, {"fill_value": "Infinity"}),
    ({"attributes": {}}, {}),
    ({"storage_transformers": []}, {}),
    ({"extra": {"a": 1, "must_understand": False}}, {"extra": {"must_understand": False, "a": 1}}),
]
OTHER: list[tuple[dict[str, Any], dict[str, Any], list[str]]] = [
    ({"shape": [4, 6]}, {"shape": [4, 5]}, ["shape"]),
    ({"fill_value": 0.0}, {"fill_value": -0.0}, ["fill_value"]),
    ({"fill_value": "NaN"}, {"fill_value": "0xffc00000"}, ["fill_value"]),
    ({"codecs": [LITTLE]}, {"codecs": [codec("bytes", endian="big")]}, ["codecs"]),
    ({"attributes": {"a": 1}}, {}, ["attributes"]),
    ({"chunk_key_encoding": "default"}, {"chunk_key_encoding": "v2"}, ["chunk_key_encoding"]),
    ({"extra": 1}, {"data_type": "float64"}, ["data_type", "extra"]),
]


@pytest.mark.parametrize(("one", "other"), SAME)
def test_spellings_make_no_difference(one: dict[str, Any], other: dict[str, Any]) -> None:
    assert read(**one).differences(read(**other)) == []
    assert read(**one) == read(**other)
    assert hash(read(**one)) == hash(read(**other))


@pytest.mark.parametrize(("one", "other", "expected"), OTHER)
def test_differences_are_named(
    one: dict[str, Any], other: dict[str, Any], expected: list[str]
) -> None:
    assert read(**one).differences(read(**other)) == expected


def test_fields_are_reached_by_name() -> None:
    reading = read(data_type="mystery", codecs=[LITTLE, {"name": "gzip"}], extra=1)
    assert isinstance(reading.data_type, UnclaimedField)
    assert isinstance(reading.chunk_grid, AcceptedField)
    assert isinstance(reading.chunk_key_encoding, AcceptedField)
    assert [type(each) for each in reading.codecs] == [AcceptedField, RefusedField]
    assert reading.storage_transformers == ()
    assert reading.must_understand == ("extra",)


def test_a_wider_scope_judges_what_was_unclaimed() -> None:
    empty = ZarrV3Reader(ZarrV3Context()).array(array(codecs=["bytes"]))
    assert empty.problems == ()
    assert [each.name for each in empty.unclaimed] == ["float32", "regular", "default", "bytes"]
    assert len(empty.read_in(CORE_V3).problems) == 1
