"""What a project declares for v3 documents in TOML."""

import pickle
import tomllib
from typing import Any

import pytest

from zarrdb.errors import ConfigError
from zarrdb.metadata import AcceptedField, UnclaimedField, reasons
from zarrdb.metadata.declared import declared_scope
from zarrdb.metadata.v2 import CORE_V2
from zarrdb.metadata.v3 import CORE_V3, ZarrV3Context, ZarrV3Reader

TEXT = """
[v3.codecs.webp]
kind = "array_bytes"
parameters.level = { type = "integer", min = 0, max = 100, default = 80 }

[v3.codecs.shorter]
kind = "bytes_bytes"
open = true

[v3.codecs.padded]
kind = "bytes_bytes"
fixed-size = true

[v3.codecs.anything]

[v3.data_types.bfloat16]
size = 2
fill-value = { type = "number", min = -1, max = 1 }

[v3.data_types.half]
parameters.bits = { type = "integer", required = true }

[v3.chunk_grids.hexagonal]
parameters.radius = { type = "number", required = true }

[v3.array_extra_fields.produced]
open = true

[v2.codecs.other]
"""


def scope(text: str) -> ZarrV3Context:
    return declared_scope(CORE_V3, tomllib.loads(text))


def array(**members: Any) -> dict[str, Any]:
    return {
        "zarr_format": 3,
        "node_type": "array",
        "shape": [4],
        "data_type": "float32",
        "chunk_grid": {"name": "regular", "configuration": {"chunk_shape": [2]}},
        "chunk_key_encoding": "default",
        "fill_value": 0,
        "codecs": [{"name": "bytes", "configuration": {"endian": "little"}}],
        **members,
    }


def said(text: str = TEXT, **members: Any) -> list[tuple[Any, ...]]:
    reading = ZarrV3Reader(scope(text)).array(array(**members))
    return [(*problem.loc, problem.reason) for problem in reading.problems]


def test_declared_fields_join_the_core() -> None:
    built = scope(TEXT)
    assert built.codecs.keys() == CORE_V3.codecs.keys() | {"webp", "shorter", "padded", "anything"}
    assert built.data_types.keys() == CORE_V3.data_types.keys() | {"bfloat16", "half"}
    assert built == scope(TEXT)
    assert pickle.loads(pickle.dumps(built)) == built


def test_a_declared_codec_has_its_place_in_the_pipeline() -> None:
    webp = {"name": "webp", "configuration": {"level": 9}}
    little = {"name": "bytes", "configuration": {"endian": "little"}}
    assert said(codecs=[webp, "shorter"]) == []
    assert said(codecs=["shorter", webp]) == [("codecs", 1, reasons.CODEC_ORDER)]
    assert said(codecs=[webp, little]) == [("codecs", 1, reasons.SECOND_ENCODER)]
    assert said(codecs=["anything"]) == []
    assert said(codecs=[little, "anything", "padded"]) == []


def test_parameters_are_judged_where_they_lie() -> None:
    place = ("codecs", 0, "configuration", "level")
    wrong = {"name": "webp", "configuration": {"level": 101}}
    assert said(codecs=[wrong]) == [(*place, reasons.OUT_OF_RANGE)]
    grid = {"name": "hexagonal"}
    assert said(chunk_grid=grid) == [("chunk_grid", "configuration", reasons.MISSING_MEMBER)]


def test_only_codecs_of_fixed_size_make_an_index() -> None:
    def shard(*index_codecs: str) -> list[Any]:
        little = {"name": "bytes", "configuration": {"endian": "little"}}
        configuration = {
            "chunk_shape": [1],
            "codecs": [little],
            "index_codecs": [little, *index_codecs],
        }
        return [{"name": "sharding_indexed", "configuration": configuration}]

    assert said(codecs=shard("padded")) == []
    place = ("codecs", 0, "configuration", "index_codecs", 1)
    assert said(codecs=shard("shorter")) == [(*place, reasons.VARIABLE_SIZE)]


def test_a_declared_data_type_has_a_size_and_a_fill_value() -> None:
    little = {"name": "bytes", "configuration": {"endian": "little"}}
    assert said(data_type="bfloat16", fill_value=0.5, codecs=[little]) == []
    reading = ZarrV3Reader(scope(TEXT)).array(array(data_type="bfloat16"))
    assert reading.item_size == 2
    assert said(data_type="bfloat16", fill_value=2) == [("fill_value", reasons.OUT_OF_RANGE)]
    endian = ("codecs", 0, "configuration", "endian")
    assert said(data_type="bfloat16", codecs=["bytes"]) == [(*endian, reasons.MISSING_MEMBER)]
    half = {"name": "half", "configuration": {"bits": 8}}
    assert said(data_type=half, fill_value={"any": "thing"}) == []


def test_declared_members_are_understood() -> None:
    reading = ZarrV3Reader(scope(TEXT)).array(array(produced={"by": "x"}))
    assert reading.problems == ()
    assert reading.must_understand == ()
    field = reading.field_at("produced")
    assert isinstance(field, AcceptedField)
    assert said(produced=5) == [("produced", reasons.WRONG_TYPE)]


def test_only_keeps_bytes_without_which_nothing_is_written() -> None:
    text = 'only = ["zstd", "blosc"]'
    assert scope(text).codecs.keys() == {"zstd", "blosc", "bytes"}
    assert scope(text).data_types == CORE_V3.data_types
    assert declared_scope(CORE_V2, tomllib.loads(text)).codecs.keys() == {"zstd", "blosc"}
    assert scope('only = ["int8"]').data_types.keys() == {"int8"}
    gzip = {"name": "gzip", "configuration": {"level": 1}}
    reading = ZarrV3Reader(scope(text)).array(array(codecs=["bytes", gzip]))
    assert isinstance(reading.codecs[1], UnclaimedField)


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("[v3.grids.x]", "v3.grids"),
        ('[v3.codecs.x]\nkind = "filter"', "kind"),
        ("[v3.codecs.x]\nkind = []", "kind"),
        ("[v3.codecs.x]\nfixed-size = 4", "fixed-size"),
        ("[v3.codecs.x]\nsize = 4", "'size'"),
        ("[v3.codecs.x]\nfill-value = { }", "'fill-value'"),
        ("[v3.data_types.xy]\nsize = 0", "size"),
        ("[v3.data_types.xy]\nsize = true", "size"),
        ('[v3.data_types.xy]\nkind = "bytes_bytes"', "'kind'"),
        ("[v3.data_types.xy]\nfill-value = 5", "fill-value"),
        ('[v3.data_types.xy]\nfill-value = { type = "float" }', "fill-value.type"),
        ("[v3.data_types.r16]", "v3.data_types"),
        ("[v3.codecs.X]", "v3.codecs"),
        ("[v3.array_extra_fields.shape]", "v3.array_extra_fields"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_named(text: str, where: str) -> None:
    with pytest.raises(ConfigError) as caught:
        scope(text)
    assert where in str(caught.value)
