"""Problems: how locations grow, and how values are shown."""

from typing import Any

import pytest

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Problem, below, shown, under

FAULT = Problem(("level",), "invalid_value", "too much", reasons.OUT_OF_RANGE)


def test_a_location_grows_outwards() -> None:
    (outer,) = below(("filters",), under(1, (FAULT,)))
    assert outer == FAULT._replace(loc=("filters", 1, "level"))


def test_clean_stays_clean() -> None:
    assert under("x", ()) == ()
    assert below((), (FAULT,)) == (FAULT,)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (None, "null"),
        (True, "true"),
        (1.0, "1.0"),
        ("a\x1b\n", '"a\\u001b\\n"'),
        ({"a": 1}, "an object"),
        ([1, 2], "an array of 2"),
        (10**4000, "an integer of 13288 bits"),
        ({1}, "a set"),
    ],
)
def test_values_are_shown_short_and_harmless(value: Any, text: str) -> None:
    assert shown(value) == text


def test_a_long_text_is_cut() -> None:
    assert len(shown("x" * 1000)) < 70


def test_reasons_are_distinct_slugs() -> None:
    slugs = [value for name, value in vars(reasons).items() if name.isupper()]
    assert len(slugs) == len(set(slugs))
    assert all(slug.replace("-", "").isalnum() and slug == slug.lower() for slug in slugs)
