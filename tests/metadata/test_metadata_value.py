"""JSON values: what is fit, parts put in another's place, and texts that tell values apart."""

import copy
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from zarrdb.jsontext import MAX_DEPTH
from zarrdb.metadata import reasons
from zarrdb.metadata.value import is_fit, refined, replaced, text_of, without
from zarrdb.metadata.value import unfit_attributes as unfit

scalars = st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=3)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=2), inner),
)


def places(value: Any, loc: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """The locations of all numbers that are not finite."""
    if isinstance(value, float):
        return [] if math.isfinite(value) else [loc]
    items: Any = enumerate(value) if isinstance(value, list) else ()
    if isinstance(value, dict):
        items = value.items()
    return [place for step, item in items for place in places(item, (*loc, step))]


def nested(levels: int) -> Any:
    value: Any = 0
    for _ in range(levels):
        value = [value]
    return value


@given(values)
def test_every_number_that_is_not_finite_is_found(value: Any) -> None:
    problems = refined(value)
    assert [problem.loc for problem in problems] == places(value)
    assert all(problem.reason == reasons.NOT_FINITE for problem in problems)
    assert is_fit(value) == (not problems)
    assert unfit(value) == ()


@pytest.mark.parametrize("above", [0, 1, 2])
def test_depth_counts_from_the_root_of_the_document(above: int) -> None:
    fit = nested(MAX_DEPTH - above)
    assert is_fit(fit, above)
    assert is_fit([1.5, fit[0]], above)
    (problem,) = refined([fit], above)
    assert problem.loc == (0,) * (MAX_DEPTH - above)
    assert problem.reason == reasons.TOO_DEEP
    assert unfit([fit], above) == (problem,)
    assert not is_fit(nested(100_000))


@pytest.mark.parametrize("other", [{1}, b"x", object(), 1j])
def test_what_json_does_not_have_is_found(other: Any) -> None:
    (problem,) = refined({"a": [other]})
    assert (problem.loc, problem.kind) == (("a", 0), "invalid_type")
    assert problem.reason == reasons.NOT_JSON


def test_subclasses_of_json_types_are_json() -> None:
    class Name(str):
        __slots__ = ()

    assert is_fit({"a": Name("x"), "b": (1, 2)})


@given(values, values)
def test_parts_are_replaced_without_touching_the_original(value: Any, part: Any) -> None:
    before = copy.deepcopy(value)
    held = {"a": [value, {"b": value}], "c": value}
    changed = replaced(held, {("a", 1, "b"): part, ("a", 0): part})
    assert text_of(changed) == text_of({"a": [part, {"b": part}], "c": value})
    assert text_of(held) == text_of({"a": [before, {"b": before}], "c": before})


def test_members_are_left_out() -> None:
    held = {"a": {"b": 1, "c": 2}, "d": 3}
    assert without(held, [("a", "b"), ("d",)]) == {"a": {"c": 2}}
    assert held == {"a": {"b": 1, "c": 2}, "d": 3}


@pytest.mark.parametrize(
    ("one", "other"), [(1, 1.0), (1, True), (0.0, -0.0), ("1", 1), ([], {}), (None, False)]
)
def test_texts_keep_values_apart(one: Any, other: Any) -> None:
    assert text_of(one) != text_of(other)


def test_texts_are_equal_where_values_are() -> None:
    assert text_of({"b": (1, 2), "a": 1}) == text_of({"a": 1, "b": [1, 2]})
