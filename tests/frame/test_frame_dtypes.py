"""Data types are read as data: nothing is run, nothing with pointers gets through."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from helpers_frame import DTYPES
from zarrdb.frame.dtypes import format_dtype, parse_dtype


@pytest.mark.parametrize("dtype", [np.dtype(one) for one in DTYPES], ids=str)
def test_every_type_reads_back(dtype: np.dtype[np.void]) -> None:
    assert parse_dtype(format_dtype(dtype)) == dtype


@pytest.mark.parametrize(
    "text",
    [
        *("|O8", "O", "object", "T", "zz9", "", " ", "S0", "V0", "(2,3)f4", "[('a', 'O')]"),
        *("[('a', '<i4'", "[" * 5000, "{'names': ['a'], 'formats': ['O']}", "[1, 2]", "()", "[]"),
        *("__import__('os').getpid()", "[('a', __import__('os').system('true'))]"),
        *("f4" * 40_000, "\0", "i4\n", "S99999999999999"),
    ],
    ids=lambda text: ascii(text[:20]),
)
def test_anything_else_is_a_value_error(text: str) -> None:
    with pytest.raises(ValueError, match=r"."):
        parse_dtype(text)


@given(st.text(max_size=40) | st.text("[('<i4ab,)]{}:\"O", max_size=30))
def test_no_text_does_more_than_raise_value_error(text: str) -> None:
    try:
        dtype = parse_dtype(text)
    except ValueError:
        return
    assert not dtype.hasobject
    assert dtype.itemsize > 0
