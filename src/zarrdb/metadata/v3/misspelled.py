"""Why a v3 fill value is wrong, in finer words than its type."""

from typing import Any, Final

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Problem, Problems
from zarrdb.metadata.resolve import ResolvedField
from zarrdb.metadata.spelling import reason_for_text

_NUMBERS: Final = ("int", "uint", "float", "complex", "numpy.")


def explained(value: Any, data_type: ResolvedField, problems: Problems) -> Problems:
    """The problems of a fill value: null, which v3 does not have, and texts for numbers."""
    if value is None:
        text = "null is no fill value in v3; for floats NaN is usual"
        return tuple(
            each._replace(message=text, reason=reasons.NULL_FILL_VALUE) for each in problems
        )
    name = "" if data_type.definition is None else data_type.definition.name
    if not name.startswith(_NUMBERS):
        return problems
    return tuple(_explained(_part(value, problem), problem) for problem in problems)


def _part(value: Any, problem: Problem) -> Any:
    """The value itself, or the part of a complex number."""
    return value[problem.loc[0]] if problem.loc else value


def _explained(part: Any, problem: Problem) -> Problem:
    if not isinstance(part, str) or problem.reason == reasons.WRONG_HEX:
        return problem
    return problem._replace(reason=reason_for_text(part) or problem.reason)
