"""What nobody gives to a new frame, who compresses it, and who looks at it before it appears."""

import os
import sys
from pathlib import Path
from typing import Any

import blosc2  # type: ignore[import-untyped]
import numpy as np
import pytest

from helpers_frame import items_of, opened
from zarrdb import frame
from zarrdb.errors import VerificationError

FILLS: list[tuple[Any, Any]] = [
    ("<i4", 0),
    ("<i4", 7),
    (">i4", 7),
    ("<f4", np.nan),
    ("<f8", np.nan),
    (">f8", np.nan),
    ("<f2", np.nan),
    ("<f8", -0.0),
    ("S5", b"abc"),
    ("<U3", "é"),
    ("<M8[s]", np.datetime64("NaT", "s")),
    ("?", True),
    ([("a", "<i2"), ("b", ">f4")], (3, 1.5)),
]


@pytest.mark.parametrize(("dtype", "value"), FILLS, ids=str)
@pytest.mark.parametrize("given", [[], [4], range(9)], ids=["none", "one", "all"])
def test_chunks_that_are_left_out_hold_the_fill_value(
    dtype: Any, value: Any, given: Any, tmp_path: Path
) -> None:
    fill = np.array(value, np.dtype(dtype))
    expected = np.full((10, 11), fill[()], fill.dtype)
    items = items_of(fill.dtype, (10, 11))
    path = tmp_path / "a.b2nd"
    source = opened_geometry(items)
    for number in given:
        expected[source.region(number)] = items[source.region(number)]
    frame.write_frame(
        path,
        [(number, items[source.region(number)]) for number in given],
        shape=items.shape,
        dtype=items.dtype,
        chunks=(4, 4),
        fill_value=fill[()],
    )
    data = path.read_bytes()
    found = opened(data)
    assert found.read().tobytes() == expected.tobytes()
    assert frame.inspect(found.state._reader, data=True).problems == ()
    assert all(found.written(number) for number in range(9))
    assert blosc2.open(str(path), mode="r")[...].tobytes() == expected.tobytes()


def opened_geometry(items: Any) -> Any:
    return frame.Frame(ReaderOf(blosc2.asarray(items, chunks=(4, 4)).to_cframe())).geometry


class ReaderOf:
    """A reader of bytes in memory, without any counting."""

    name = "memory"

    def __init__(self, data: bytes) -> None:
        self.data = data
        self.size = len(data)

    def read_ranges(self, spans: list[tuple[int, int]]) -> list[bytes]:
        return [self.data[offset : offset + size] for offset, size in spans]

    def head_tail(self, head: int, tail: int) -> tuple[bytes, bytes]:
        return self.data[:head], self.data[-tail:]


def write(path: Path, **options: Any) -> None:
    items = items_of("<f8", (100, 100))
    cells = opened_geometry(items)
    frame.write_frame(
        path,
        ((n, items[cells.region(n)]) for n in range(cells.nchunks)),
        shape=items.shape,
        dtype=items.dtype,
        chunks=(4, 4),
        **options,
    )


def test_the_bytes_do_not_depend_on_the_threads(tmp_path: Path) -> None:
    write(tmp_path / "1.b2nd")
    write(tmp_path / "5.b2nd", threads=5)
    assert (tmp_path / "1.b2nd").read_bytes() == (tmp_path / "5.b2nd").read_bytes()


def test_a_frame_is_looked_at_before_it_appears(tmp_path: Path) -> None:
    path = tmp_path / "a.b2nd"
    seen = []

    def check(place: str) -> None:
        seen.append(opened(Path(place).read_bytes()).shape)
        assert not path.exists()
        raise VerificationError("no good")

    with pytest.raises(VerificationError):
        write(path, check=check)
    assert seen == [(100, 100)]
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="POSIX modes")
def test_a_frame_that_is_replaced_leaves_its_mode(tmp_path: Path) -> None:
    path = tmp_path / "a.b2nd"
    write(path)
    path.chmod(0o640)
    write(path, overwrite=True)
    assert os.stat(path).st_mode & 0o777 == 0o640


def test_attributes_are_told_apart_by_what_a_frame_can_hold() -> None:
    given = {"a": 1, "n" * 32: 2, "big": 1 << 70, "\ud800": 3, "list": [1, {"x": None}]}
    kept, left_out = frame.storable(given)
    assert kept == {"a": 1, "list": [1, {"x": None}]}
    assert left_out == ["n" * 32, "big", "\ud800"]
