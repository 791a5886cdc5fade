"""Chunk keys: what belongs to a grid, counted without ever enumerating it."""

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_sources import MemorySource, array_v2, array_v3
from zarrdb.hierarchy import Node, lookup
from zarrdb.hierarchy.chunks import Grid

LENGTHS = st.lists(st.integers(0, 4), max_size=3).map(tuple)
STYLES = st.sampled_from([("default", "/"), ("default", "."), ("v2", "."), ("v2", "/")])
TEXTS = st.sampled_from(
    ["c", "0", "1", "2", "3", "4", "00", "01", "-1", "+1", "1.0", "٣", "", " 1", "1_0", "x"]
)


def brute_force(lengths: tuple[int, ...], encoding: str, separator: str) -> set[str]:
    """All chunk keys of a grid, by the words of the specifications."""
    if not lengths:
        return {"c" if encoding == "default" else "0"}
    keys = set()
    for index in itertools.product(*map(range, lengths)):
        parts = [str(i) for i in index]
        keys.add(separator.join(["c", *parts] if encoding == "default" else parts))
    return keys


@given(LENGTHS, STYLES, st.lists(TEXTS, max_size=5), st.sampled_from("./"))
def test_a_grid_holds_its_keys_and_no_others(
    lengths: tuple[int, ...], style: tuple[str, str], texts: list[str], glue: str
) -> None:
    grid = Grid(lengths, encoding=style[0], separator=style[1])
    keys = brute_force(lengths, *style)
    assert grid.total == len(keys)
    assert all(grid.holds(key) for key in keys)
    assert {grid.key(index) for index in itertools.product(*map(range, lengths))} == keys
    other = glue.join(texts)
    assert grid.holds(other) == (other in keys)
    index = grid.index(other)
    if index is not None:
        assert grid.key(index) == other
        assert grid.holds(other) == all(0 <= i < n for i, n in zip(index, lengths, strict=True))


@given(st.lists(st.integers(0, 2**80), min_size=1, max_size=4), STYLES, st.data())
def test_grids_of_any_size(lengths: list[int], style: tuple[str, str], data: st.DataObject) -> None:
    grid = Grid(tuple(lengths), encoding=style[0], separator=style[1])
    index = tuple(data.draw(st.integers(0, 2 * length + 1)) for length in lengths)
    key = grid.key(index)
    assert grid.index(key) == index
    assert grid.holds(key) == all(i < n for i, n in zip(index, lengths, strict=True))
    expected = 1
    for length in lengths:
        expected *= length
    assert grid.total == expected


def test_an_index_with_absurdly_many_digits_is_none() -> None:
    grid = Grid((2**62,), encoding="default", separator="/")
    assert not grid.holds("c/" + "9" * 100_000)
    assert grid.index("c/" + "9" * 100_000) is None


def only(store: dict[str, bytes]) -> Node:
    (node,) = lookup(MemorySource(store), "a")
    return node


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)), max_size=3),
    STYLES,
    st.sets(st.lists(TEXTS, min_size=1, max_size=4).map(tuple), max_size=12),
)
def test_counts_equal_a_count_by_brute_force(
    axes: list[tuple[int, int]], style: tuple[str, str], others: set[tuple[str, ...]]
) -> None:
    encoding, separator = style
    shape = tuple(size for size, _ in axes)
    chunks = tuple(chunk if size else 0 for size, chunk in axes)
    chunks = tuple(max(chunk, 1) for chunk in chunks)
    lengths = tuple(-(-size // chunk) for size, chunk in zip(shape, chunks, strict=True))
    expected = brute_force(lengths, encoding, separator)
    if encoding == "v2":
        name, document = ".zarray", array_v2(shape, chunks, dimension_separator=separator)
    else:
        settings = {"name": "default", "configuration": {"separator": separator}}
        name, document = "zarr.json", array_v3(shape, chunks, chunk_key_encoding=settings)
    present = dict.fromkeys(sorted(expected)[::2], b"12345")
    present.update({glue.join(texts): b"x" for texts in others for glue in "./"})
    present = {key: value for key, value in present.items() if key}
    node = only({f"a/{name}": document, **{f"a/{key}": value for key, value in present.items()}})
    inside = {key: value for key, value in present.items() if key in expected}
    assert node.chunks_total == len(expected)
    assert node.chunks_present == len(inside)
    assert node.stored_bytes == sum(map(len, inside.values()))
    assert node.strays == len(present) - len(inside)
    assert node.stray_bytes == sum(map(len, present.values())) - node.stored_bytes


@pytest.mark.parametrize(
    ("document", "name", "key", "wrong"),
    [
        (array_v2((), ()), ".zarray", "0", "0.0"),
        (array_v3((), ()), "zarr.json", "c", "c/0"),
        (array_v3((), (), chunk_key_encoding={"name": "v2"}), "zarr.json", "0", "c"),
    ],
)
def test_a_scalar_has_one_chunk_under_one_name(
    document: bytes, name: str, key: str, wrong: str
) -> None:
    assert only({f"a/{name}": document, f"a/{key}": b"1"}).chunks_present == 1
    node = only({f"a/{name}": document, f"a/{wrong}": b"1"})
    assert (node.chunks_present, node.chunks_total, node.strays) == (0, 1, 1)


def test_an_axis_without_items_has_no_chunks() -> None:
    assert only({"a/.zarray": array_v2((0, 3), (1, 3))}).chunks_total == 0
    assert only({"a/.zarray": array_v2((0,), (0,))}).chunks_total == 0


def test_a_grid_past_every_machine_word_is_exact() -> None:
    store = {
        "a/zarr.json": array_v3((2**31, 2**31, 2**70), (1, 1, 1)),
        "a/c/0/0/0": b"x",
        "a/c/2147483647/0/1180591620717411303423": b"x",
        "a/c/2147483648/0/0": b"x",
    }
    node = only(store)
    assert node.chunks_total == 2**132
    assert (node.chunks_present, node.strays) == (2, 1)


def test_whatever_is_told_of_a_grid_can_be_printed() -> None:
    """Python prints integers of up to 4,300 digits."""
    for ndim in (1, 2, 50, 200):
        for length in (1, 10**9, 2**70, 10**4000):
            node = only({"a/zarr.json": array_v3([length] * ndim, [1] * ndim)})
            if node.chunks_total is not None:
                assert node.chunks_total == length**ndim
                assert len(str(node.chunks_total * 8)) <= 4300
    axes = [[[1, 10**4000]], [[1, 10**4000]]]
    grid = {"name": "rectilinear", "configuration": {"chunk_shapes": axes}}
    assert only({"a/zarr.json": array_v3([1, 1], chunk_grid=grid)}).chunks_total is None


@pytest.mark.parametrize(
    ("axes", "shape", "lengths"),
    [
        ([[10, 20, 70], 25], [100, 100], (3, 4)),
        ([[[10, 3], 5, 65]], [100], (5,)),
        ([7], [50], (8,)),
    ],
)
def test_chunks_of_different_sizes_along_an_axis(
    axes: list[object], shape: list[int], lengths: tuple[int, ...]
) -> None:
    grid = {"name": "rectilinear", "configuration": {"kind": "inline", "chunk_shapes": axes}}
    node = only({"a/zarr.json": array_v3(shape, chunk_grid=grid)})
    assert node.grid is not None
    assert node.grid.lengths == lengths
    assert node.chunk_shape is None
    assert node.problem is None


@pytest.mark.parametrize("axes", [None, [[]] * 2, [[0]], [[[1]]], ["x"], [-1], [[[2, -1]]]])
def test_a_grid_that_cannot_be_understood_is_not_counted(axes: object) -> None:
    grid = {"name": "rectilinear", "configuration": {"chunk_shapes": axes}}
    node = only({"a/zarr.json": array_v3([4], chunk_grid=grid), "a/c/0": b"x"})
    assert (node.chunks_present, node.chunks_total) == (None, None)
