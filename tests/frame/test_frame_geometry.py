"""Chunks and blocks as arithmetic, against NumPy."""

from math import prod
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.frame.geometry import Geometry, cut, pieces, ravel, unravel

small = st.integers(1, 7)


@given(st.integers(0, 40), st.integers(1, 60), st.integers(1, 9), st.integers(1, 12))
def test_cut_gives_every_item_its_cell_and_position(
    start: int, length: int, step: int, cell: int
) -> None:
    wanted = range(start, start + length, step)
    found = [
        (number * cell + position, target.start + i)
        for number, target, inside in cut(wanted, cell)
        for i, position in enumerate(inside)
        if position < cell
    ]
    assert found == [(item, i) for i, item in enumerate(wanted)]


def test_cut_of_nothing_is_nothing() -> None:
    assert list(cut(range(5, 5), 3)) == []


@given(st.lists(small, min_size=0, max_size=4), st.data())
def test_numbers_and_coordinates_are_those_of_numpy(grid: list[int], data: st.DataObject) -> None:
    number = data.draw(st.integers(0, prod(grid) - 1))
    coordinates = unravel(number, tuple(grid))
    if grid:
        assert coordinates == tuple(int(i) for i in np.unravel_index(number, grid))
    assert ravel(coordinates, tuple(grid)) == number


@st.composite
def geometries(draw: st.DrawFn) -> Geometry:
    ndim = draw(st.integers(0, 3))
    shape = tuple(draw(st.integers(1, 20)) for _ in range(ndim))
    chunks = tuple(draw(st.integers(1, 9)) for _ in range(ndim))
    blocks = tuple(draw(st.integers(1, c)) for c in chunks)
    return Geometry(shape, chunks, blocks, 8)


@given(geometries())
def test_regions_cover_the_array_once(geometry: Geometry) -> None:
    covered = np.zeros(geometry.shape, int)
    for nchunk in range(geometry.nchunks):
        covered[geometry.region(nchunk)] += 1
    assert (covered == 1).all()


@given(geometries(), st.data())
def test_pieces_put_a_box_together(geometry: Geometry, data: st.DataObject) -> None:
    box = []
    for size in geometry.shape:
        start = data.draw(st.integers(0, size - 1))
        box.append(range(start, data.draw(st.integers(start + 1, size)), data.draw(small)))
    items = np.arange(prod(geometry.shape)).reshape(geometry.shape)
    out = np.full([len(axis) for axis in box], -1)
    for piece in pieces(tuple(box), geometry.chunks, geometry.grid):
        chunk = items[geometry.region(piece.number)]
        key: Any = (*piece.target, ...)
        out[key] = chunk[piece.source]
    assert (out == items[tuple(slice(r.start, r.stop, r.step) for r in box)]).all()


@pytest.mark.parametrize("shape", [(0,), (3, 0, 2)])
def test_an_array_without_items_has_no_chunks(shape: tuple[int, ...]) -> None:
    assert Geometry(shape, shape, shape, 4).nchunks == 0


def test_stored_chunks_are_padded_to_whole_blocks() -> None:
    geometry = Geometry((100,), (23,), (7,), 8)
    assert (geometry.nblocks, geometry.padded, geometry.chunk_nbytes) == (4, (28,), 28 * 8)
    assert geometry.nchunks == 5
