"""Basic indexing: what NumPy makes of the same key."""

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as nst

from zarrdb.errors import SelectionError
from zarrdb.frame.selection import select

shapes = nst.array_shapes(min_dims=0, max_dims=4, min_side=0, max_side=6)


def apply(items: np.ndarray[Any, Any], key: object) -> Any:
    chosen = select(key, items.shape)
    slices: Any = (*(slice(r.start, r.stop, r.step) for r in chosen.box), ...)
    box = items[slices]
    assert box.shape == chosen.shape
    finish: Any = (*chosen.finish, ...)
    return box[finish]


@given(shapes, st.data())
def test_any_basic_index_is_numpys(shape: tuple[int, ...], data: st.DataObject) -> None:
    items = np.arange(np.prod(shape, dtype=int)).reshape(shape)
    key = data.draw(nst.basic_indices(shape, allow_newaxis=True))
    expected: Any = items[key]
    got = apply(items, key)
    assert got.shape == np.shape(expected)
    assert (got == expected).all()


@pytest.mark.parametrize("step", [1, 2, 7, -1, -3])
@pytest.mark.parametrize("bounds", [(None, None), (2, 8), (-3, None), (None, -4), (50, -50)])
def test_slices_are_clipped_as_numpy_does(bounds: tuple[int | None, int | None], step: int) -> None:
    items = np.arange(10)
    key = slice(*bounds, step)
    assert apply(items, key).tolist() == items[key].tolist()


@pytest.mark.parametrize(
    "key",
    [
        *(10, -11, (0, 0), (..., ...), "a", 1.5, True, [0], np.array([1]), slice(None, None, 0)),
        *(slice("a"), (None, 0, 0)),
    ],
    ids=repr,
)
def test_what_does_not_fit_is_an_index_error(key: object) -> None:
    with pytest.raises(SelectionError) as caught:
        select(key, (10,))
    assert isinstance(caught.value, IndexError)
    assert caught.value.exit_code == 2


def test_numpys_integers_are_integers() -> None:
    assert apply(np.arange(5), np.int64(-1)) == 4
