"""Shard indexes, held against those that are made to be wrong."""

import struct
from collections.abc import Sequence

import google_crc32c
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.encoded import shard_index

ABSENT = (2**64 - 1, 2**64 - 1)


def index(pairs: Sequence[tuple[int, int]], *, checksum: bool = True) -> bytes:
    data = b"".join(struct.pack("<QQ", *pair) for pair in pairs)
    if checksum:
        data += struct.pack("<I", google_crc32c.value(data))
    return data


def kind(pairs: Sequence[tuple[int, int]], size: int, *, at_start: bool = False) -> str | None:
    fault = shard_index.fault(index(pairs), size, checksum=True, at_start=at_start)
    return fault.kind if fault else None


def test_entries_are_numbered_in_c_order_and_absent_ones_left_out() -> None:
    stored = list(shard_index.entries(index([(0, 5), ABSENT, (5, 3)])))
    assert stored == [(0, 0, 5), (2, 5, 3)]
    assert shard_index.index_size(3, checksum=True) == 52


@given(sizes=st.lists(st.integers(1, 100), max_size=20), at_start=st.booleans())
def test_a_written_index_has_no_fault(sizes: list[int], *, at_start: bool) -> None:
    offset = shard_index.index_size(len(sizes), checksum=True) if at_start else 0
    pairs = []
    for size in sizes:
        pairs.append((offset, size))
        offset += size
    total = sum(sizes) + shard_index.index_size(len(sizes), checksum=True)
    assert kind(pairs, total, at_start=at_start) is None


@pytest.mark.parametrize(
    ("pairs", "size", "expected"),
    [
        ([(0, 10), (5, 10)], 15 + 36, "overlap"),
        ([(0, 10), (10, 10)], 15 + 36, "outside"),
        ([(0, 10), (2**64 - 1, 10)], 100, "half-absent"),
        ([(2**63, 2**63), ABSENT], 100, "outside"),
        ([(0, 10), (0, 10)], 10 + 36, None),
        ([ABSENT, ABSENT], 36, None),
    ],
)
def test_faults(pairs: list[tuple[int, int]], size: int, expected: str | None) -> None:
    assert kind(pairs, size) == expected


def test_an_index_at_the_start_reserves_its_own_place() -> None:
    assert kind([(0, 10)], 40, at_start=True) == "outside"
    assert kind([(20, 10)], 30, at_start=True) is None


def test_a_changed_byte_breaks_the_checksum() -> None:
    data = bytearray(index([(0, 5)]))
    data[0] ^= 1
    fault = shard_index.fault(bytes(data), 25, checksum=True, at_start=False)
    assert fault is not None
    assert fault.kind == "checksum"
