"""The page parser: right on real pages, quiet on any others."""

import os
from contextlib import suppress
from pathlib import Path

import apsw
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_remote import write_plain
from zarrdb.db import pages
from zarrdb.db.header import SIZE
from zarrdb.db.header import parse as parse_header
from zarrdb.db.runs import Gaps, find_row

ANY_PAGE = st.builds(
    lambda kind, data: bytes([kind]) + data,
    st.sampled_from([0, 2, 5, 10, 13]),
    st.binary(min_size=511, max_size=1023),
)


@given(st.integers(1, 2), ANY_PAGE, st.integers(480, 1024))
def test_any_bytes_are_parsed_or_left_alone(number: int, data: bytes, usable: int) -> None:
    page = pages.parse(number, data, usable)
    if page is None:
        return
    assert len(page.children()) == (0 if page.is_leaf else page.count + 1)
    gaps = Gaps(page, 0, 512)
    for index in range(page.count):
        cell = page.cell(index)
        if cell is None:
            continue
        assert len(cell.local) <= len(data)
        assert pages.overflow_pages(cell, usable) >= 0
        if not page.is_table:
            with suppress(IndexError, ValueError):
                pages.terms(cell)
    if not page.is_leaf and page.is_table:
        for index in range(-1, min(page.count + 2, 20)):
            for run in gaps.guess(index, index * 3):
                assert len(run) * 512 <= 4 << 20
    assert 0 <= find_row(page, 7) <= page.count


@given(st.integers(-(2**63), 2**63 - 1))
def test_numbers_of_variable_length(value: int) -> None:
    data = _varint(value)
    assert pages.varint(b"\xff" + data + b"\xff", 1) == (value, 1 + len(data))
    with pytest.raises(IndexError):
        pages.varint(data[:-1], 0)


@given(st.integers(0, 2**31), st.sampled_from([480, 512, 1024, 4096, 65536 - 7]), st.booleans())
def test_a_record_leaves_a_number_of_bytes_on_its_page_that_fits(
    size: int, usable: int, is_table: bool
) -> None:
    local = pages.local_size(size, usable, is_table=is_table)
    most = usable - 35 if is_table else (usable - 12) * 64 // 255 - 23
    assert 0 <= local <= min(size, most)
    assert (local == size) == (size <= most)


@pytest.mark.parametrize("page_size", [512, 4096, 65536])
@pytest.mark.parametrize("encoding", ["UTF-8", "UTF-16le", "UTF-16be"])
def test_every_row_of_a_real_file_is_found(tmp_path: Path, page_size: int, encoding: str) -> None:
    path = str(tmp_path / "x.zarrdb")
    rows = [(f"a/{i % 7}/ключ{i}" + "k" * (i % 90), os.urandom(i * 37 % 9000)) for i in range(400)]
    write_plain(path, rows, page_size=page_size, encoding=encoding)
    file = _File(path)
    found: dict[int, pages.Cell] = {}
    for page in file.tree(file.roots["table"]):
        for index in range(page.count if page.is_leaf else 0):
            cell = page.cell(index)
            assert cell is not None
            found[cell.rowid] = cell
    keys: dict[bytes, int | None] = {}
    for page in file.tree(file.roots["index"]):
        for index in range(page.count):
            cell = page.cell(index)
            assert cell is not None
            (kind, text), rowid = pages.terms(cell)
            assert kind == 1
            keys[text] = rowid
    codec = {"UTF-8": "utf-8", "UTF-16le": "utf-16-le", "UTF-16be": "utf-16-be"}[encoding]
    expected = dict(file.connection.execute("SELECT k, rowid FROM zarr"))
    # A key that does not fit on an index page is known by its beginning only.
    for key, rowid in expected.items():
        encoded = key.encode(codec)
        known = [r for text, r in keys.items() if text == encoded]
        cut = [r for text, r in keys.items() if encoded.startswith(text) and r is None]
        assert rowid in known or cut
    for key, value in rows:
        cell = found[expected[key]]
        assert cell.size > len(value)
        assert (cell.overflow > 0) == (cell.size > len(cell.local))


class _File:
    """A database file, page by page."""

    def __init__(self, path: str) -> None:
        with open(path, "rb") as file:
            self.data = file.read()
        header = parse_header(self.data[:SIZE])
        assert header is not None
        self.page_size = header.page_size
        self.usable = header.page_size - header.reserved
        self.connection = apsw.Connection(path, flags=apsw.SQLITE_OPEN_READONLY)
        self.roots = dict(
            self.connection.execute(
                "SELECT type, rootpage FROM sqlite_schema WHERE tbl_name = 'zarr'"
            )
        )

    def tree(self, number: int) -> list[pages.Page]:
        start = (number - 1) * self.page_size
        page = pages.parse(number, self.data[start : start + self.page_size], self.usable)
        assert page is not None
        return [page] + [p for child in page.children() for p in self.tree(child)]


def _varint(value: int) -> bytes:
    value &= (1 << 64) - 1
    if value >> 56:
        groups = [value & 0xFF]
        value >>= 8
        groups += [0x80 | value >> 7 * i & 0x7F for i in range(8)]
        return bytes(reversed(groups))
    groups = [value & 0x7F]
    while value := value >> 7:
        groups.append(0x80 | value & 0x7F)
    return bytes(reversed(groups))
