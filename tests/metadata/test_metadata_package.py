"""The example of the package's docstring, and what importing it costs."""

import doctest
import subprocess
import sys

import zarrdb
import zarrdb.metadata

HEAVY = ("annotated_types", "numpy", "zarr", "numcodecs", "fsspec", "pydantic", "rich")


def test_the_example_says_what_happens() -> None:
    result = doctest.testmod(zarrdb.metadata)
    assert result.attempted > 5
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
