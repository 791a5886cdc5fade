"""Tars: read from a pipe or a file in one go, written the same each time."""

import errno
import io
import os
import sys
import tarfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import IO, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_sources import KEYS, MemorySource, Store, array_v3, group_v3, small_store
from zarrdb.errors import (
    CorruptError,
    NoSpaceError,
    NotAStoreError,
    NotFoundError,
    SourceError,
    TargetError,
    TruncatedError,
    UsageError,
)
from zarrdb.keys import KeySource
from zarrdb.sources.tar import TarSource
from zarrdb.sources.tar_target import TarTarget

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


class Pipe(io.RawIOBase):
    """Bytes that can be read once, forward."""

    def __init__(self, data: bytes) -> None:
        self._data = io.BytesIO(data)

    def readable(self) -> bool:
        return True

    def seekable(self) -> bool:
        return False

    def readinto(self, buffer: Any) -> int:
        data = self._data.read(min(len(buffer), 1000))
        buffer[: len(data)] = data
        return len(data)


def pipe(data: bytes) -> IO[bytes]:
    return io.BufferedReader(Pipe(data))


STREAMS = pytest.mark.parametrize("stream", [pipe, io.BytesIO])
Stream = Callable[[bytes], IO[bytes]]


def tar(
    members: Iterable[tuple[str, bytes]], format: int = tarfile.PAX_FORMAT, **header: Any
) -> bytes:
    """A tar with these members."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=format) as archive:
        for name, value in members:
            info = tarfile.TarInfo(name)
            info.size = len(value)
            for key, given_value in header.items():
                setattr(info, key, given_value)
            archive.addfile(info, io.BytesIO(value))
    return out.getvalue()


def keys(store: KeySource) -> list[str]:
    return [entry.key for entry in store.entries()]


def remarks(store: KeySource) -> list[tuple[str, str]]:
    return [(remark.kind, remark.key) for remark in store.remarks()]


@given(
    st.dictionaries(KEYS, st.binary(max_size=2000), max_size=8),
    st.data(),
    st.sampled_from([pipe, io.BytesIO]),
    st.sampled_from([tarfile.PAX_FORMAT, tarfile.GNU_FORMAT]),
)
def test_it_gives_what_was_written(
    members: Store, data: st.DataObject, stream: Stream, format: int
) -> None:
    store = {"zarr.json": group_v3(), "x" * 300 + "/0": b"long name", **members}
    order = data.draw(st.permutations(sorted(store)))
    found = TarSource(stream(tar([(key, store[key]) for key in order], format)))
    plain = MemorySource(store)
    assert isinstance(found, KeySource)
    assert list(found.entries()) == list(plain.entries())
    assert list(found.children()) == list(plain.children())
    asked = [*store, "missing", ""]
    assert list(found.get_many(asked)) == list(plain.get_many(asked))
    for key in asked:
        assert found.size(key) == plain.size(key)
        for span in ((0, None), (2, 3), (-3, 2), (-99, None), (9999, 1)):
            assert found.get_range(key, *span) == plain.get_range(key, *span)
        if key in store:
            assert list(found.stream(key, 300)) == list(plain.stream(key, 300))
    found.close()
    found.close()


@STREAMS
def test_a_tar_of_a_folder(stream: Stream) -> None:
    members = [(f"./foo.zarr/{key}", value) for key, value in small_store().items()]
    store = TarSource(stream(tar([*members, ("./foo.zarr/.DS_Store", b"")])))
    assert keys(store) == sorted(small_store())
    assert remarks(store) == [("junk", "foo.zarr/.DS_Store"), ("outer-folder", "foo.zarr/")]
    store.close()


@STREAMS
@pytest.mark.parametrize("suffix", ["", ".zarr"])
def test_two_stores_are_refused(stream: Stream, suffix: str) -> None:
    members = [(f"{name}{suffix}/zarr.json", group_v3()) for name in "ab"]
    with pytest.raises(NotAStoreError, match=f"stdin holds 2 stores: `a{suffix}`, `b{suffix}`"):
        TarSource(stream(tar(members)))


@STREAMS
def test_a_folder_without_a_group_is_no_second_store(stream: Stream) -> None:
    members = [("a/zarr.json", group_v3()), ("b/zarr.json", array_v3()), ("b/c/0", b"")]
    store = TarSource(stream(tar(members)))
    assert keys(store) == ["zarr.json"]
    assert remarks(store) == [("outer-folder", "a/"), ("outside-root", "b/")]
    store.close()


@STREAMS
def test_the_last_of_several_members_counts(stream: Stream) -> None:
    store = TarSource(stream(tar([("zarr.json", b"1"), ("a", b"old"), ("a", b"new!")])))
    assert store.get("a") == b"new!"
    assert remarks(store) == [("superseded-member", "a")]
    store.close()


@posix
def test_links_and_devices_are_no_values(tmp_path: Path) -> None:
    (tmp_path / "zarr.json").write_bytes(group_v3())
    os.symlink("zarr.json", tmp_path / "soft")
    os.link(tmp_path / "zarr.json", tmp_path / "hard")
    os.mkfifo(tmp_path / "fifo")
    (tmp_path / "folder").mkdir()
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as archive:
        for name in ("zarr.json", "soft", "hard", "fifo", "folder"):
            archive.add(tmp_path / name, name)
    store = TarSource(pipe(out.getvalue()))
    assert keys(store) == ["zarr.json"]
    assert remarks(store) == [
        ("link-refused", "soft"),
        ("link-refused", "hard"),
        ("special-file", "fifo"),
    ]
    store.close()


@pytest.mark.parametrize("name", ["../a", "a/../../b", "/a", "a//b", "C:/a", "a/.", "..", "\udcff"])
def test_names_that_are_no_keys(name: str) -> None:
    store = TarSource(pipe(tar([("zarr.json", b"{}"), (name, b"x")], tarfile.GNU_FORMAT)))
    assert keys(store) == ["zarr.json"]
    assert [kind for kind, _ in remarks(store)] == ["not-a-name"]
    store.close()


def test_a_sparse_member_is_told() -> None:
    data = bytearray(tar([("a", b"x" * 512)], tarfile.GNU_FORMAT))
    data[156:157] = tarfile.GNUTYPE_SPARSE
    header = bytes(data[:148]) + b" " * 8 + bytes(data[156:512])
    data[148:156] = b"%06o\0 " % sum(header)
    store = TarSource(pipe(bytes(data)))
    assert remarks(store) == [("special-file", "a")]
    store.close()


@STREAMS
@pytest.mark.parametrize(
    ("data", "words"),
    [
        (b"", "is empty"),
        (b"\x1f\x8b\x08" + bytes(600), "gzip-compressed"),
        (b"BZh9" + bytes(600), "bzip2-compressed"),
        (b"\xfd7zXZ\0" + bytes(600), "xz-compressed"),
        (b"\x28\xb5\x2f\xfd" + bytes(600), "zstd-compressed"),
        (b"PK\3\4" + b"x" * 1000, "is no tar"),
        (b"x" * 100, "is no tar"),
        (b"SQLite format 3\0" + bytes(1000), "is no tar"),
    ],
)
def test_what_is_no_tar(stream: Stream, data: bytes, words: str) -> None:
    with pytest.raises(NotAStoreError, match=words):
        TarSource(stream(data))


@STREAMS
def test_a_tar_cut_short_anywhere(stream: Stream) -> None:
    """Also at the end of a member, where nothing looks broken."""
    whole = tar([("zarr.json", group_v3()), ("a/c/0", b"x" * 1000), ("a/c/1", b"y" * 512)])
    end = whole.index(b"y" * 512) + 512
    for length in (*range(1, end, 97), *range(512, end + 1, 512)):
        with pytest.raises((TruncatedError, NotAStoreError)):
            TarSource(stream(whole[:length]))


@STREAMS
def test_a_header_that_changed_ends_nothing_silently(stream: Stream) -> None:
    data = tar([("zarr.json", group_v3()), ("a", b"x"), ("b", b"y")])
    second = data.index(b"a\0\0")
    changed = data[:second] + b"q" + data[second + 1 :]
    with pytest.raises(CorruptError, match="damaged"):
        TarSource(stream(changed))


@given(st.data(), st.sampled_from([pipe, io.BytesIO]))
def test_any_byte_may_change(data: st.DataObject, stream: Stream) -> None:
    whole = tar([("zarr.json", group_v3()), ("é" * 200, b"x"), ("b", b"y" * 600)])
    changed = bytearray(whole)
    changed[data.draw(st.integers(0, 4000))] ^= 1 << data.draw(st.integers(0, 7))
    try:
        store = TarSource(stream(bytes(changed)))
    except (CorruptError, NotAStoreError, TruncatedError):
        return
    assert all(store.get(key) is not None for key in keys(store))
    store.close()


def test_a_header_that_claims_gigabytes_takes_no_memory() -> None:
    info = tarfile.TarInfo("x")
    info.type, info.size = tarfile.XHDTYPE, 5 << 30
    data = info.tobuf(tarfile.GNU_FORMAT) + bytes(2048)
    with pytest.raises(CorruptError, match="damaged"):
        TarSource(pipe(data))


@STREAMS
@pytest.mark.parametrize(
    ("field", "value"),
    [("size", "-1"), ("size", "9" * 30), ("mtime", "nan"), ("mtime", "1e300"), ("mtime", "-1e300")],
)
@pytest.mark.parametrize("extra", [{}, {"GNU.sparse.major": "x"}, {"GNU.sparse.map": "a,b"}])
def test_headers_that_say_nonsense(
    stream: Stream, field: str, value: str, extra: dict[str, str]
) -> None:
    data = tar([("zarr.json", b"{}"), ("a", b"x")], pax_headers={field: value, **extra})
    try:
        store = TarSource(stream(data))
    except (CorruptError, NotAStoreError, TruncatedError):
        return
    assert store.newest() in (None, 0)
    store.close()


def test_values_of_a_pipe_wait_where_they_are_told_to(tmp_path: Path) -> None:
    with pytest.raises(TargetError, match="temporary file"):
        TarSource(pipe(tar([])), temp_dir=str(Path(__file__)))
    store = TarSource(pipe(tar(small_store().items())), temp_dir=str(tmp_path))
    assert store.get("a/c/0") == small_store()["a/c/0"]
    assert list(tmp_path.iterdir()) == []
    store.close()


def test_a_full_disk_has_its_own_error(monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, _: object) -> int:
            raise OSError(errno.ENOSPC, "No space left on device")

    class FullAtLast(io.BytesIO):
        def flush(self) -> None:
            raise OSError(errno.ENOSPC, "No space left on device")

    for spool in (Full, FullAtLast):
        monkeypatch.setattr("zarrdb.sources.tar.TemporaryFile", lambda dir, make=spool: make())
        with pytest.raises(NoSpaceError, match="temporary file of a tar: no space left"):
            TarSource(pipe(tar([("zarr.json", b"{}")])))


def test_a_stream_that_fails_is_an_error_with_its_name() -> None:
    class Broken(Pipe):
        def readinto(self, buffer: Any) -> int:
            raise OSError(errno.EIO, "Input/output error")

    with pytest.raises(SourceError, match="stdin cannot be read: input/output error"):
        TarSource(io.BufferedReader(Broken(b"")))


def test_a_terminal_is_no_tar(monkeypatch: pytest.MonkeyPatch) -> None:
    class Terminal(io.BytesIO):
        def isatty(self) -> bool:
            return True

    monkeypatch.setattr("sys.stdin", Terminal())
    with pytest.raises(UsageError, match="terminal"):
        TarSource.from_stdin()
    monkeypatch.setattr("sys.stdin", None)
    with pytest.raises(UsageError):
        TarSource.from_stdin()


def test_the_newest_time() -> None:
    store = TarSource(pipe(tar([("zarr.json", b""), ("a", b"")], mtime=123)))
    assert store.newest() == 123
    store.close()
    empty = TarSource(pipe(tar([])))
    assert empty.newest() is None
    with pytest.raises(NotFoundError):
        list(empty.stream("a"))
    empty.close()


def write(place: Any, store: Store, **options: Any) -> None:
    with TarTarget(place, **{"modified": 1_000_000_000, **options}) as target:
        for key in sorted(store):
            target.write(key, len(store[key]), (store[key],))
        target.commit()


@given(st.dictionaries(KEYS | st.just("x" * 300), st.binary(max_size=2000), max_size=8))
def test_what_is_written_comes_back(members: Store) -> None:
    out, store = io.BytesIO(), {"zarr.json": group_v3(), **members}
    write(out, store)
    found = TarSource(pipe(out.getvalue()))
    assert list(found.entries()) == list(MemorySource(store).entries())
    assert dict(found.get_many(store)) == store
    assert found.newest() == 1_000_000_000
    found.close()
    with tarfile.open(fileobj=io.BytesIO(out.getvalue())) as archive:
        infos = archive.getmembers()
    assert [info.name for info in infos] == sorted(store)
    facts = {(i.uid, i.gid, i.uname, i.gname, i.mode, i.mtime, i.isreg()) for i in infos}
    assert facts <= {(0, 0, "", "", 0o644, 1_000_000_000, True)}
    assert len(out.getvalue()) % tarfile.RECORDSIZE == 0


def test_the_same_store_gives_the_same_bytes(tmp_path: Path) -> None:
    write(tmp_path / "a.tar", small_store())
    write(tmp_path / "b.tar", small_store())
    assert (tmp_path / "a.tar").read_bytes() == (tmp_path / "b.tar").read_bytes()
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.tar", "b.tar"]


def test_a_tar_that_was_not_finished_is_not_there(tmp_path: Path) -> None:
    with TarTarget(tmp_path / "a.tar", modified=0) as target:
        target.write("a", 1, (b"x",))
    assert list(tmp_path.iterdir()) == []
