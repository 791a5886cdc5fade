"""The examples of the packages' docstrings, and what importing them costs."""

import doctest
import subprocess
import sys
from types import ModuleType

import pytest

import zarrdb
import zarrdb.metadata
import zarrdb.metadata.v2
import zarrdb.metadata.v3

HEAVY = ("annotated_types", "numpy", "zarr", "numcodecs", "fsspec", "pydantic", "rich")


@pytest.mark.parametrize(
    "package", [zarrdb.metadata, zarrdb.metadata.v2, zarrdb.metadata.v3], ids=lambda p: p.__name__
)
def test_the_example_says_what_happens(package: ModuleType) -> None:
    result = doctest.testmod(package)
    assert result.attempted > 4
    assert result.failed == 0


def test_the_package_offers_it() -> None:
    assert zarrdb.metadata is sys.modules["zarrdb.metadata"]
    assert "metadata" in zarrdb.__all__


def test_nothing_heavy_is_imported() -> None:
    code = "import sys, zarrdb.metadata.v2, zarrdb.metadata.v3; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert {"zarrdb.metadata.v2.reader", "zarrdb.metadata.v3.reader"} <= set(loaded)
    assert not set(HEAVY) & set(loaded)
