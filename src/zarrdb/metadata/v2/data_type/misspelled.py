"""Why a fill value is wrong, where old or foreign writers are known to be the reason."""

from typing import Any, Final

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Problem, Problems
from zarrdb.metadata.resolve import ResolvedField
from zarrdb.metadata.spelling import reason_for_text

_NUMBERS: Final = frozenset({"int", "uint", "float", "complex", "datetime64", "timedelta64"})
_TEXTS: Final = frozenset({"str", "bytes", "void", "struct"})


def explained(value: Any, data_type: ResolvedField, problems: Problems) -> Problems:
    """The problems of a fill value, with the finer reasons that its text or number gives away."""
    family = "" if data_type.definition is None else data_type.definition.name
    return tuple(
        problem._replace(reason=_reason(_part(value, problem), family, problem.reason))
        for problem in problems
    )


def _part(value: Any, problem: Problem) -> Any:
    """The value itself, or the part of a complex number."""
    return value[problem.loc[0]] if problem.loc else value


def _reason(part: Any, family: str, reason: str) -> str:
    if isinstance(part, str) and family in _NUMBERS:
        return reason_for_text(part) or reason
    if type(part) is int:
        known = {0, 1} if family == "bool" else {0} if family in _TEXTS else ()
        return reasons.LEGACY_NUMBER if part in known else reason
    return reason
