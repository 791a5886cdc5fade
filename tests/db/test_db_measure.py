"""The size of a file that has not been written yet."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.db.bulk import BulkWriter
from zarrdb.db.front import MOST_KEYS
from zarrdb.db.limits import PAGE_SIZES
from zarrdb.db.measure import file_size, require_row
from zarrdb.errors import ValueTooLargeError

Rows = list[tuple[str, int]]


def written_size(folder: Path, rows: Rows, page_size: int, records: dict[str, str]) -> int:
    path = folder / "x.zarrdb"
    path.write_bytes(b"")
    with BulkWriter(str(path), page_size=page_size, rows=rows) as writer:
        writer.put_many((key, bytes(size)) for key, size in rows)
        writer.finish(records)
    return path.stat().st_size


def layout(count: int, *sizes: int, key: str = "array/c/{}") -> Rows:
    documents = [("zarr.json", 300), ("array/zarr.json", 900)]
    return documents + [(key.format(n), sizes[n % len(sizes)]) for n in range(count)]


LAYOUTS = {
    "nothing": [],
    "one document": [("zarr.json", 60)],
    "few and small": layout(25, 200),
    "a page or more": layout(300, 4000, 4080, 5000, 8180),
    "large": layout(40, 100_000, 1_000_003),
    "of all sizes": layout(800, *range(1, 12_000, 97)),
    "many and tiny": layout(30_000, 0, 1, 30),
    "long keys": layout(2000, 10, key="array/" + "k" * 180 + "/{}"),
    "above two levels": layout(12_000, 3000),
}


@pytest.mark.parametrize("page_size", PAGE_SIZES)
@pytest.mark.parametrize("name", LAYOUTS)
def test_it_is_the_size_that_is_written(tmp_path: Path, name: str, page_size: int) -> None:
    rows, records = LAYOUTS[name], {"modified_at": "2026-11-30T04:00:00Z"}
    predicted = file_size(iter(rows), page_size, records)
    real = written_size(tmp_path, rows, page_size, records)
    # Of small pages and long keys SQLite builds the index itself.
    assert predicted == real or (
        page_size < 2048 and abs(predicted - real) <= max(4 * page_size, 0.03 * real)
    )


keys = st.text("abc/é", min_size=1, max_size=60).filter(lambda key: "//" not in f"/{key}/")


@given(
    st.dictionaries(keys, st.integers(0, 20_000), max_size=60),
    st.sampled_from([4096, 8192, 65536]),
)
def test_whatever_the_rows(tmp_path: Path, sizes: dict[str, int], page_size: int) -> None:
    rows = list(sizes.items())
    assert file_size(rows, page_size, {}) == written_size(tmp_path, rows, page_size, {})


@pytest.mark.parametrize("key", ["a/c/{}", "a/much/longer/name/of/an/array/c/{}/0/0/0"])
def test_more_keys_than_are_remembered(tmp_path: Path, key: str) -> None:
    rows = layout(MOST_KEYS + 20_000, 50, key=key)
    real = written_size(tmp_path, rows, 4096, {})
    assert abs(file_size(rows, 4096, {}) - real) < 0.01 * real


@pytest.mark.parametrize("page_size", [4096, 16384])
def test_keys_that_are_too_long_for_the_front(tmp_path: Path, page_size: int) -> None:
    rows = layout(300, 50, key="array/" + "k" * 6000 + "/{}")
    real = written_size(tmp_path, rows, page_size, {})
    assert abs(file_size(rows, page_size, {}) - real) < 0.1 * real


def test_many_records(tmp_path: Path) -> None:
    records = {f"record {n}": "x" * 100 * n for n in range(60)}
    real = written_size(tmp_path, [], 4096, records)
    assert abs(file_size([], 4096, records) - real) <= 3 * 4096
    assert os.listdir(tmp_path) == ["x.zarrdb"]


def test_what_no_row_can_hold() -> None:
    require_row("key", 999_999_000)
    with pytest.raises(ValueTooLargeError, match="key: "):
        require_row("key", 1_000_000_000)
