"""Scopes that a project declares in TOML."""

import pickle
import tomllib
from typing import Any

import pytest

from zarrdb.errors import ConfigError
from zarrdb.metadata import AcceptedField, UnclaimedField, reasons, resolve
from zarrdb.metadata.declared import declared_scope
from zarrdb.metadata.v2 import CORE_V2, ZarrV2CodecDefinition, ZarrV2Context

TEXT = """
[v2.codecs.webp]
parameters.level = { type = "integer", min = 0, max = 100, default = 80 }
parameters.lossless = { type = "boolean", required = true }
parameters.hint = { one-of = ["photo", "graph", 3], nullable = true }
parameters.scale = { type = "number", max = 2.5 }
parameters.tags = { type = "array" }

[v2.codecs.free]
open = true

[v3.codecs.other]
"""


def scope(text: str) -> ZarrV2Context:
    return declared_scope(CORE_V2, tomllib.loads(text))


def read(value: Any, text: str = TEXT) -> Any:
    return resolve(value, ZarrV2CodecDefinition, scope(text))


def test_declared_codecs_join_the_core() -> None:
    built = scope(TEXT)
    assert built.codecs.keys() == CORE_V2.codecs.keys() | {"webp", "free"}
    assert built.data_types == CORE_V2.data_types
    assert built == scope(TEXT)
    assert pickle.loads(pickle.dumps(built)) == built


@pytest.mark.parametrize(
    "parameters",
    [
        {"lossless": True},
        {"lossless": False, "level": 100, "hint": None, "scale": 2.5, "tags": [1, "a"]},
        {"lossless": False, "hint": 3},
    ],
)
def test_parameters_that_fit(parameters: dict[str, Any]) -> None:
    field, problems = read({"id": "webp", **parameters})
    assert isinstance(field, AcceptedField)
    assert problems == ()


@pytest.mark.parametrize(
    ("parameters", "expected"),
    [
        ({}, ("lossless", reasons.MISSING_MEMBER)),
        ({"lossless": 1}, ("lossless", reasons.WRONG_TYPE)),
        ({"lossless": True, "level": 101}, ("level", reasons.OUT_OF_RANGE)),
        ({"lossless": True, "level": 1.0}, ("level", reasons.INTEGRAL_FLOAT)),
        ({"lossless": True, "scale": 2.6}, ("scale", reasons.OUT_OF_RANGE)),
        ({"lossless": True, "hint": "x"}, ("hint", reasons.NOT_ALLOWED)),
        ({"lossless": True, "tags": {}}, ("tags", reasons.WRONG_TYPE)),
        ({"lossless": True, "x": 1}, ("x", reasons.UNKNOWN_MEMBER)),
    ],
)
def test_parameters_that_do_not(parameters: dict[str, Any], expected: Any) -> None:
    _, problems = read({"id": "webp", **parameters})
    assert [(*problem.loc, problem.reason) for problem in problems] == [expected]


def test_defaults_make_no_difference() -> None:
    one, other, third = (
        read({"id": "webp", "lossless": True, **level})[0]
        for level in ({}, {"level": 80}, {"level": 81})
    )
    assert one == other
    assert one != third


def test_an_open_codec_takes_anything() -> None:
    assert read({"id": "free", "a": {"b": [None]}})[1] == ()


def test_only_keeps_what_is_named_in_the_slots_it_names() -> None:
    built = scope('only = ["zstd", "blosc", "no-such"]')
    assert built.codecs.keys() == {"zstd", "blosc"}
    assert built.data_types == CORE_V2.data_types
    field, problems = read({"id": "zlib"}, 'only = ["zstd"]')
    assert isinstance(field, UnclaimedField)
    assert problems == ()
    section = scope('[v2]\nonly = ["float", "int"]')
    assert section.data_types.keys() == {"float", "int"}
    assert section.codecs == CORE_V2.codecs


def test_a_core_codec_can_be_declared_anew() -> None:
    text = '[v2.codecs.zlib]\nparameters.level = { type = "integer", max = 3 }'
    assert read({"id": "zlib", "level": 4}, text)[1][0].reason == reasons.OUT_OF_RANGE


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("x = 1", "scope"),
        ("only = 5", "only"),
        ("only = [5]", "only"),
        ("v2 = 5", "v2"),
        ("[v2.grids.x]", "v2.grids"),
        ("[v2.codecs]\nx = 5", "v2.codecs.x"),
        ("[v2.codecs.x]\ny = 5", "'y'"),
        ("[v2.codecs.x]\nopen = 5", "open"),
        ("[v2.codecs.x]\nparameters = 5", "parameters"),
        ("[v2.codecs.x.parameters]\na = 5", "parameters.a"),
        ('[v2.codecs.x.parameters]\na = { type = "int" }', "parameters.a.type"),
        ("[v2.codecs.x.parameters]\na = { type = [] }", "parameters.a.type"),
        ("[v2.codecs.x.parameters]\na = { kind = 1 }", "parameters.a"),
        ('[v2.codecs.x.parameters]\na = { type = "string", min = 1 }', "parameters.a"),
        ('[v2.codecs.x.parameters]\na = { type = "integer", min = "1" }', "parameters.a"),
        ("[v2.codecs.x.parameters]\na = { one-of = [] }", "one-of"),
        ("[v2.codecs.x.parameters]\na = { one-of = [[1]] }", "one-of"),
        ("[v2.codecs.x.parameters]\na = { one-of = [1], max = 2 }", "parameters.a"),
        ("[v2.codecs.x.parameters]\na = { default = [1] }", "parameters.a"),
        ('[v2.codecs.x.parameters]\na = { type = "integer", default = 0.5 }', "a.default"),
        ("[v2.codecs.x.parameters]\na = { one-of = [1], default = 2 }", "a.default"),
        ('[v2.codecs.x.parameters]\na = { type = "number", min = 2, max = 1 }', "parameters.a"),
        ('[v2.codecs.x.parameters]\na = { type = "number", max = nan }', "parameters.a"),
        ('[v2.data_types.float]\nfill-value = { type = "number", default = 1 }', "fill-value"),
        ("[v2.data_types.float]\nfill-value = { x = 1 }", "fill-value"),
        ("[v2.codecs.x.parameters]\na = { required = 1 }", "required"),
        ('[v2.codecs.""]', "v2.codecs"),
        ("[v2.data_types.float128]", "v2.data_types"),
    ],
)
def test_a_declaration_that_makes_no_sense_is_named(text: str, where: str) -> None:
    with pytest.raises(ConfigError) as caught:
        scope(text)
    assert where in str(caught.value)
