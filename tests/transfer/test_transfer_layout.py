"""The order of rows and the size of pages."""

import os
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_transfer import rows_of
from zarrdb.db.bulk import BulkWriter
from zarrdb.db.sorter import RankSorter
from zarrdb.keys import is_document
from zarrdb.layout import PAGE_SIZES, Sizes, grid_rank, key_rank, plan, score

coordinates = st.lists(st.integers(0, 10**12), min_size=1, max_size=4)


@given(one=coordinates, other=coordinates, style=st.sampled_from(["/", "."]))
def test_chunks_sort_by_the_numbers_of_their_coordinates(
    one: list[int], other: list[int], style: str
) -> None:
    other = (other * 4)[: len(one)]

    def key(numbers: list[int]) -> str:
        return "a/c" + style + style.join(map(str, numbers))

    assert (grid_rank(key(one)) < grid_rank(key(other))) == (one < other)


@given(one=coordinates, other=coordinates)
def test_chunks_of_zarr_2_too(one: list[int], other: list[int]) -> None:
    other = (other * 4)[: len(one)]
    ranks = [grid_rank("a/" + ".".join(map(str, numbers))) for numbers in (one, other)]
    assert (ranks[0] < ranks[1]) == (one < other)


def test_the_order_of_a_whole_file() -> None:
    keys = [
        *("zarr.json", "a/.zattrs", "a/.zarray", "a/zarr.json", "a/b/zarr.json", "a-b/zarr.json"),
        *("a/0.2", "a/0.10", "a/10.0", "a/b/c/2/9", "a/b/c/2/10", "a/b/c/10/0", "a/notes.txt"),
        *("a-b/c/0", "b/c", "b/c.9", "b/c.10", "b/01"),
    ]
    expected = [
        *("zarr.json", "a/.zarray", "a/.zattrs", "a/zarr.json", "a/b/zarr.json", "a-b/zarr.json"),
        *("a/0.2", "a/0.10", "a/10.0", "a/b/c/2/9", "a/b/c/2/10", "a/b/c/10/0", "a/notes.txt"),
        *("a-b/c/0", "b/01", "b/c", "b/c.9", "b/c.10"),
    ]
    assert sorted(keys, key=grid_rank) == expected


@given(st.lists(st.text(st.characters(exclude_categories=["Cs"]), max_size=12), unique=True))
def test_any_keys_have_an_order_with_documents_first(keys: list[str]) -> None:
    keys += ["zarr.json", "x/.zarray"]
    ordered = sorted(set(keys), key=grid_rank)
    flags = [is_document(key) for key in ordered]
    assert flags == sorted(flags, reverse=True)


@pytest.mark.parametrize(
    ("size", "count", "expected"),
    [
        (8192, 20_000, 4096),
        (1 << 20, 600, 16384),
        (100, 10_000, 4096),
        (300 << 20, 3, 16384),
        (10_000, 5000, 8192),
        (0, 100, 4096),
    ],
)
def test_the_page_size_follows_the_values(size: int, count: int, expected: int) -> None:
    sizes = Sizes()
    sizes.add([(f"a/c/{n}", size, 0) for n in range(count)])
    assert sizes.page_size() == expected


@pytest.mark.parametrize("page_size", PAGE_SIZES)
@pytest.mark.parametrize("size", [100, 3000, 8192, 20_000, 100_000])
def test_the_size_of_a_file_is_known_beforehand(tmp_path: Path, page_size: int, size: int) -> None:
    entries = [(f"array/c/{n}", size, 0) for n in range(3_000_000 // size)]
    sizes = Sizes()
    sizes.add(entries)
    path = tmp_path / "x.zarrdb"
    path.write_bytes(b"")
    with BulkWriter(str(path), page_size=page_size) as writer:
        writer.put_many((key, bytes(size)) for key, size, _ in entries)
        writer.finish({})
    assert 0.97 < sizes.file_size(page_size) / os.path.getsize(path) < 1.08
    assert sizes.bytes < os.path.getsize(path)


def test_little_is_wasted_whatever_the_sizes() -> None:
    for size in (*range(2000, 40_000, 1777), *range(40_000, 2_000_000, 99_991)):
        sizes = Sizes()
        sizes.add([(f"a/c/{n}", size, 0) for n in range(1000)])
        assert sizes.file_size(sizes.page_size()) < 1.25 * sizes.bytes


def test_more_entries_than_memory_keeps_are_sorted_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(RankSorter, "IN_MEMORY", 100)
    entries = [(f"a/c/{n}", n, n % 3) for n in range(2500)]
    with plan(reversed(entries), temp_dir=str(tmp_path)) as planned:
        assert planned.keys == 2500
        assert [tuple(entry) for entry in planned] == entries
        assert [tuple(entry) for entry in planned] == entries
        by_hand = sum(size for _, size, _ in entries)
        assert planned.bytes == by_hand
    assert os.listdir(tmp_path) == []


def test_exports_are_planned_in_code_point_order(tmp_path: Path) -> None:
    keys = ["zarr.json", "a/c/10", "a/c/9", "a/\U0001f600", "a/￿"]
    entries = [(key, 0, 0) for key in keys]
    with plan(entries, temp_dir=str(tmp_path), rank=key_rank) as planned:
        assert [entry.key for entry in planned] == sorted(keys)


def test_the_score_of_a_new_file_is_good_and_of_a_random_one_is_not(tmp_path: Path) -> None:
    import random
    import sqlite3

    path = tmp_path / "x.zarrdb"
    path.write_bytes(b"")
    rows = {"zarr.json": b"{}" * 20} | {f"a/c/{n}": bytes(50_000) for n in range(300)}
    sizes = [(key, len(value)) for key, value in rows.items()]
    with BulkWriter(str(path), page_size=4096, rows=sizes) as writer:
        writer.put_many(rows.items())
        writer.finish({})
    chunks = ["a/c/17", "a/c/150", "a/c/299"]
    good = score(str(path), chunks)
    assert good.opening <= 2
    assert 1 <= good.chunk <= 2
    # Freed pages are handed out backwards and in pieces.
    connection = sqlite3.connect(path)
    numbers = random.Random(1)
    for _ in range(3):
        with connection:
            for key in numbers.sample(sorted(rows), 200):
                connection.execute("DELETE FROM zarr WHERE k = ?", (key,))
                connection.execute(
                    "INSERT INTO zarr VALUES (?, zeroblob(?))", (key, numbers.randrange(90_000))
                )
    connection.close()
    assert score(str(path), chunks).chunk > good.chunk
    assert len(rows_of(path)) == 301
