"""What stands at a path, and what people are told who pass something else."""

import io
import os
import sqlite3
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import apsw
import blosc2  # type: ignore[import-untyped]
import numpy as np
import pytest

from helpers_frame import frame_of
from helpers_sources import array_v3, group_v3, small_store, write_directory, write_zip
from zarrdb.db import Database
from zarrdb.detect import identify, open_any, open_frame, open_source
from zarrdb.errors import (
    FrameError,
    MissingError,
    NotAStoreError,
    SourceError,
    TruncatedError,
    ZarrdbError,
)
from zarrdb.hierarchy import walk

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


def zarrdb(path: Path) -> Path:
    with Database.open(path, mode="create") as database:
        database.set_many(small_store().items())
    return path


def legacy(path: Path) -> Path:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE zarr(k TEXT PRIMARY KEY, v BLOB)")
        connection.executemany("INSERT INTO zarr VALUES (?, ?)", small_store().items())
    connection.close()
    return path


def foreign(path: Path) -> Path:
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE moz_places(url)")
    connection.close()
    return path


def test_every_kind_of_store_shows_the_same(tmp_path: Path) -> None:
    places = {
        "zarrdb": zarrdb(tmp_path / "x.zarrdb"),
        "legacy": legacy(tmp_path / "x.sqlite"),
        "directory": write_directory(tmp_path / "x.zarr", small_store()),
        "zip": write_zip(tmp_path / "x.zip", small_store().items()),
    }
    seen = []
    for kind, path in places.items():
        source = open_source(path)
        try:
            assert source.kind == kind
            assert source.name == str(path)
            seen.append([node._replace(grid=None) for node in walk(source)])
            assert dict(source.get_many(small_store())) == small_store()
        finally:
            source.close()
    assert all(nodes == seen[0] for nodes in seen)
    assert open_source(zarrdb(tmp_path / "no-suffix")).kind == "zarrdb"


def test_a_name_is_shown_as_it_was_given(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    zarrdb(tmp_path / "x.zarrdb")
    write_zip(tmp_path / "x.zip", small_store().items())
    monkeypatch.chdir(tmp_path)
    for name in ("x.zarrdb", "x.zip"):
        source = open_source(name)
        assert source.name == name
        source.close()
    assert open_source(f"file://{tmp_path}/x.zarrdb").kind == "zarrdb"


def test_an_ozx_is_a_zip(tmp_path: Path) -> None:
    source = open_source(write_zip(tmp_path / "x.ozx", small_store().items()))
    assert source.kind == "zip"
    source.close()


def test_a_tar_comes_from_stdin(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        archive.add(write_directory(tmp_path / "x.zarr", small_store()), "x.zarr")

    class Stdin:
        buffer = io.BytesIO(out.getvalue())

        def isatty(self) -> bool:
            return False

    monkeypatch.setattr("sys.stdin", Stdin())
    source = open_source("-")
    assert source.kind == "tar"
    assert dict(source.get_many(small_store())) == small_store()


FILES: dict[str, tuple[bytes, str, str]] = {
    "empty": (b"", "empty", "is empty"),
    "npy": (b"\x93NUMPY\x01\0" + bytes(600), "npy", "is a NumPy array file"),
    "chunk": (
        bytes((5, 1, 0x81, 4, *bytes(8), 76, 0, 0, 0)) + bytes(60),
        "blosc-chunk",
        "is a single Blosc chunk, not a frame",
    ),
    "hdf5": (b"\x89HDF\r\n\x1a\n" + bytes(600), "hdf5", "is an HDF5 file"),
    "netcdf": (b"CDF\x01" + bytes(600), "netcdf", "is a netCDF file"),
    "gzip": (b"\x1f\x8b\x08" + bytes(600), "compressed", "is gzip-compressed"),
    "zstd": (b"\x28\xb5\x2f\xfd" + bytes(600), "compressed", "is zstd-compressed"),
    "tiff": (b"II*\0" + bytes(600), "tiff", "is a TIFF image"),
    "html": (b"\n<!DOCTYPE html><html>404", "html", "is an HTML page"),
    "xml": (b'<?xml version="1.0"?><Error>', "xml", "is an XML text"),
    "text": (b"SQLite format 3 but not really\n" * 40, "text", "is a text file"),
    "short": (b"hello", "text", "is a text file"),
    "wide": ("\u305f\u00e9".encode() * 400, "text", "is a text file"),
    "lfs": (b"version https://git-lfs.github.com/spec/v1\n", "lfs-pointer", "is a Git LFS pointer"),
    "wal": (b"\x37\x7f\x06\x82" + bytes(60), "log", "is the write-ahead log of a SQLite database"),
    "random": (bytes(range(128, 256)) * 8, "unknown", "is no store of a kind that zarrdb knows"),
    "zeros": (bytes(4096), "unknown", "is no store of a kind that zarrdb knows"),
}


@pytest.mark.parametrize("name", sorted(FILES))
def test_files_that_are_no_stores(tmp_path: Path, name: str) -> None:
    data, kind, words = FILES[name]
    path = tmp_path / "x.zarrdb"
    path.write_bytes(data)
    assert identify(path).kind == kind
    with pytest.raises(NotAStoreError) as caught:
        open_source(path)
    assert caught.value.message == f"{path} {words}"
    assert path.read_bytes() == data
    assert os.listdir(tmp_path) == ["x.zarrdb"]


def test_a_tar_and_a_document_have_hints_of_their_own(tmp_path: Path) -> None:
    with tarfile.open(tmp_path / "x.tar", "w") as archive:
        archive.addfile(tarfile.TarInfo("a"))
    write_directory(tmp_path / "x.zarr", {"zarr.json": group_v3()})
    with pytest.raises(NotAStoreError, match="is a tar") as caught:
        open_source(tmp_path / "x.tar")
    assert caught.value.hint is not None
    assert f"< {tmp_path / 'x.tar'}" in caught.value.hint
    with pytest.raises(NotAStoreError, match="is a metadata document") as caught:
        open_source(tmp_path / "x.zarr/zarr.json")
    assert caught.value.hint == "name the directory that it lies in"


def test_what_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="does not exist"):
        open_source(tmp_path / "x.zarrdb")
    with pytest.raises(MissingError, match="does not exist"):
        open_source(zarrdb(tmp_path / "y.zarrdb") / "z")
    assert not (tmp_path / "x.zarrdb").exists()
    for name in ("a\0b", "\udcff", "x" * 5000, ""):
        with pytest.raises(ZarrdbError) as caught:
            open_source(name)
        assert caught.value.exit_code == 3
        assert caught.value.message.isprintable()


def test_a_directory_or_zip_by_the_name_of_a_zarrdb(tmp_path: Path) -> None:
    folder = write_directory(tmp_path / "x.zarrdb", small_store())
    with pytest.raises(NotAStoreError) as caught:
        open_source(folder)
    assert caught.value.message == (
        f"{folder} is a directory store (zarr-python takes a path for a directory)"
    )
    assert caught.value.hint == f"`zarrdb import {folder} -o FILE` turns it into one file"
    archive = write_zip(tmp_path / "y.zarrdb", small_store().items())
    with pytest.raises(NotAStoreError, match="looks like a zip store"):
        open_source(archive)
    for path in (folder, archive):
        source = open_source(path, any_name=True)
        assert source.get("zarr.json") == small_store()["zarr.json"]
        source.close()


def test_an_empty_zip_by_the_name_of_a_zarrdb(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zarrdb", "w"):
        pass
    with pytest.raises(NotAStoreError, match="looks like a zip store"):
        open_source(tmp_path / "x.zarrdb")


def test_a_database_of_another_program(tmp_path: Path) -> None:
    path = foreign(tmp_path / "firefox.zarrdb")
    before = path.read_bytes()
    assert identify(path).kind == "sqlite"
    with pytest.raises(NotAStoreError, match="is a SQLite database of another program"):
        open_source(path)
    assert path.read_bytes() == before
    assert os.listdir(tmp_path) == ["firefox.zarrdb"]


def test_a_database_cut_short(tmp_path: Path) -> None:
    path = zarrdb(tmp_path / "x.zarrdb")
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(TruncatedError):
        open_source(path)


def test_a_blosc2_frame_is_an_array_and_no_store(tmp_path: Path) -> None:
    path = tmp_path / "anything"
    path.write_bytes(frame_of(range(20), chunks=(10,), blocks=(5,)))
    assert identify(path).kind == "frame"
    frame = open_frame(path)
    assert (frame.kind, frame.shape, frame.name) == ("frame", (20,), str(path))
    frame.close()
    with pytest.raises(NotAStoreError, match="is a Blosc2 frame") as caught:
        open_source(path)
    assert caught.value.hint == "`zarrdb import` turns it into a .zarrdb"
    with pytest.raises(NotAStoreError, match="is no Blosc2 frame"):
        open_frame(write_directory(tmp_path / "x.zarr", small_store()))
    path.write_bytes(path.read_bytes()[:-1])
    with pytest.raises(FrameError):
        open_any(path)


def test_a_sparse_frame_is_named_with_what_is_missing(tmp_path: Path) -> None:
    sparse = tmp_path / "y.b2nd"
    blosc2.asarray(np.arange(40), chunks=(10,), urlpath=str(sparse), contiguous=False, mode="w")
    chunks = sorted(sparse.glob("*.chunk"))
    chunks[1].unlink()
    assert identify(sparse).kind == "frame-directory"
    for open_it in (open_any, open_source, open_frame):
        with pytest.raises(FrameError, match=f"a sparse frame.*1 .*missing.*{chunks[1].name}"):
            open_it(sparse)
    (sparse / "chunks.b2frame").write_bytes(b"")
    with pytest.raises(FrameError, match=r"a sparse frame whose .* cannot be read"):
        open_source(sparse)


@posix
def test_nothing_but_a_regular_file_is_opened(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "fifo")
    assert identify(tmp_path / "fifo").kind == "special"
    with pytest.raises(NotAStoreError, match="is a FIFO"):
        open_source(tmp_path / "fifo")
    with pytest.raises(NotAStoreError, match="is a character device"):
        open_source("/dev/null")
    os.symlink("nowhere", tmp_path / "broken")
    with pytest.raises(MissingError, match="is a link that leads nowhere"):
        open_source(tmp_path / "broken")


@posix
def test_a_file_without_permission(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = zarrdb(tmp_path / "x.zarrdb")

    def refuse(*_: object) -> None:
        raise SourceError(f"{path}: permission denied")

    monkeypatch.setattr("zarrdb.detect.FileBytes", refuse)
    with pytest.raises(SourceError) as caught:
        open_source(path)
    assert caught.value.message == f"{path} cannot be read: permission denied"


def test_directories_take_their_options(tmp_path: Path) -> None:
    path = write_directory(tmp_path / "x.zarr", {"a/zarr.json": array_v3(), ".DS_Store": b"x"})
    kept = open_source(path, keep_junk=True, exclude=(str(path / "a"),))
    assert [entry.key for entry in kept.entries()] == [".DS_Store"]


_TRY_TO_LOCK = """
import sys, apsw
connection = apsw.Connection(sys.argv[1])
try:
    connection.execute("BEGIN IMMEDIATE")
except apsw.BusyError:
    sys.exit(7)
"""


@posix
def test_looking_drops_no_lock_of_this_process(tmp_path: Path) -> None:
    path = zarrdb(tmp_path / "x.zarrdb")
    writer = apsw.Connection(str(path))
    writer.execute("BEGIN IMMEDIATE")
    assert identify(path).kind == "sqlite"
    open_source(path).close()
    other = subprocess.run([sys.executable, "-c", _TRY_TO_LOCK, path], check=False)
    assert other.returncode == 7
    writer.close()
