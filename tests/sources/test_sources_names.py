"""Which keys a target can hold, found out before anything is written."""

import os
import sys
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_sources import KEYS, has_no_file_below_a_file, tree_of
from zarrdb.errors import TargetError
from zarrdb.sources.directory_target import DirectoryTarget
from zarrdb.sources.names import misfits, name_fault, portable_fault, require_fits


def unfit(
    keys: list[str], kind: str = "directory", path: str = ".", *, portable: bool = False
) -> set[str]:
    return {key for key, _ in misfits(sorted(keys), kind, path, portable=portable)}


@pytest.mark.parametrize("kind", ["directory", "zip", "tar"])
def test_what_no_target_holds(kind: str) -> None:
    bad = [
        "",
        "/a",
        "a/",
        "a//b",
        "..",
        "a/../b",
        ".",
        "a/./b",
        "a\0b",
        "..\\x",
        "a/..\\b",
        "\\\\host\\x",
    ]
    bad += ["C:/x", "c:\\x", "a\ud800"]
    good = [
        "a",
        "zarr.json",
        "...",
        "..a",
        "a..",
        "back\\slash",
        "a:b",
        "c:0/x",
        "100%",
        "é",
        "-rf",
        "~",
    ]
    assert unfit([*bad, *good], kind) == set(bad)


def test_a_file_cannot_be_a_folder_but_in_an_archive() -> None:
    keys = ["a", "a-b", "a/b", "a/b/c", "b/c"]
    assert unfit(keys) == {"a", "a/b"}
    assert unfit(keys, "zip") == set()
    assert unfit(keys, "zip", portable=True) == {"a", "a/b"}


def test_names_and_paths_that_are_too_long(tmp_path: Path) -> None:
    name, deep = "n" * 300, "/".join(["k" * 100] * 50)
    wide = "é" * 130
    levels = "/".join(f"d{i:03}" for i in range(200))
    keys = [f"{name}/zarr.json", deep, f"{wide}/zarr.json", f"{levels}/zarr.json", "a/zarr.json"]
    found = unfit(keys, path=str(tmp_path / "x"))
    assert f"{name}/zarr.json" in found
    assert deep in found
    assert "a/zarr.json" not in found
    if sys.platform == "linux":
        assert f"{wide}/zarr.json" in found
        assert f"{levels}/zarr.json" not in found
    assert unfit(keys, "zip") == set()


@pytest.mark.parametrize(
    "key",
    [
        *("aux", "CON/zarr.json", "a/nul.json", "com1", "LPT9.x", "COM¹", "conout$", "aux .txt"),
        *(
            "trail.",
            "trail /x",
            "a:b",
            "a*b",
            'say"hi"',
            "q?m",
            "a|b",
            "a<b",
            "back\\slash",
            "a\tb",
        ),
        *("x" * 300, "é" * 130, "a/" * 130 + "b"),
    ],
)
def test_what_windows_or_macos_cannot_hold(key: str) -> None:
    assert portable_fault(key)
    assert unfit([key], "zip", portable=True) == {key}


@pytest.mark.parametrize(
    "key",
    [
        "zarr.json",
        ".zarray",
        "auxiliary",
        "com10",
        "a b",
        "a.b",
        "100%",
        "[ab]",
        "#",
        "k=v",
        "~",
        "c/0/0",
    ],
)
def test_what_they_can_hold(key: str) -> None:
    assert portable_fault(key) is None
    assert name_fault(key) is None


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("A/x", "a/x"),
        ("a/B/x", "a/b/y"),
        ("STRASSE", "stra\u00dfe"),
        ("e\u0301", "\u00e9"),
        ("ab", "aB"),
        ("k", "\u212a"),
        ("C.0.0", "c.0.0"),
        ("a/C/0", "a/c/0"),
    ],
)
def test_names_that_differ_by_case_or_normalisation(first: str, second: str) -> None:
    assert len(unfit([first, second], "zip", portable=True)) == 1
    assert unfit([first, second], "zip") == set()
    # In different folders they do not meet.
    assert unfit([f"1/{first}", f"2/{second}"], "zip", portable=True) == set()


def test_a_place_that_ignores_case_is_found_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    exists = os.path.exists

    def ignoring_case(path: str) -> bool:
        folder, name = os.path.split(path)
        return exists(path) or name.lower() in map(str.lower, os.listdir(folder))

    assert unfit(["A", "a"], path=str(tmp_path / "x")) == set() or sys.platform != "linux"
    monkeypatch.setattr("os.path.exists", ignoring_case)
    assert unfit(["A", "a"], path=str(tmp_path / "x")) == {"a"}
    assert list(tmp_path.iterdir()) == []


def test_the_error_lists_what_does_not_fit() -> None:
    keys = sorted([f"a/../{i:02}" for i in range(30)] + ["ok"])
    with pytest.raises(TargetError) as caught:
        require_fits(keys, "directory", "x.zarr")
    message = caught.value.message
    assert message.startswith("x.zarr: cannot hold 30 keys; nothing was written:\n  a/../00: ")
    assert message.endswith("… and 10 more")
    assert caught.value.hint
    require_fits(["ok", "zarr.json"], "directory", "x.zarr")


def test_a_million_chunks_take_no_memory() -> None:
    import tracemalloc

    keys = (f"a/c/{i // 1000:03}/{i % 1000:03}" for i in range(100_000))
    tracemalloc.start()
    try:
        assert list(misfits(keys, "directory", ".", portable=True)) == []
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


@given(st.sets(KEYS | st.text("ab.\\/:\0", max_size=5), max_size=10))
def test_what_fits_can_be_written(tmp_path_factory: pytest.TempPathFactory, keys: set[str]) -> None:
    folder = tmp_path_factory.mktemp("names")
    path = folder / "x"
    bad = unfit(sorted(keys), path=str(path))
    good = sorted(keys - bad)
    assert has_no_file_below_a_file(good)
    with DirectoryTarget(path) as target:
        for key in good:
            target.write(key, len(key.encode()), (key.encode(),))
        target.commit()
    assert tree_of(path) == {key: key.encode() for key in good}
    assert os.listdir(folder) == ["x"]
