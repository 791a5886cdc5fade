"""What an export writes: whole or not at all, never outside, the same bytes each time."""

import errno
import io
import os
import stat
import sys
import zipfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_sources import (
    KEYS,
    Store,
    group_v3,
    has_no_file_below_a_file,
    small_store,
    tree_of,
    write_directory,
)
from zarrdb.errors import (
    NoSpaceError,
    ReadOnlyError,
    TargetError,
    TargetExistsError,
)
from zarrdb.sources.directory_target import DirectoryTarget
from zarrdb.sources.tar_target import TarTarget
from zarrdb.sources.target import Target
from zarrdb.sources.zip import ZipSource
from zarrdb.sources.zip_target import ZipTarget

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


def fill(target: Target, store: Store) -> None:
    with target:
        for key in sorted(store):
            target.write(key, len(store[key]), (store[key][:3], store[key][3:]))
        target.commit()


class TestDirectory:
    @given(st.dictionaries(KEYS, st.binary(max_size=8), max_size=10))
    def test_what_is_written_is_there(
        self, tmp_path_factory: pytest.TempPathFactory, store: Store
    ) -> None:
        store = {key: value for key, value in store.items() if has_no_file_below_a_file({*store})}
        folder = tmp_path_factory.mktemp("target")
        fill(DirectoryTarget(folder / "x.zarr"), store)
        assert tree_of(folder / "x.zarr") == store
        assert os.listdir(folder) == ["x.zarr"]

    def test_nothing_shows_before_the_end(self, tmp_path: Path) -> None:
        with DirectoryTarget(tmp_path / "x.zarr") as target:
            target.write("a", 1, (b"1",))
            assert not (tmp_path / "x.zarr").exists()
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize(
        "key",
        [
            "../x",
            "a/../../x",
            "",
            "/etc/x",
            "a//b",
            "a/",
            "a\0",
            "..",
            ".",
            "..\\x",
            "C:/x",
            "\ud800",
        ],
    )
    def test_no_key_leads_out(self, tmp_path: Path, key: str) -> None:
        (tmp_path / "d").mkdir()
        target = DirectoryTarget(tmp_path / "d/x")
        with target, pytest.raises(TargetError, match="the key"):
            target.write(key, 0, ())
        assert tree_of(tmp_path) == {}

    @pytest.mark.parametrize(("first", "second"), [("a", "a"), ("a", "a/b"), ("a/b", "a")])
    def test_no_key_is_written_over_another(self, tmp_path: Path, first: str, second: str) -> None:
        with DirectoryTarget(tmp_path / "x") as target:
            target.write(first, 1, (b"1",))
            with pytest.raises(TargetError, match="one file name"):
                target.write(second, 1, (b"2",))

    @posix
    def test_a_link_that_someone_put_there_is_not_followed(self, tmp_path: Path) -> None:
        (tmp_path / "victim").write_bytes(b"precious")
        with DirectoryTarget(tmp_path / "x") as target:
            (private,) = (p for p in tmp_path.iterdir() if p.is_dir())
            os.symlink(tmp_path / "victim", private / "a")
            with pytest.raises(TargetError):
                target.write("a", 1, (b"1",))
        assert (tmp_path / "victim").read_bytes() == b"precious"

    def test_what_stands_there_is_kept_unless_it_may_go(self, tmp_path: Path) -> None:
        path = write_directory(tmp_path / "x.zarr", {"thesis.tex": b"mine"})
        with pytest.raises(TargetExistsError, match="not empty"):
            DirectoryTarget(path)
        assert tree_of(path) == {"thesis.tex": b"mine"}
        path.chmod(0o750)
        fill(DirectoryTarget(path, replace=True), small_store())
        assert tree_of(path) == small_store()
        assert os.listdir(tmp_path) == ["x.zarr"]
        if sys.platform != "win32":
            assert stat.S_IMODE(path.stat().st_mode) == 0o750
        (tmp_path / "file").write_bytes(b"x")
        for replace in (False, True):
            with pytest.raises(TargetExistsError, match="no directory"):
                DirectoryTarget(tmp_path / "file", replace=replace)

    def test_an_empty_directory_is_nothing(self, tmp_path: Path) -> None:
        (tmp_path / "x").mkdir()
        fill(DirectoryTarget(tmp_path / "x"), small_store())
        assert tree_of(tmp_path / "x") == small_store()
        assert os.listdir(tmp_path) == ["x"]

    def test_what_appears_meanwhile_is_kept(self, tmp_path: Path) -> None:
        with DirectoryTarget(tmp_path / "x") as target:
            target.write("a", 0, ())
            write_directory(tmp_path / "x", {"other": b"x"})
            with pytest.raises(TargetExistsError):
                target.commit()
        assert tree_of(tmp_path) == {"x/other": b"x"}

    @posix
    def test_a_link_is_followed_and_stays(self, tmp_path: Path) -> None:
        (tmp_path / "real").mkdir()
        os.symlink("real", tmp_path / "link")
        fill(DirectoryTarget(tmp_path / "link"), small_store())
        assert os.readlink(tmp_path / "link") == "real"
        assert tree_of(tmp_path / "real") == small_store()

    @posix
    def test_what_a_killed_run_left_is_removed_and_nothing_else(self, tmp_path: Path) -> None:
        left = write_directory(tmp_path / ".x.4711-00c0ffee.tmp", small_store())
        others = [".y.4711-00c0ffee.tmp", ".x.zarr", ".x.4711-00c0ffee.old"]
        for name in others:
            write_directory(tmp_path / name, {"a": b""})
        with DirectoryTarget(tmp_path / "x") as running:
            assert not left.exists()
            running.write("a", 0, ())
            # Another run to the same place leaves this one alone.
            fill(DirectoryTarget(tmp_path / "x"), small_store())
            running.write("b", 0, ())
        assert sorted(os.listdir(tmp_path)) == sorted([*others, "x"])

    def test_a_rename_that_fails_leaves_the_old_one(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = write_directory(tmp_path / "x", {"old": b"x"})
        rename, calls = os.rename, [0]

        def fail_second(source: str, target: str) -> None:
            calls[0] += 1
            if calls[0] == 2:
                raise OSError(errno.EIO, "Input/output error")
            rename(source, target)

        monkeypatch.setattr("os.rename", fail_second)
        with DirectoryTarget(path, replace=True) as target:
            target.write("new", 0, ())
            with pytest.raises(TargetError, match="input/output error"):
                target.commit()
        assert tree_of(tmp_path) == {"x/old": b"x"}


KINDS: dict[str, Callable[[Path], Any]] = {
    "directory": lambda path: DirectoryTarget(path),
    "zip": lambda path: ZipTarget(path, modified=0),
    "tar": lambda path: TarTarget(path, modified=0),
}
EVERY = pytest.mark.parametrize("kind", sorted(KINDS))


@EVERY
def test_it_is_a_target(tmp_path: Path, kind: str) -> None:
    target: Target = KINDS[kind](tmp_path / "x")
    fill(target, small_store())
    assert os.listdir(tmp_path) == ["x"]


@EVERY
@pytest.mark.parametrize("pieces", [(), (b"1",), (b"1", b"23")])
def test_a_value_of_another_size_is_refused(
    tmp_path: Path, kind: str, pieces: tuple[bytes, ...]
) -> None:
    with KINDS[kind](tmp_path / "x") as target, pytest.raises(TargetError, match="another size"):
        target.write("a", 2, pieces)
    assert list(tmp_path.iterdir()) == []


@EVERY
def test_a_full_disk_has_its_own_error_and_leaves_nothing(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    class Full(io.FileIO):
        def write(self, _: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    def refuse(*_: object) -> int:
        raise OSError(errno.ENOSPC, "No space left on device")

    with KINDS[kind](tmp_path / "x") as target:
        if kind == "directory":
            monkeypatch.setattr("os.write", refuse)
        else:
            target._file._file.close()
            monkeypatch.setattr(target._file, "_file", Full(os.devnull, "wb"))
        with pytest.raises(NoSpaceError, match="no space left on device"):
            target.write("a", 1, (b"1",))
    assert list(tmp_path.iterdir()) == []


@EVERY
def test_a_place_that_is_not_there(tmp_path: Path, kind: str) -> None:
    with pytest.raises(TargetError):
        KINDS[kind](tmp_path / "missing/x")


@posix
@EVERY
def test_a_place_that_cannot_be_written(
    tmp_path: Path, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: object, **__: object) -> int:
        raise PermissionError(errno.EACCES, "Permission denied")

    monkeypatch.setattr("os.mkdir" if kind == "directory" else "os.open", refuse)
    with pytest.raises(ReadOnlyError, match="permission denied"):
        KINDS[kind](tmp_path / "x")


def test_a_pipe_that_nobody_reads_any_more() -> None:
    class Gone(io.BytesIO):
        def write(self, _: object) -> int:
            raise BrokenPipeError(errno.EPIPE, "Broken pipe")

    with TarTarget(Gone(), modified=0) as target, pytest.raises(BrokenPipeError):
        target.write("a", 0, ())


class TestZip:
    @given(
        st.dictionaries(KEYS, st.binary(max_size=300), max_size=10),
        st.integers(315532800, 2**31 - 1),
    )
    def test_what_is_written_comes_back(
        self, tmp_path_factory: pytest.TempPathFactory, members: Store, modified: int
    ) -> None:
        store = {"zarr.json": group_v3(), **members}
        path = tmp_path_factory.mktemp("zip") / "x.zip"
        fill(ZipTarget(path, modified=modified), store)
        with zipfile.ZipFile(path) as archive:
            assert archive.testzip() is None
            infos = archive.infolist()
            assert [info.filename for info in infos] == sorted(store)
            assert {info.external_attr >> 16 for info in infos} == {0o100644}
            assert {info.compress_type for info in infos} == {zipfile.ZIP_STORED}
        found = ZipSource(path)
        assert dict(found.get_many(store)) == store
        assert found.newest() == modified
        found.close()

    def test_the_same_store_gives_the_same_bytes(self, tmp_path: Path) -> None:
        for name in ("a", "b"):
            fill(ZipTarget(tmp_path / name, modified=1), small_store())
        assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes()

    @pytest.mark.parametrize("modified", [-1, 0, 2**31, 2**40])
    def test_times_that_a_zip_does_not_know(self, tmp_path: Path, modified: int) -> None:
        fill(ZipTarget(tmp_path / "x.zip", modified=modified), small_store())
        with zipfile.ZipFile(tmp_path / "x.zip") as archive:
            assert archive.infolist()[0].date_time[0] in (1980, 2107, 2038)

    def test_more_members_than_16_bits(self, tmp_path: Path) -> None:
        count = 70_000
        with ZipTarget(tmp_path / "x.zip", modified=0) as target:
            for index in range(count):
                target.write(f"c/{index:06}", 1, (b"x",))
            target.commit()
        found = ZipSource(tmp_path / "x.zip")
        assert sum(1 for _ in found.entries()) == count
        assert found.get("c/069999") == b"x"
        found.close()

    def test_a_value_past_32_bits_and_what_comes_after_it(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        """The real limit takes minutes; a smaller one takes the same paths."""
        monkeypatch.setattr("zarrdb.sources.zip_target._MAX32", 1000)
        store = {"a": bytes(2000), "b": b"after", "zarr.json": group_v3()}
        path = tmp_path / "x.zip"
        fill(ZipTarget(path, modified=0), store)
        data = path.read_bytes()
        assert b"PK\x06\x06" in data
        assert b"PK\x06\x07" in data
        # What stands for "see there" is the limit: put in the one that readers know.
        mark, real = (1000).to_bytes(4, "little"), b"\xff" * 4
        path.write_bytes(data.replace(mark, real))
        found = ZipSource(path)
        assert dict(found.get_many(store)) == store
        found.close()


def chunks(size: int) -> Iterator[bytes]:
    while size:
        piece = bytes(min(size, 1 << 20))
        yield piece
        size -= len(piece)


@EVERY
def test_a_large_value_takes_no_memory(tmp_path: Path, kind: str) -> None:
    import tracemalloc

    size = 64 << 20
    with KINDS[kind](tmp_path / "x") as target:
        tracemalloc.start()
        try:
            target.write("a", size, chunks(size))
            assert tracemalloc.get_traced_memory()[1] < 8 << 20
        finally:
            tracemalloc.stop()
