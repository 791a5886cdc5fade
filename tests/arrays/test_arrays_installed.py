"""The table of what this Python decodes: zarr-python reads what it names, and only that."""

from typing import Any

import numcodecs.registry
import pytest

from zarrdb.arrays import installed
from zarrdb.metadata.declared import declared_scope
from zarrdb.metadata.v2.definition import CORE_V2
from zarrdb.metadata.v3.definition import CORE_V3


def names(scope: Any, slot: str) -> set[str]:
    return set(scope.definitions_of(scope.kinds[slot]))


def test_what_numcodecs_has_is_there_without_pickle() -> None:
    scope = declared_scope(CORE_V2, installed.installed_table())
    assert names(scope, "codecs") == {*numcodecs.registry.codec_registry} - {"pickle"}
    assert names(scope, "data_types") == names(CORE_V2, "data_types")


def test_what_zarr_has_is_there() -> None:
    scope = declared_scope(CORE_V3, installed.installed_table())
    codecs, types = names(scope, "codecs"), names(scope, "data_types")
    assert {"bytes", "sharding_indexed", "vlen-utf8", "numcodecs.zlib"} <= codecs
    assert "endian" not in codecs
    assert {"int32", "string", "numpy.datetime64", "fixed_length_utf32"} <= types


def test_a_codec_whose_package_is_missing_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delitem(numcodecs.registry.codec_registry, "lz4")
    table = installed.installed_table()
    assert "lz4" not in names(declared_scope(CORE_V2, table), "codecs")
    assert "numcodecs.lz4" not in names(declared_scope(CORE_V3, table), "codecs")


def test_an_entry_that_does_not_load_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    class Broken:
        def load(self) -> None:
            raise RuntimeError("broken")

    monkeypatch.setitem(numcodecs.registry.entries, "broken", Broken())
    assert "broken" not in installed.installed_table()["v2"]["codecs"]
