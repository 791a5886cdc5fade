"""Fill values, read with the data type that they belong to.

Works for every kind whose definitions say what a fill value is: its shape, rules and
canonical form.
"""

from collections.abc import Callable
from typing import Any, Protocol, cast

from zarrdb.metadata.checks import Check
from zarrdb.metadata.problem import Problems
from zarrdb.metadata.resolve import AcceptedField, ResolvedField
from zarrdb.metadata.shape import compiled
from zarrdb.metadata.value import JSONValue, refined


class TakesFillValue(Protocol):
    """A data type definition."""

    fill_value: Any
    """The shape of a fill value."""
    fill_value_rules: Callable[[Any, AcceptedField], Problems] | None
    """Further rules, for a value of that shape."""
    fill_value_canonical: Callable[[Any, AcceptedField], JSONValue] | None
    """The simplest spelling of a value without problems."""


def fill_value_problems(value: Any, data_type: ResolvedField) -> Problems:
    """Problems of a fill value, located from it.

    A data type that is unclaimed or refused says nothing about its fill value, which still
    has to be finite JSON.
    """
    return refined(value) or fill_value_check(data_type)(value)


def fill_value_check(data_type: ResolvedField) -> Check:
    """What judges the fill values of a data type, given ones that are finite JSON."""
    if not isinstance(data_type, AcceptedField):
        return _anything
    definition = cast(TakesFillValue, data_type.definition)
    shape, rules = compiled(definition.fill_value).check, definition.fill_value_rules
    if rules is None:
        return shape

    def check(value: Any) -> Problems:
        return shape(value) or rules(value, data_type)

    return check


def _anything(_: Any) -> Problems:
    return ()


def canonical_fill_value(value: Any, data_type: ResolvedField) -> JSONValue:
    """The simplest spelling of a fill value that has no problems, with the data type's own
    notion of sameness; kept as written where the data type is unclaimed or refused."""
    if isinstance(data_type, AcceptedField):
        definition = cast(TakesFillValue, data_type.definition)
        if definition.fill_value_canonical is not None:
            return definition.fill_value_canonical(value, data_type)
    kept: JSONValue = value
    return kept
