"""Shapes compiled to checks."""

from collections.abc import Mapping
from typing import Annotated, Any, Literal, NotRequired

import pytest
from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import FieldOf, Ge, Interval, JSONValue, Le, compiled, reasons
from zarrdb.metadata.shape import MemberOf, ObjectOf


class Closed(TypedDict, closed=True):
    level: ReadOnly[Annotated[int, Interval(ge=0, le=9)]]
    name: NotRequired[str | None]


class Unsaid(TypedDict):
    level: int


class Open(TypedDict, closed=False):
    level: int


class Extra(TypedDict, extra_items=int):  # type: ignore[call-arg]
    level: NotRequired[str]


class Above:
    """A bound of somebody else's, read by its attribute."""

    def __init__(self, gt: float) -> None:
        self.gt = gt


def said(shape: Any, value: Any) -> list[tuple[Any, ...]]:
    return [(each.loc, each.kind, each.reason) for each in compiled(shape).check(value)]


@pytest.mark.parametrize(
    ("shape", "value"),
    [
        (int, 5),
        (int, 10**400),
        (float, 5),
        (float, 5.5),
        (str, ""),
        (bool, False),
        (None, None),
        (JSONValue, {"a": [None]}),
        (Any, 5),
        (int | None, None),
        (Literal[-1, 0, 1] | bool, True),
        (tuple[int, ...], []),
        (list[int], (1, 2)),
        (tuple[int, str], [1, "a"]),
        (Mapping[str, int], {"a": 1}),
        (dict[str, int], {}),
        (Closed, {"level": 9}),
        (Closed, {"name": None, "level": 0}),
        (Open, {"level": 0, "more": []}),
        (Extra, {"more": 1}),
        (Annotated[int, Above(0)], 1),
        (Annotated[float, Ge(1), Le(2)], 1.5),
        (ObjectOf((MemberOf("a", int, required=True),), JSONValue), {"a": 1, "b": 2}),
    ],
)
def test_values_of_a_shape_are_clean(shape: Any, value: Any) -> None:
    assert compiled(shape).check(value) == ()


@pytest.mark.parametrize(
    ("shape", "value", "expected"),
    [
        (int, True, [((), "invalid_type", reasons.WRONG_TYPE)]),
        (int, 1.0, [((), "invalid_type", reasons.INTEGRAL_FLOAT)]),
        (int | None, 1e2, [((), "invalid_type", reasons.INTEGRAL_FLOAT)]),
        (int, 1.5, [((), "invalid_type", reasons.WRONG_TYPE)]),
        (float, True, [((), "invalid_type", reasons.WRONG_TYPE)]),
        (str, None, [((), "invalid_type", reasons.WRONG_TYPE)]),
        (Literal[1, 2], 1.0, [((), "invalid_value", reasons.NOT_ALLOWED)]),
        (Literal[1, 2], True, [((), "invalid_type", reasons.WRONG_TYPE)]),
        (Literal["a"], "b", [((), "invalid_value", reasons.NOT_ALLOWED)]),
        (Literal["a"], [], [((), "invalid_type", reasons.WRONG_TYPE)]),
        (Literal["a"] | float, "b", [((), "invalid_value", reasons.NOT_ALLOWED)]),
        (Annotated[int, Above(0)], 0, [((), "invalid_value", reasons.OUT_OF_RANGE)]),
        (Annotated[int, Above(0)], "0", [((), "invalid_type", reasons.WRONG_TYPE)]),
        (tuple[int, str], [1], [((), "invalid_type", reasons.WRONG_LENGTH)]),
        (tuple[int, str], [1, 2], [((1,), "invalid_type", reasons.WRONG_TYPE)]),
        (tuple[int, ...], {}, [((), "invalid_type", reasons.WRONG_TYPE)]),
        (tuple[int, ...], [1, "a", None], [
            ((1,), "invalid_type", reasons.WRONG_TYPE),
            ((2,), "invalid_type", reasons.WRONG_TYPE),
        ]),
        (Mapping[str, int], {"a": "b"}, [(("a",), "invalid_type", reasons.WRONG_TYPE)]),
        (Closed, [], [((), "invalid_type", reasons.WRONG_TYPE)]),
        (Closed, {"x": 1}, [
            (("x",), "unknown_key", reasons.UNKNOWN_MEMBER),
            (("level",), "missing_key", reasons.MISSING_MEMBER),
        ]),
        (Unsaid, {"level": 1, "x": 1}, [(("x",), "unknown_key", reasons.UNKNOWN_MEMBER)]),
        (Extra, {"x": "1"}, [(("x",), "invalid_type", reasons.WRONG_TYPE)]),
        (ObjectOf((MemberOf("a", int),)), {"b": 1}, [
            (("b",), "unknown_key", reasons.UNKNOWN_MEMBER),
        ]),
    ],
)  # fmt: skip
def test_other_values_have_problems(shape: Any, value: Any, expected: Any) -> None:
    assert said(shape, value) == expected


def test_bounds_that_differ_make_other_shapes() -> None:
    at_least, at_most = Annotated[int, Ge(5)], Annotated[int, Le(5)]
    assert [not compiled(at_least).check(value) for value in (4, 5, 6)] == [False, True, True]
    assert [not compiled(at_most).check(value) for value in (4, 5, 6)] == [True, True, False]


def test_the_form_with_the_fewest_problems_speaks() -> None:
    shape = tuple[str, int, tuple[int, ...]] | tuple[str, int]
    assert said(shape, ["a", 1, ["x"]]) == [((2, 0), "invalid_type", reasons.WRONG_TYPE)]
    assert said(shape, ["a", 1, ["x", "y"]]) == [((), "invalid_type", reasons.WRONG_LENGTH)]
    assert said(shape, "a") == [((), "invalid_type", reasons.WRONG_TYPE)]


def test_fields_are_found_wherever_they_lie() -> None:
    field = Annotated[JSONValue, FieldOf("codecs")]
    shape = ObjectOf(
        (
            MemberOf("one", field | None),
            MemberOf("many", tuple[field, ...]),
            MemberOf("pair", tuple[str, field] | tuple[str, int, field]),
            MemberOf("named", Mapping[str, field]),
        )
    )
    value = {"one": None, "many": ["a", 5], "pair": ["x", 1, "b"], "named": {"k": "c"}}
    nested = compiled(shape).nested
    assert nested is not None
    place = FieldOf("codecs")
    assert list(nested(value)) == [
        (("many", 0), place, "a"),
        (("many", 1), place, 5),
        (("pair", 2), place, "b"),
        (("named", "k"), place, "c"),
    ]
    assert compiled(shape).check(value) == ()
    assert list(nested({"one": "d", "many": 1, "pair": [], "named": []})) == [
        (("one",), place, "d")
    ]


@pytest.mark.parametrize("shape", [bytes, 5, set[int], complex, "int"])
def test_what_describes_no_json_is_refused(shape: Any) -> None:
    with pytest.raises(TypeError, match="describes no JSON value"):
        compiled(shape)
