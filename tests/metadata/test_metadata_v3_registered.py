"""Registered v3 extensions: unclaimed in the core, judged in the wider scope."""

import pickle
from typing import Any

import pytest

from zarrdb.metadata import reasons
from zarrdb.metadata.v3 import CORE_V3, ZarrV3Reader
from zarrdb.metadata.v3.registered import REGISTERED_V3

LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}
READER = ZarrV3Reader(REGISTERED_V3)


def named(name: str, **configuration: Any) -> dict[str, Any]:
    return {"name": name, "configuration": configuration}


def array(data_type: Any, fill_value: Any, *codecs: Any) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": data_type,
        "chunk_grid": named("regular", chunk_shape=[2]),
        "chunk_key_encoding": "default",
        "fill_value": fill_value,
        "codecs": list(codecs),
    }


STRUCTURED = named("structured", fields=[["a", "int32"], ["b", "float32"]])
RIGHT = [
    array("string", "", "vlen-utf8"),
    array("bytes", "", "vlen-bytes", named("zstd", level=0)),
    array("variable_length_bytes", [1, 2], named("vlen-bytes")),
    array(named("null_terminated_bytes", length_bytes=5), "QUI=", "bytes"),
    array(named("raw_bytes", length_bytes=5), "AAAAAAA=", "bytes"),
    array(named("fixed_length_utf32", length_bytes=12), "abc", LITTLE),
    array(STRUCTURED, "AAAAAAAAAAA=", "bytes"),
    array("bool", False, named("packbits", padding_encoding="first_byte")),
    array("float32", 0, named("bitround", keepbits=3), LITTLE),
    array("float32", 0, named("numcodecs.bitround", keepbits=3), LITTLE),
    array("bool", False, named("numcodecs.packbits"), "bytes"),
    array("int32", 0, named("numcodecs.delta", dtype="<i4"), LITTLE),
    array("int32", 0, LITTLE, named("numcodecs.shuffle", elementsize=4), named("numcodecs.zlib")),
    array("int32", 0, named("numcodecs.pcodec", level=8)),
]
WRONG = [
    (array("int32", 0, "vlen-utf8"), ("codecs", 0, "configuration"), reasons.WRONG_DATA_TYPE),
    (array("string", "", "vlen-bytes"), ("codecs", 0, "configuration"), reasons.WRONG_DATA_TYPE),
    (
        array("int32", 0, named("numcodecs.bitround", keepbits=3), LITTLE),
        ("codecs", 0, "configuration"),
        reasons.WRONG_DATA_TYPE,
    ),
    (
        array("uint8", 0, named("numcodecs.packbits"), "bytes"),
        ("codecs", 0, "configuration"),
        reasons.WRONG_DATA_TYPE,
    ),
    (
        array("bool", False, named("bitround", keepbits=1), "bytes"),
        ("codecs", 0, "configuration"),
        reasons.WRONG_DATA_TYPE,
    ),
    (
        array("int32", 0, LITTLE, named("numcodecs.zlib", level=10)),
        ("codecs", 1, "configuration", "level"),
        reasons.OUT_OF_RANGE,
    ),
    (
        array("int32", 0, named("numcodecs.delta"), LITTLE),
        ("codecs", 0, "configuration", "dtype"),
        reasons.MISSING_MEMBER,
    ),
    (
        array("uint8", 0, named("packbits", first_bit=3, last_bit=1)),
        ("codecs", 0, "configuration", "last_bit"),
        reasons.OUT_OF_RANGE,
    ),
    (array("int32", 0, named("numcodecs.zlib"), LITTLE), ("codecs", 1), reasons.CODEC_ORDER),
    (
        array(named("fixed_length_utf32", length_bytes=12), "", "bytes"),
        ("codecs", 0, "configuration", "endian"),
        reasons.MISSING_MEMBER,
    ),
    (
        array(named("fixed_length_utf32", length_bytes=5), "", LITTLE),
        ("data_type", "configuration", "length_bytes"),
        reasons.WRONG_SIZE,
    ),
    (
        array(named("raw_bytes", length_bytes=5), "AAA=", "bytes"),
        ("fill_value",),
        reasons.WRONG_BYTE_LENGTH,
    ),
    (array(STRUCTURED, "AAAA", "bytes"), ("fill_value",), reasons.WRONG_BYTE_LENGTH),
]


@pytest.mark.parametrize("value", RIGHT)
def test_what_implementations_write_is_claimed(value: dict[str, Any]) -> None:
    reading = READER.array(value)
    assert reading.problems == ()
    assert reading.unclaimed == ()
    assert ZarrV3Reader().array(value).unclaimed != ()


@pytest.mark.parametrize(("value", "loc", "reason"), WRONG)
def test_what_is_wrong_is_told(value: dict[str, Any], loc: Any, reason: str) -> None:
    found = READER.array(value).problems
    assert [(each.loc, each.reason) for each in found] == [(loc, reason)]


def test_the_scope_is_a_value() -> None:
    assert pickle.loads(pickle.dumps(REGISTERED_V3)) == REGISTERED_V3
    assert REGISTERED_V3 != CORE_V3
    assert REGISTERED_V3.codecs.keys() > CORE_V3.codecs.keys()
