"""Blosc2 frames as ends of `zarrdb.copy`."""

import os
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import zarr
from zarr.storage import MemoryStore

import zarrdb
from helpers_frame import frame_of
from helpers_transfer import require_sound
from zarrdb.arrays.codecs import Codec
from zarrdb.arrays.recode import Recoding
from zarrdb.detect import open_frame
from zarrdb.errors import UsageError
from zarrdb.transfer.copy import CopyOptions
from zarrdb.transfer.frames import keys_of

ITEMS = np.arange(200, dtype="<i4").reshape(20, 10)


@pytest.fixture
def frame(tmp_path: Path) -> Path:
    path = tmp_path / "a.b2nd"
    path.write_bytes(frame_of(ITEMS, chunks=(6, 10), vlmeta={"units": "K"}))
    return path


def test_a_frame_is_copied_to_files_and_stores(frame: Path, tmp_path: Path) -> None:
    report = zarrdb.copy(frame, tmp_path / "x.zarrdb", path="deep/a", verify=True)
    assert (report.documents, report.keys, report.verified) == (3, 7, True)
    require_sound(tmp_path / "x.zarrdb")
    array: Any = zarrdb.open_array(tmp_path / "x.zarrdb", path="deep/a")
    assert np.array_equal(array[...], ITEMS)
    memory = MemoryStore()
    zarrdb.copy(frame, memory)
    array = zarr.open_array(memory, mode="r")
    assert np.array_equal(array[...], ITEMS)
    assert array.attrs.asdict() == {"units": "K"}


def test_an_array_is_copied_to_a_frame(frame: Path, tmp_path: Path) -> None:
    zarrdb.copy(frame, tmp_path / "x.zarrdb", path="a")
    report = zarrdb.copy(tmp_path / "x.zarrdb", tmp_path / "b.b2nd", path="a", verify=True)
    assert (report.noun, report.keys, report.bytes) == ("chunk", 4, 4 * 240)
    found = open_frame(tmp_path / "b.b2nd")
    assert np.array_equal(found.read(), ITEMS)
    assert found.attributes == {"units": "K"}
    found.close()


def test_a_frame_is_not_copied_to_a_frame(frame: Path, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="is a Blosc2 frame already"):
        zarrdb.copy(frame, tmp_path / "b.b2nd")
    assert os.listdir(tmp_path) == ["a.b2nd"]


def test_a_source_tells_one_recoding_from_another(frame: Path, tmp_path: Path) -> None:
    stamps = set()
    for recoding in (
        Recoding(),
        Recoding(selection="1:"),
        Recoding(codec=Codec("zstd", 9)),
        Recoding(zarr_format=2),
    ):
        options = CopyOptions(dry_run=True)
        source = keys_of(open_frame(frame), str(tmp_path / "x.zarrdb"), options, recoding)
        stamps.add(source.stamp)
        source.close()
    assert len(stamps) == 4
