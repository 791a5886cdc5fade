"""Values that wait on the disk."""

import errno
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.arrays.spool import Spool
from zarrdb.errors import NoSpaceError, TargetError


@given(values=st.lists(st.binary(max_size=200), max_size=8))
def test_values_are_read_whole_and_in_parts(
    values: list[bytes], tmp_path_factory: pytest.TempPathFactory
) -> None:
    folder = tmp_path_factory.mktemp("spool")
    spool = Spool(str(folder / "x.zarrdb"))
    places = [spool.add(value) for value in values]
    assert spool.end == sum(map(len, values))
    for place, value in zip(places, values, strict=True):
        assert spool.read(place, len(value)) == value
        assert spool.read(place + 3, 5) == value[3:8] or len(value) < 8
    spool.close()
    spool.close()
    assert os.listdir(folder) == []


def test_it_lies_beside_the_target_or_in_another_directory(tmp_path: Path) -> None:
    (tmp_path / "other").mkdir()
    spools = [
        Spool(str(tmp_path / "x.zarrdb")),
        Spool(str(tmp_path / "x.zarrdb"), directory=str(tmp_path / "other")),
    ]
    beside = [name for name in os.listdir(tmp_path) if name != "other"]
    assert [name.startswith(".x.zarrdb.") for name in beside] == [True]
    assert len(os.listdir(tmp_path / "other")) == 1
    for spool in spools:
        spool.close()
    assert os.listdir(tmp_path) == ["other"]


def test_a_full_disk_has_its_own_words(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    spool = Spool(str(tmp_path / "x.zarrdb"))
    spool._file.close()

    class Full:
        def write(self, _: bytes) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

        def close(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    file: Any = Full()
    monkeypatch.setattr(spool, "_file", file)
    with pytest.raises(NoSpaceError, match="no space left on device; nothing was left behind"):
        spool.add(b"x")
    spool.close()
    assert os.listdir(tmp_path) == []


def test_a_directory_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(TargetError):
        Spool(str(tmp_path / "none" / "x.zarrdb"))
