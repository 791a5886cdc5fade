"""fsspec's own tests of getting files, on a `.zarrdb`; and what it is used for in one line."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import fsspec
import pytest
from fsspec.tests.abstract import AbstractFixtures, AbstractGetTests

from zarrdb.db import Database
from zarrdb.errors import ReadOnlyError
from zarrdb.fsspec_fs import ZarrdbFileSystem


class _Filled(ZarrdbFileSystem):
    """The filesystem under test, and the few words with which fsspec's tests fill it."""

    def touch(self, path: str, truncate: bool = True, **_: Any) -> None:
        self.pipe(path, b"")

    def pipe(self, path: str, value: bytes | None = None, **_: Any) -> None:
        with Database.open(self.fo, mode="rw") as database:
            database.set(self._strip_protocol(path), value or b"")

    def makedirs(self, path: str, exist_ok: bool = False) -> None:
        """Prefixes need no making."""

    def mkdir(self, path: str, create_parents: bool = True, **_: Any) -> None:
        """Prefixes need no making."""

    def rm(self, path: str, recursive: bool = False, maxdepth: int | None = None) -> None:
        with Database.open(self.fo, mode="rw") as database:
            database.delete_prefix(path + "/")


class TestGetting(AbstractFixtures, AbstractGetTests):  # type: ignore[misc]
    @pytest.fixture
    def fs(self, tmp_path: Path) -> _Filled:
        path = tmp_path / "x.zarrdb"
        Database.open(path, mode="create").close()
        return _Filled(path)

    @pytest.fixture
    def fs_path(self) -> str:
        return "some/place"

    @pytest.fixture
    def fs_join(self) -> Callable[..., str]:
        return lambda *parts: "/".join(parts)

    @pytest.fixture
    def supports_empty_directories(self) -> bool:
        return False


@pytest.fixture
def path(tmp_path: Path) -> Path:
    path = tmp_path / "x.zarrdb"
    with Database.open(path, mode="create") as database:
        database.set_many(
            [("zarr.json", b"{}"), ("a/zarr.json", b"[]"), ("a/c/0", bytes(range(100))), ("b", b"")]
        )
    return path


def test_a_key_is_opened_by_a_chained_url(path: Path) -> None:
    with fsspec.open(f"zarrdb://a/c/0::{path}") as file:
        assert file.read(3) == b"\0\1\2"
        file.seek(-2, 2)
        assert file.read() == bytes([98, 99])
    assert fsspec.open_files(f"zarrdb://a/**::{path}")[0].path == "a/c/0"


def test_listing_and_finding(path: Path) -> None:
    fs = fsspec.filesystem("zarrdb", fo=str(path))
    assert [each["name"] for each in fs.ls("")] == ["a", "b", "zarr.json"]
    assert fs.ls("a/", detail=False) == ["a/c", "a/zarr.json"]
    assert fs.ls("b", detail=False) == ["b"]
    assert fs.info("a/c/0") == {"name": "a/c/0", "size": 100, "type": "file"}
    assert fs.isdir("a")
    assert fs.isfile("b")
    assert not fs.exists("c")
    assert fs.find("") == ["a/c/0", "a/zarr.json", "b", "zarr.json"]
    assert fs.find("a", detail=True)["a/c/0"]["size"] == 100
    assert fs.du("") == 104
    assert fs.glob("a/*.json") == ["a/zarr.json"]
    for wrong in ("c", "a/c/00"):
        with pytest.raises(FileNotFoundError):
            fs.ls(wrong)


@pytest.mark.parametrize(
    ("start", "end"), [(None, None), (0, 10), (90, 200), (-5, None), (-5, -2), (50, 50), (200, 300)]
)
def test_parts_are_those_of_a_slice(path: Path, start: int | None, end: int | None) -> None:
    fs = fsspec.filesystem("zarrdb", fo=str(path))
    whole = bytes(range(100))
    assert fs.cat_file("a/c/0", start, end) == whole[start:end]
    assert fs.cat_ranges(["a/c/0", "b"], [start, None], [end, None]) == [whole[start:end], b""]


def test_a_missing_key_is_returned_or_raised(path: Path) -> None:
    fs = fsspec.filesystem("zarrdb", fo=str(path))
    (found,) = fs.cat_ranges(["absent"], 0, 1)
    assert isinstance(found, FileNotFoundError)
    with pytest.raises(FileNotFoundError):
        fs.cat_ranges(["absent"], 0, 1, on_error="raise")


def test_a_remote_file_is_read_through_the_filesystem_it_lies_on(path: Path) -> None:
    memory = fsspec.filesystem("memory")
    memory.pipe("/folder/remote.zarrdb", path.read_bytes())
    with fsspec.open("zarrdb://a/c/0::memory://folder/remote.zarrdb") as file:
        assert file.read() == bytes(range(100))
    fs, _ = fsspec.url_to_fs("zarrdb://::memory://folder/remote.zarrdb")
    assert fs.find("") == ["a/c/0", "a/zarr.json", "b", "zarr.json"]


def test_writing_is_refused(path: Path) -> None:
    before = path.read_bytes()
    fs = fsspec.filesystem("zarrdb", fo=str(path))
    with pytest.raises(ReadOnlyError):
        fs.open("new", "wb")
    assert path.read_bytes() == before
