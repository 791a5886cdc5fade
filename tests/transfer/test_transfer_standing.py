"""Files that several writers write one after the other, each going on where one stopped."""

import json
import random
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from zarrdb.db import front
from zarrdb.db.bulk import BulkWriter
from zarrdb.db.standing import Standing

Rows = list[tuple[str, bytes]]
RECORDS = {"modified_at": "2026-01-01T00:00:00.000Z"}


def whole(path: Path, rows: Rows, page_size: int) -> bytes:
    path.write_bytes(b"")
    sizes = [(key, len(value)) for key, value in rows]
    with BulkWriter(str(path), page_size=page_size, rows=sizes) as writer:
        writer.put_many(rows)
        writer.finish(RECORDS)
    return path.read_bytes()


def in_steps(path: Path, rows: Rows, page_size: int, stops: list[int], lost: int) -> bytes:
    """Each writer settles after some rows, writes `lost` more of them, and is gone."""
    path.write_bytes(b"")
    sizes = [(key, len(value)) for key, value in rows]
    standing: Standing | None = None
    for stop in sorted(stops):
        start = standing.rows if standing else 0
        with BulkWriter(str(path), page_size=page_size, rows=sizes, standing=standing) as writer:
            writer.put_many(rows[start:stop])
            step = writer.settle().since(standing or Standing())
            writer.put_many(rows[stop : stop + lost])
            if lost > len(rows):
                writer.finish({"modified_at": "another", "more": "x" * 5000})
        standing = (standing or Standing()).after(json.loads(json.dumps(step)))
    with BulkWriter(str(path), page_size=page_size, rows=sizes, standing=standing) as writer:
        writer.put_many(rows[standing.rows if standing else 0 :])
        writer.finish(RECORDS)
    return path.read_bytes()


def some_rows(count: int, largest: int, *, seed: int) -> Rows:
    numbers = random.Random(seed)
    documents = [(f"g{n}/zarr.json", numbers.randbytes(200)) for n in range(count // 10)]
    chunks = [
        (f"g0/c/{n}", numbers.randbytes(numbers.choice([3, 90, largest]))) for n in range(count)
    ]
    return documents + chunks


@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(0, 120),
    largest=st.integers(0, 20_000),
    page_size=st.sampled_from([512, 4096]),
    stops=st.lists(st.floats(0, 1), max_size=4),
    lost=st.integers(0, 200),
    in_front=st.booleans(),
)
def test_the_file_is_that_of_one_writer(
    tmp_path_factory: pytest.TempPathFactory,
    count: int,
    largest: int,
    page_size: int,
    stops: list[float],
    lost: int,
    in_front: bool,
) -> None:
    folder = tmp_path_factory.mktemp("standing")
    rows = some_rows(count, largest, seed=count)
    places = [round(stop * len(rows)) for stop in stops]
    with pytest.MonkeyPatch.context() as patch:
        if not in_front:
            patch.setattr(front, "MOST_KEYS", -1)
        expected = whole(folder / "whole", rows, page_size)
        assert in_steps(folder / "steps", rows, page_size, places, lost) == expected


def test_values_in_pieces(tmp_path: Path) -> None:
    rows = [("zarr.json", b"{}"), *((f"c/{n}", bytes([n]) * 300_000) for n in range(6))]
    expected = whole(tmp_path / "whole", rows, 4096)
    assert in_steps(tmp_path / "steps", rows, 4096, [1, 2, 5], 3) == expected
