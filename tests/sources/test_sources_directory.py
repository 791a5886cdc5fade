"""Directory stores: what is read, what is left out and said, what is never touched."""

import os
import socket
import stat
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_sources import (
    KEYS,
    MemorySource,
    Store,
    has_no_file_below_a_file,
    small_store,
    write_directory,
)
from zarrdb.errors import (
    MissingError,
    NotAStoreError,
    NotFoundError,
    SourceChangedError,
    SourceError,
)
from zarrdb.keys import KeySource
from zarrdb.sources.directory import DirectorySource

posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files")


def source(path: Path, **options: Any) -> DirectorySource:
    return DirectorySource(path, **options)


def keys(store: KeySource) -> list[str]:
    return [entry.key for entry in store.entries()]


def remarks(store: KeySource) -> list[tuple[str, str]]:
    return sorted((remark.kind, remark.key) for remark in store.remarks())


def test_it_is_a_source(tmp_path: Path) -> None:
    store = source(write_directory(tmp_path / "x.zarr", small_store()))
    assert isinstance(store, KeySource)
    assert (store.kind, store.name) == ("directory", str(tmp_path / "x.zarr"))
    store.close()


@given(st.dictionaries(KEYS, st.binary(max_size=8), max_size=10), st.data())
def test_it_gives_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, store: Store, data: st.DataObject
) -> None:
    store = {key: value for key, value in store.items() if has_no_file_below_a_file({*store})}
    found = source(write_directory(tmp_path_factory.mktemp("store"), store))
    plain = MemorySource(store)
    assert list(found.entries()) == list(plain.entries())
    prefixes = {"", "zz/"} | {key[: key.rindex("/") + 1] for key in store if "/" in key}
    prefix = data.draw(st.sampled_from(sorted(prefixes)))
    after = data.draw(st.none() | st.sampled_from([*store, "", "a", "a/", "a0", "zz"]))
    assert list(found.entries(prefix, after)) == list(plain.entries(prefix, after))
    assert list(found.children(prefix)) == list(plain.children(prefix))
    asked = [*store, "missing", "a/missing"]
    assert list(found.get_many(asked)) == list(plain.get_many(asked))
    for key in asked:
        assert found.size(key) == plain.size(key)
        for span in ((0, None), (2, 3), (-3, 2), (-99, None), (99, 1)):
            assert found.get_range(key, *span) == plain.get_range(key, *span)
        if key in store:
            assert list(found.stream(key, 3)) == list(plain.stream(key, 3))


def test_names_sort_as_the_keys_below_them_do(tmp_path: Path) -> None:
    names = ["a/x", "a-b", "a.b/x", "a0", "a/y/z", "A", "é", "z\u0300", "\U0001f600", "\uffee"]
    store = source(write_directory(tmp_path, dict.fromkeys(names, b"")))
    assert keys(store) == sorted(names)


def test_what_is_missing_is_told(tmp_path: Path) -> None:
    with pytest.raises(MissingError, match="no such directory"):
        source(tmp_path / "x")
    (tmp_path / "x").write_bytes(b"")
    with pytest.raises(NotAStoreError):
        source(tmp_path / "x")
    with pytest.raises(NotFoundError, match="key `b`"):
        list(source(tmp_path).stream("b"))


@pytest.mark.parametrize(
    "key",
    [
        "../secret",
        "a/../../secret",
        "",
        "a/",
        "/a",
        "a//c/0",
        "./a/zarr.json",
        "a\0",
        "\ud800",
        "x" * 9000,
    ],
)
def test_no_key_leads_out_or_fails(tmp_path: Path, key: str) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    store = source(write_directory(tmp_path / "x.zarr", small_store()))
    assert store.get(key) is None
    assert store.size(key) is None
    assert store.get_range(key, 0, 1) is None
    assert list(store.entries(key + "/")) == []
    assert list(store.children("../")) == []
    absolute = str(tmp_path / "secret")
    assert store.get(absolute) is None


JUNK = (
    *(".DS_Store", "a/.DS_Store", "a/c/._0", "Thumbs.db", "a/c/desktop.ini", "a/c/.nfs000001"),
    *("a/zarr.json~", "a/.zarr.json.swp", ".git/HEAD", ".git/objects/00/1", "__MACOSX/a/0"),
    *("a/zarr." + "0f" * 16 + ".partial", "sub/.git", ".x.zarrdb.4711-00c0ffee.tmp"),
)
PLAIN = (
    *(".dandi/checksum", "README.md", "a/c/0.bak", "OME/METADATA.ome.xml", "._/x", "~/zarr.json"),
    *("0.partial", "thumbs.db", "x.swp", "a/zarr." + "0F" * 16 + ".partial", ".gitignore", "git"),
)


def test_junk_is_left_out_and_said_and_nothing_else_is(tmp_path: Path) -> None:
    write_directory(tmp_path, {**small_store(), **dict.fromkeys((*JUNK, *PLAIN), b"junk")})
    store = source(tmp_path)
    assert keys(store) == sorted([*small_store(), *PLAIN])
    told = [key for kind, key in remarks(store) if kind == "junk"]
    assert told == sorted(
        {key for key in JUNK if not key.startswith((".git/", "__MACOSX/"))} | {".git/", "__MACOSX/"}
    )
    assert store.get(".DS_Store") is None
    assert store.size(".git/HEAD") is None
    assert list(store.entries(".git/")) == []
    kept = source(tmp_path, keep_junk=True)
    assert keys(kept) == sorted([*small_store(), *JUNK, *PLAIN])
    assert remarks(kept) == []
    assert kept.get("Thumbs.db") == b"junk"


def test_remarks_come_without_a_pass_and_after_one(tmp_path: Path) -> None:
    write_directory(tmp_path, {".DS_Store": b"", "a/._0": b"", "x": b""})
    store = source(tmp_path)
    first = remarks(store)
    assert first == [("junk", ".DS_Store"), ("junk", "a/._0")]
    keys(store)
    assert remarks(store) == first
    list(store.entries("a/"))
    assert remarks(store) == first


def test_more_remarks_than_are_kept_are_all_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("zarrdb.sources.remarks._KEPT", 3)
    write_directory(tmp_path, {f"._{i}": b"" for i in range(10)})
    store = source(tmp_path)
    keys(store)
    assert len(remarks(store)) == 10


def test_empty_directories_are_no_keys(tmp_path: Path) -> None:
    write_directory(tmp_path, small_store())
    for name in ("a/c/9", "ghost", "deep/er/est"):
        (tmp_path / name).mkdir(parents=True)
    store = source(tmp_path)
    assert keys(store) == sorted(small_store())
    assert [child.name for child in store.children()] == ["a", "zarr.json"]
    assert remarks(store) == [
        ("empty-directory", "a/c/9/"),
        ("empty-directory", "deep/er/est/"),
        ("empty-directory", "ghost/"),
    ]


@posix
def test_special_files_are_told_and_never_opened(tmp_path: Path) -> None:
    write_directory(tmp_path, small_store())
    os.mkfifo(tmp_path / "a/c/2")
    os.symlink("a/c/2", tmp_path / "to-fifo")
    with socket.socket(socket.AF_UNIX) as listener:
        here = Path.cwd()
        try:
            # A socket's path has no more than a hundred bytes.
            os.chdir(tmp_path)
            listener.bind("a/socket")
        finally:
            os.chdir(here)
        store = source(tmp_path)
        assert keys(store) == sorted(small_store())
        assert remarks(store) == [
            ("special-file", "a/c/2"),
            ("special-file", "a/socket"),
            ("special-file", "to-fifo"),
        ]
        assert store.get("a/c/2") is None
        assert store.size("a/c/2") is None
        assert "2" not in [child.name for child in store.children("a/c/")]


@posix
@pytest.mark.skipif(sys.platform == "darwin", reason="names there are always Unicode")
def test_names_that_are_no_unicode_are_told(tmp_path: Path) -> None:
    write_directory(tmp_path, small_store())
    folder = os.fsencode(tmp_path)
    with open(folder + b"/bad\xff.bin", "wb"):
        pass
    os.mkdir(folder + b"/dir\xfe")
    store = source(tmp_path)
    assert keys(store) == sorted(small_store())
    assert remarks(store) == [
        ("name-not-unicode", "bad\\udcff.bin"),
        ("name-not-unicode", "dir\\udcfe"),
    ]


@contextmanager
def as_an_ordinary_user() -> Iterator[None]:
    """Root reads everything; without its rights for a while it does not."""
    if os.getuid() != 0:
        yield
        return
    os.setresuid(65534, 65534, 0)
    try:
        yield
    finally:
        os.setresuid(0, 0, 0)


@posix
@pytest.mark.skipif(not hasattr(os, "setresuid"), reason="cannot give up rights for a while")
def test_files_without_permission() -> None:
    with TemporaryDirectory() as name:
        path = write_directory(Path(name), small_store())
        path.chmod(0o755)
        (path / "a/c/1").chmod(0)
        (path / "locked").mkdir(0)
        with as_an_ordinary_user():
            store = source(path)
            assert remarks(store) == [("unreadable-file", "a/c/1"), ("unreadable-file", "locked/")]
            assert keys(store) == ["a/c/0", "a/zarr.json", "zarr.json"]
            with pytest.raises(SourceError, match=r"a/c/1 cannot be read: permission denied"):
                store.get("a/c/1")
        (path / "locked").chmod(0o700)


@posix
def test_what_the_system_refuses_is_an_error_with_the_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_directory(tmp_path, small_store())
    store = source(tmp_path)

    def refuse(*_: object) -> int:
        raise OSError(5, "Input/output error")

    monkeypatch.setattr("os.open", refuse)
    with pytest.raises(SourceError, match="a/c/0 cannot be read: input/output error"):
        store.get("a/c/0")
    monkeypatch.undo()
    monkeypatch.setattr("os.read", refuse)
    with pytest.raises(SourceError, match="input/output error"):
        store.get("a/c/0")


@posix
def test_folders_that_cannot_be_listed_are_told_and_the_root_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_directory(tmp_path, small_store())
    scandir = os.scandir

    def refuse(where: str) -> Callable[..., object]:
        def call(path: str) -> object:
            if path.rstrip("/").endswith(where):
                raise PermissionError(13, "Permission denied")
            return scandir(path)

        return call

    monkeypatch.setattr("os.scandir", refuse("/a/c"))
    store = source(tmp_path)
    assert keys(store) == ["a/zarr.json", "zarr.json"]
    assert remarks(store) == [("unreadable-file", "a/c/")]
    monkeypatch.setattr("os.scandir", refuse(tmp_path.name))
    with pytest.raises(SourceError, match="permission denied"):
        keys(store)


def test_a_file_that_changes_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_directory(tmp_path, {"x": b"12345678"})
    store = source(tmp_path)
    read = os.read

    def grow(descriptor: int, length: int) -> bytes:
        data = read(descriptor, length)
        with open(tmp_path / "x", "ab") as file:
            file.write(b"9")
        return data

    monkeypatch.setattr("os.read", grow)
    with pytest.raises(SourceChangedError, match=r"x changed while it was read"):
        store.get("x")
    with pytest.raises(SourceChangedError):
        list(store.stream("x", 4))


def test_a_file_rewritten_in_place_while_it_is_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_directory(tmp_path, {"x": b"12345678"})
    os.utime(tmp_path / "x", ns=(1, 1))
    read = os.read

    def rewrite(descriptor: int, length: int) -> bytes:
        data = read(descriptor, length)
        (tmp_path / "x").write_bytes(b"abcdefgh")
        return data

    monkeypatch.setattr("os.read", rewrite)
    with pytest.raises(SourceChangedError):
        source(tmp_path).get("x")


def test_a_file_cut_short_while_it_is_streamed(tmp_path: Path) -> None:
    write_directory(tmp_path, {"x": bytes(100)})
    pieces = source(tmp_path).stream("x", 10)
    next(pieces)
    os.truncate(tmp_path / "x", 15)
    with pytest.raises(SourceChangedError):
        list(pieces)


def test_what_vanishes_during_a_pass(tmp_path: Path) -> None:
    write_directory(tmp_path, {"a": b"", "b": b"", "c/x": b""})
    entries = source(tmp_path).entries()
    next(entries)
    (tmp_path / "b").unlink()
    with pytest.raises(SourceChangedError, match="b vanished"):
        list(entries)


@posix
class TestLinks:
    """A store with links to a file, a folder, out of it, nowhere, and round in circles."""

    @pytest.fixture
    def path(self, tmp_path: Path) -> Path:
        outside = write_directory(tmp_path / "outside", {"big": b"big", "more/0": b"0"})
        path = write_directory(tmp_path / "x.zarr", small_store())
        os.symlink("c/0", path / "a/to-chunk")
        os.symlink("a", path / "b")
        os.symlink(outside / "big", path / "out")
        os.symlink(outside / "more", path / "outer")
        os.symlink("nowhere", path / "broken")
        os.symlink("..", path / "a/up")
        os.symlink("self", path / "self")
        return path

    def test_followed(self, path: Path) -> None:
        store = source(path)
        inside = [k.replace("a/", "b/", 1) for k in small_store() if k.startswith("a/")]
        assert keys(store) == sorted(
            [*small_store(), *inside, "a/to-chunk", "b/to-chunk", "out", "outer/0"]
        )
        assert remarks(store) == [
            ("link-broken", "broken"),
            ("link-broken", "self"),
            ("link-loop", "a/up"),
            ("link-loop", "b/up"),
            ("link-outside", "out"),
            ("link-outside", "outer"),
        ]
        assert store.get("out") == b"big"
        assert store.get("b/c/0") == small_store()["a/c/0"]

    @pytest.mark.parametrize("policy", ["follow", "inside"])
    def test_a_link_to_what_holds_the_store_is_a_loop(self, tmp_path: Path, policy: str) -> None:
        path = write_directory(tmp_path / "in" / "x.zarr", small_store())
        for number, place in enumerate((path, path.parent, tmp_path, Path("/"))):
            os.symlink(place, path / f"up{number}")
        store = source(path, links=policy)
        assert keys(store) == sorted(small_store())
        assert remarks(store) == [("link-loop", f"up{number}") for number in range(4)]

    def test_followed_inside(self, path: Path) -> None:
        store = source(path, links="inside")
        assert "b/c/0" in keys(store)
        assert "out" not in keys(store)
        refused = [key for kind, key in remarks(store) if kind == "link-refused"]
        assert refused == ["out", "outer"]
        assert store.get("b/c/0") == small_store()["a/c/0"]
        assert store.get("out") is None
        assert store.get("outer/0") is None
        assert store.size("outer/0") is None

    def test_refused(self, path: Path) -> None:
        store = source(path, links="refuse")
        assert keys(store) == sorted(small_store())
        refused = [key for kind, key in remarks(store) if kind == "link-refused"]
        assert refused == ["a/to-chunk", "a/up", "b", "broken", "out", "outer", "self"]
        for key in ("out", "b/c/0", "a/to-chunk", "outer/0"):
            assert store.get(key) is None
        assert store.get("a/c/0") == small_store()["a/c/0"]

    def test_two_links_that_lead_to_each_other(self, tmp_path: Path) -> None:
        path = write_directory(tmp_path / "y", {"p/x": b"", "q/x": b""})
        os.symlink("../q", path / "p/q")
        os.symlink("../p", path / "q/p")
        assert keys(source(path)) == ["p/q/x", "p/x", "q/p/x", "q/x"]

    def test_the_store_itself_may_be_a_link(self, path: Path, tmp_path: Path) -> None:
        os.symlink(path, tmp_path / "link.zarr")
        for policy in ("follow", "inside", "refuse"):
            store = source(tmp_path / "link.zarr", links=policy)
            assert store.get("a/c/0") == small_store()["a/c/0"]
            assert "a/c/0" in keys(store)


def test_paths_that_are_no_part_of_it(tmp_path: Path) -> None:
    path = write_directory(tmp_path / "x.zarr", small_store())
    target = path / "sub/out.zarrdb"
    write_directory(path, {"sub/out.zarrdb": b"", "sub/out.zarrdb-journal": b"", "sub/other": b""})
    store = source(path, exclude=[target, tmp_path / "elsewhere"])
    assert keys(store) == sorted([*small_store(), "sub/other"])
    assert store.get("sub/out.zarrdb") is None
    assert remarks(store) == []
    assert keys(source(path, exclude=[path / "a"])) == [
        "sub/other",
        "sub/out.zarrdb",
        "sub/out.zarrdb-journal",
        "zarr.json",
    ]


@posix
def test_a_path_to_leave_out_may_be_given_through_a_link(tmp_path: Path) -> None:
    path = write_directory(tmp_path / "x.zarr", {"a": b"", "out.zarrdb": b""})
    os.symlink(path, tmp_path / "link")
    assert keys(source(path, exclude=[tmp_path / "link/out.zarrdb"])) == ["a"]


def test_the_newest_time_of_what_was_listed(tmp_path: Path) -> None:
    write_directory(tmp_path, {"a": b"", "b/c": b"", ".DS_Store": b""})
    for name, time in (("a", 100), ("b/c", 300), (".DS_Store", 900)):
        os.utime(tmp_path / name, (time, time))
    store = source(tmp_path)
    assert store.newest() is None
    keys(store)
    assert store.newest() == 300


def test_it_is_for_any_number_of_threads(tmp_path: Path) -> None:
    from concurrent.futures import ThreadPoolExecutor

    store = {f"a/c/{i}": os.urandom(i * 37) for i in range(200)}
    found = source(write_directory(tmp_path, store), links="refuse")
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(found.get, store)) == list(store.values())


def test_reading_changes_nothing(tmp_path: Path) -> None:
    path = write_directory(tmp_path / "x.zarr", small_store())
    before = {p: p.stat().st_mtime_ns for p in [path, *path.rglob("*")]}
    store = source(path)
    keys(store)
    list(store.children("a/"))
    list(store.get_many(small_store()))
    assert {p: p.stat().st_mtime_ns for p in [path, *path.rglob("*")]} == before
    assert stat.S_ISDIR(path.stat().st_mode)
