"""What the codecs of numcodecs have in common: defaults, and parameters that name a dtype."""

from dataclasses import dataclass
from typing import Any, Final

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Problem, Problems, shown, under
from zarrdb.metadata.resolve import ResolvedField, canonical_of, resolve_refined
from zarrdb.metadata.v2.context import ZarrV2Context
from zarrdb.metadata.v2.data_type import DATA_TYPES_V2
from zarrdb.metadata.v2.data_type.time import (
    DATETIME64_DATA_TYPE_V2,
    TIMEDELTA64_DATA_TYPE_V2,
    unitless_time_rules,
)
from zarrdb.metadata.v2.kinds import ZarrV2DataTypeDefinition


def _without_unit(
    definition: ZarrV2DataTypeDefinition[Any],
) -> tuple[str, ZarrV2DataTypeDefinition[Any]]:
    """A time type whose unit may be left out: numcodecs works on the integers."""
    return definition.name, ZarrV2DataTypeDefinition(
        name=definition.name,
        configuration=definition.configuration,
        rules=unitless_time_rules,
        canonical=definition.canonical,
    )


PARAMETER_SCOPE: Final = ZarrV2Context(
    data_types={definition.name: definition for definition in DATA_TYPES_V2}
    | dict(map(_without_unit, (DATETIME64_DATA_TYPE_V2, TIMEDELTA64_DATA_TYPE_V2)))
)
"""What a dtype parameter may name: always the same, because numcodecs asks NumPy."""


def _read(text: str) -> tuple[ResolvedField, Problems]:
    return resolve_refined(text, ZarrV2DataTypeDefinition, PARAMETER_SCOPE)


@dataclass(frozen=True)
class DtypeParameters:
    """The rule of parameters that name a dtype, absent and null ones aside."""

    names: tuple[str, ...]
    float_only: bool = False

    def __call__(self, configuration: Any) -> Problems:
        problems: Problems = ()
        for name in self.names:
            text = configuration.get(name)
            if text is not None:
                problems += under(name, self._judged(text))
        return problems

    def _judged(self, text: str) -> Problems:
        field, problems = _read(text)
        if problems or not self.float_only:
            return problems
        if field.definition is not None and field.definition.name == "float":
            return ()
        message = f"expected a float type, got {shown(text)}"
        return (Problem((), "invalid_value", message, reasons.NOT_A_FLOAT_TYPE),)


@dataclass(frozen=True)
class Defaults:
    """The canonical form of most codecs: absent and null parameters have their defaults,
    dtypes their simplest spelling, and an absent `astype` that of `dtype`."""

    values: tuple[tuple[str, Any], ...] = ()
    dtypes: tuple[str, ...] = ()

    def __call__(self, configuration: Any) -> Any:
        full = dict(configuration)
        for name, value in self.values:
            if full.get(name) is None:
                full[name] = value
        for name in self.dtypes:
            text = full.get(name)
            full[name] = full["dtype"] if text is None else _canonical_dtype(text)
        return full


def _canonical_dtype(text: str) -> Any:
    field, problems = _read(text)
    return text if problems else canonical_of(field)
