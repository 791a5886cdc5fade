"""Zip stores: outer folders, members that come twice, damage, and names of all kinds."""

import os
import random
import struct
import zipfile
import zlib
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_sources import (
    GROUP_V2,
    KEYS,
    MemorySource,
    Store,
    array_v2,
    array_v3,
    group_v3,
    small_store,
    write_zip,
)
from zarrdb.errors import (
    CorruptError,
    NotAStoreError,
    NotFoundError,
    SourceError,
    TruncatedError,
    ZarrdbError,
)
from zarrdb.keys import KeySource
from zarrdb.sources.zip import ZipSource


def keys(store: KeySource) -> list[str]:
    return [entry.key for entry in store.entries()]


def remarks(store: KeySource) -> list[tuple[str, str]]:
    return [(remark.kind, remark.key) for remark in store.remarks()]


@given(st.dictionaries(KEYS, st.binary(max_size=8), max_size=10), st.data())
def test_it_gives_what_was_written(
    tmp_path_factory: pytest.TempPathFactory, members: Store, data: st.DataObject
) -> None:
    store = {"zarr.json": group_v3(), **members}
    order = data.draw(st.permutations(sorted(store)))
    path = tmp_path_factory.mktemp("zip") / "x.zip"
    found = ZipSource(write_zip(path, [(key, store[key]) for key in order]))
    plain = MemorySource(store)
    assert isinstance(found, KeySource)
    assert list(found.entries()) == list(plain.entries())
    prefixes = {"", "zz/"} | {key[: key.rindex("/") + 1] for key in store if "/" in key}
    prefix = data.draw(st.sampled_from(sorted(prefixes)))
    after = data.draw(st.none() | st.sampled_from([*store, "", "a", "a/", "a0", "zz"]))
    assert list(found.entries(prefix, after)) == list(plain.entries(prefix, after))
    assert list(found.children(prefix)) == list(plain.children(prefix))
    asked = [*store, "missing", "", "a/"]
    assert list(found.get_many(asked)) == list(plain.get_many(asked))
    for key in asked:
        assert found.size(key) == plain.size(key)
        for span in ((0, None), (2, 3), (-3, 2), (-99, None), (99, 1)):
            assert found.get_range(key, *span) == plain.get_range(key, *span)
        if key in store:
            assert list(found.stream(key, 3)) == list(plain.stream(key, 3))
    found.close()
    found.close()


@pytest.mark.parametrize(
    "method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
)
def test_compressed_members_are_decompressed_piece_by_piece(tmp_path: Path, method: int) -> None:
    value = os.urandom(100) * 50_000
    with zipfile.ZipFile(tmp_path / "x.zip", "w", method) as archive:
        archive.writestr("zarr.json", group_v3())
        archive.writestr("a/c/0", value)
    store = ZipSource(tmp_path / "x.zip")
    assert store.get("a/c/0") == value
    assert max(map(len, store.stream("a/c/0", 4096))) <= 4096
    assert store.get_range("a/c/0", 4_999_990, 20) == value[-10:]
    assert store.get_range("a/c/0", -7, None) == value[-7:]
    with pytest.raises(NotFoundError):
        list(store.stream("a/c/1"))
    store.close()


def test_the_last_of_several_members_counts(tmp_path: Path) -> None:
    members = [
        ("zarr.json", group_v3(attributes={"v": 1})),
        ("a/c/0", b"old"),
        ("a/zarr.json", array_v3()),
        ("a/c/0", b"newer"),
        ("zarr.json", group_v3()),
        ("a/c/0", b"new"),
    ]
    store = ZipSource(write_zip(tmp_path / "x.zip", members))
    assert keys(store) == ["a/c/0", "a/zarr.json", "zarr.json"]
    assert (store.get("a/c/0"), store.size("a/c/0")) == (b"new", 3)
    assert store.get("zarr.json") == group_v3()
    found = {remark.key: remark.detail for remark in store.remarks()}
    assert found.keys() == {"a/c/0", "zarr.json"}
    assert found["a/c/0"].startswith("2 earlier members")
    assert found["zarr.json"].startswith("1 earlier member ")
    store.close()


def test_an_outer_folder_is_no_part_of_the_keys(tmp_path: Path) -> None:
    members = [("foo.zarr/", b""), *((f"foo.zarr/{k}", v) for k, v in small_store().items())]
    store = ZipSource(write_zip(tmp_path / "foo.zarr.zip", [*members, ("README.md", b"")]))
    assert keys(store) == sorted(small_store())
    assert store.get("a/c/1") == small_store()["a/c/1"]
    assert remarks(store) == [("outer-folder", "foo.zarr/"), ("outside-root", "README.md")]
    store.close()


@pytest.mark.parametrize(
    ("store", "root"),
    [
        # An implicit root with its arrays is no folder around a store.
        ({"a/.zarray": array_v2(), "b/.zarray": array_v2()}, ""),
        ({"a/.zgroup": GROUP_V2, "b/.zgroup": GROUP_V2}, ""),
        ({"a/zarr.json": array_v3(), "b/zarr.json": array_v3()}, ""),
        ({"data/.zgroup": GROUP_V2, "data/a/.zarray": array_v2()}, "data/"),
        ({"x.zarr/.zgroup": GROUP_V2, "docs/.zgroup": GROUP_V2}, "x.zarr/"),
        ({"x/zarr.json": group_v3(), "docs/0": b"", "b/.zarray": array_v2()}, "x/"),
        ({"x/.zmetadata": b"{}", "y/0.0": b""}, "x/"),
        ({"x/y/zarr.json": group_v3()}, ""),
        ({"x/data": b""}, ""),
        ({".zattrs": b"{}", "a/.zarray": array_v2(), "a/0": b""}, ""),
        ({".zgroup": GROUP_V2, "x.zarr/.zgroup": GROUP_V2}, ""),
    ],
)
def test_which_folder_is_the_store(tmp_path: Path, store: Store, root: str) -> None:
    found = ZipSource(write_zip(tmp_path / "x.zip", store.items()))
    assert keys(found) == sorted(k.removeprefix(root) for k in store if k.startswith(root))
    found.close()


@pytest.mark.parametrize(
    "store",
    [
        {"x.zarr/.zgroup": GROUP_V2, "y.zarr/.zarray": array_v2()},
        {"x/zarr.json": group_v3(), "y/zarr.json": group_v3()},
        {"x/.zmetadata": b"{}", "y/.zmetadata": b"{}", "y/.zgroup": GROUP_V2},
    ],
)
def test_two_stores_in_one_zip_are_refused_with_both_names(tmp_path: Path, store: Store) -> None:
    with pytest.raises(NotAStoreError, match=r"holds 2 stores: `x(.zarr)?`, `y(.zarr)?`") as caught:
        ZipSource(write_zip(tmp_path / "two.zip", store.items()))
    assert caught.value.hint


def test_directories_are_no_keys_and_junk_is_left_out(tmp_path: Path) -> None:
    junk = ["__MACOSX/._a", "__MACOSX/a/._zarr.json", ".DS_Store", "a/.DS_Store", "a/c/Thumbs.db"]
    members = [("a/", b""), ("a/c/", b""), *small_store().items(), *((name, b"") for name in junk)]
    path = write_zip(tmp_path / "x.zip", members)
    store = ZipSource(path)
    assert keys(store) == sorted(small_store())
    assert remarks(store) == [
        ("junk", k) for k in ("__MACOSX/", ".DS_Store", "a/.DS_Store", "a/c/Thumbs.db")
    ]
    store.close()
    store = ZipSource(path, keep_junk=True)
    assert keys(store) == sorted([*small_store(), *junk])
    store.close()


def member(
    name: bytes, value: bytes = b"", *, flags: int = 0, system: int = 3, mode: int = 0o100644
) -> bytes:
    """A zip of one member, made by hand: names that `zipfile` would not write."""
    crc = zlib.crc32(value)
    sizes = struct.pack("<III", crc, len(value), len(value))
    local = (
        b"PK\3\4"
        + struct.pack("<HHHHH", 20, flags, 0, 0, 33)
        + sizes
        + struct.pack("<HH", len(name), 0)
    )
    start = struct.pack("<BBHHHHH", 20, system, 20, flags, 0, 0, 33)
    central = (
        b"PK\1\2" + start + sizes + struct.pack("<HHHHHII", len(name), 0, 0, 0, 0, mode << 16, 0)
    )
    body = local + name + value
    directory = central + name
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 1, 1, len(directory), len(body), 0)
    return body + directory + end


@pytest.mark.parametrize(
    ("name", "options", "key", "kind"),
    [
        ("é".encode(), {"flags": 0x800}, "é", None),
        ("é".encode(), {}, "é", None),
        (b"\x82", {}, "é", "name-not-utf8"),
        (b"a\\c\\0", {"system": 0}, "a/c/0", None),
        (b"back\\slash", {"system": 3}, "back\\slash", None),
        (b"./a/0", {}, "a/0", None),
        (b"a\0b", {}, None, "not-a-name"),
        (b"../a", {}, None, "not-a-name"),
        (b"a/./b", {}, None, "not-a-name"),
        (b"..\\a", {"system": 0}, None, "not-a-name"),
        (b"/a", {}, None, "not-a-name"),
        (b"a//b", {}, None, "not-a-name"),
        (b"C:\\a", {}, None, "not-a-name"),
        (b"link", {"mode": 0o120777}, None, "link-refused"),
        (b"a\\", {"system": 0}, None, None),
    ],
)
def test_names_of_all_kinds(
    tmp_path: Path, name: bytes, options: dict[str, int], key: str | None, kind: str | None
) -> None:
    (tmp_path / "x.zip").write_bytes(member(name, b"value", **options))
    store = ZipSource(tmp_path / "x.zip")
    assert keys(store) == ([] if key is None else [key])
    if key is not None:
        assert store.get(key) == b"value"
    assert [remark.kind for remark in store.remarks()] == ([] if kind is None else [kind])
    store.close()


def test_a_name_that_says_it_is_utf8_and_is_not(tmp_path: Path) -> None:
    (tmp_path / "x.zip").write_bytes(member(b"\xff", flags=0x800))
    with pytest.raises(CorruptError, match=r"x\.zip: the zip is damaged"):
        ZipSource(tmp_path / "x.zip")


class TestDamage:
    """A zip that was cut short, whose bytes changed, or that lies about itself."""

    @pytest.fixture
    def whole(self, tmp_path: Path) -> bytes:
        return write_zip(tmp_path / "whole.zip", small_store().items()).read_bytes()

    def open(self, tmp_path: Path, data: bytes) -> ZipSource:
        (tmp_path / "x.zip").write_bytes(data)
        return ZipSource(tmp_path / "x.zip")

    def test_without_its_directory(self, tmp_path: Path, whole: bytes) -> None:
        for data in (whole[: whole.index(b"PK\1\2")], whole[: len(whole) // 2], whole[:-30]):
            with pytest.raises(TruncatedError, match=r"x\.zip: the zip ends before its directory"):
                self.open(tmp_path, data)

    def test_a_value_that_changed_is_named(self, tmp_path: Path, whole: bytes) -> None:
        value = small_store()["a/c/1"]
        store = self.open(tmp_path, whole.replace(value, b"\xff" * len(value)))
        assert keys(store) == sorted(small_store())
        assert store.get("a/c/0") == small_store()["a/c/0"]
        for read in (lambda: store.get("a/c/1"), lambda: list(store.stream("a/c/1", 3))):
            with pytest.raises(
                CorruptError, match=r"x\.zip: a/c/1 is damaged: its checksum differs"
            ):
                read()
        store.close()

    def test_a_header_that_changed_is_named(self, tmp_path: Path, whole: bytes) -> None:
        store = self.open(tmp_path, whole.replace(b"PK\3\4", b"PK\3\5", 1))
        with pytest.raises(CorruptError, match=r"x\.zip: zarr\.json is damaged"):
            store.get("zarr.json")
        store.close()

    def test_an_encrypted_member_is_named(self, tmp_path: Path) -> None:
        store = self.open(tmp_path, member(b"a", b"value", flags=1))
        assert keys(store) == ["a"]
        with pytest.raises(SourceError, match="a is encrypted"):
            store.get("a")
        store.close()

    def test_a_method_that_nobody_knows(self, tmp_path: Path) -> None:
        data = bytearray(member(b"a", b"value"))
        for offset in (8, data.index(b"PK\1\2") + 10):
            data[offset] = 97
        store = self.open(tmp_path, bytes(data))
        with pytest.raises(SourceError, match="compressed in a way"):
            store.get("a")
        store.close()

    @pytest.mark.parametrize("declared", [0, 10, 10_000_000, 2**32 - 2])
    def test_a_member_of_another_size_than_it_says(self, tmp_path: Path, declared: int) -> None:
        with zipfile.ZipFile(tmp_path / "y.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("a", bytes(1_000_000))
        data = (tmp_path / "y.zip").read_bytes()
        data = data.replace(struct.pack("<I", 1_000_000), struct.pack("<I", declared))
        store = self.open(tmp_path, data)
        assert store.size("a") == declared
        with pytest.raises(CorruptError, match=r"x\.zip: a is damaged"):
            list(store.stream("a"))
        store.close()

    @given(st.data())
    def test_any_byte_may_change(
        self, tmp_path_factory: pytest.TempPathFactory, whole: bytes, data: st.DataObject
    ) -> None:
        """Whatever is wrong, it is one of our errors and names the file."""
        changed = bytearray(whole)
        position = data.draw(st.integers(0, len(whole) - 1))
        changed[position] ^= 1 << data.draw(st.integers(0, 7))
        path = tmp_path_factory.mktemp("changed") / "x.zip"
        path.write_bytes(changed)
        message = str(path)
        try:
            store = ZipSource(path)
        except ZarrdbError as error:
            message = error.message
        else:
            with closing(store), suppress(CorruptError, SourceError):
                for key in keys(store):
                    store.get(key)
        assert str(path) in message


def test_a_zip_may_come_after_other_bytes_and_before_a_comment(tmp_path: Path) -> None:
    path = write_zip(tmp_path / "x.zip", small_store().items())
    with zipfile.ZipFile(path, "a") as archive:
        archive.comment = b'{"ome": {"version": "0.5"}}'
    path.write_bytes(b"#!/bin/sh\n" + path.read_bytes())
    store = ZipSource(path)
    assert store.get("a/c/0") == small_store()["a/c/0"]
    store.close()


def test_the_newest_time(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "x.zip", "w") as archive:
        archive.writestr(zipfile.ZipInfo("zarr.json", (2001, 9, 9, 1, 46, 40)), group_v3())
        archive.writestr(zipfile.ZipInfo("a", (1999, 1, 1, 0, 0, 0)), b"")
        archive.writestr(zipfile.ZipInfo(".DS_Store", (2050, 1, 1, 0, 0, 0)), b"")
    store = ZipSource(tmp_path / "x.zip")
    assert store.newest() == 1_000_000_000
    store.close()
    (tmp_path / "x.zip").write_bytes(member(b"a").replace(struct.pack("<HH", 0, 33), bytes(4)))
    store = ZipSource(tmp_path / "x.zip")
    assert store.newest() is None
    store.close()


def test_it_is_for_any_number_of_threads(tmp_path: Path) -> None:
    members = {"zarr.json": group_v3()} | {f"c/{i}": os.urandom(i * 97) for i in range(200)}
    store = ZipSource(write_zip(tmp_path / "x.zip", members.items()))
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(store.get, members)) == list(members.values())
    store.close()


@pytest.mark.parametrize("method", [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED])
def test_ranges_are_for_any_number_of_threads(tmp_path: Path, method: int) -> None:
    """Whatever the others read at the same time."""
    members = {f"c/{i}": random.Random(i).randbytes(60_000 + i) for i in range(8)}
    with zipfile.ZipFile(tmp_path / "x.zip", "w", method) as archive:
        for name, value in members.items():
            archive.writestr(name, value)
    spans = [
        (key, start, size) for key in members for start in (-40_000, 31_000) for size in (9, 9_000)
    ]

    def part(span: tuple[str, int, int]) -> bytes | None:
        return store.get_range(*span) if span[1] % 3 else store.get(span[0])

    with closing(ZipSource(tmp_path / "x.zip")) as store, ThreadPoolExecutor(8) as pool:
        for _ in range(20):
            for (key, start, size), found in zip(spans, pool.map(part, spans), strict=True):
                assert found == (members[key][start:][:size] if start % 3 else members[key])
