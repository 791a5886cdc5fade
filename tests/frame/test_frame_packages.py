"""The reader imports without its packages, and says which one it lacks."""

import subprocess
import sys

import numpy as np
import pytest

from helpers_frame import MemoryReader, frame_of
from zarrdb import frame
from zarrdb.errors import DependencyError

HEAVY = {"blosc2", "msgpack", "numpy", "fsspec", "zarr", "aiohttp", "asyncio"}


def test_importing_loads_nothing_heavy() -> None:
    code = "import sys, zarrdb.frame; print(*sys.modules)"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, check=True, text=True, timeout=60
    )
    assert HEAVY.isdisjoint(done.stdout.split())


@pytest.mark.parametrize("package", ["blosc2", "msgpack"])
def test_a_package_that_is_not_installed_is_named(
    package: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    data = frame_of(np.arange(100), chunks=(10,), blocks=(5,))
    monkeypatch.setitem(sys.modules, package, None)
    with pytest.raises(DependencyError, match=package) as caught:
        frame.open(MemoryReader(data)).read()
    assert caught.value.hint == "pip install 'zarrdb[blosc2]'"
    assert isinstance(caught.value, ImportError)
