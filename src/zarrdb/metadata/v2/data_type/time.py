"""The v2 time families, datetime64 (M) and timedelta64 (m): eight bytes that count a unit."""

from typing import Annotated, Any, Final, Literal, NotRequired, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.checks import missing
from zarrdb.metadata.problem import Problem, Problems, shown
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.shape import Ge, Interval
from zarrdb.metadata.v2.data_type.scalar import ZarrV2ByteOrder
from zarrdb.metadata.v2.data_type.typestr import Sized
from zarrdb.metadata.v2.kinds import ZarrV2DataTypeDefinition
from zarrdb.metadata.value import JSONValue

NumpyTimeTicks: TypeAlias = Annotated[int, Interval(ge=-(2**63), le=2**63 - 1)]
"""A count of units in 64 bits."""

NumpyTimeScaleFactor: TypeAlias = Annotated[int, Interval(ge=1, le=2**31 - 1)]
"""How many units make one tick."""

ZarrV2TimeFillValue: TypeAlias = NumpyTimeTicks | Literal["NaT"] | None
"""The fill value of a time: a count, "NaT", or null."""

TIME_UNITS: Final = ("Y", "M", "W", "D", "h", "m", "s", "ms", "us", "ns", "ps", "fs", "as")
_GREEK_MICRO: Final = "\u03bcs"
_NOT_A_TIME: Final = -(2**63)


class ZarrV2TimeConfiguration(TypedDict, closed=True):
    """What `<M8[10ns]` carries: byte order, size, unit `ns` and scale factor 10."""

    byteorder: ReadOnly[ZarrV2ByteOrder]
    itemsize: ReadOnly[Annotated[int, Ge(0)]]
    unit: NotRequired[ReadOnly[str]]
    scale_factor: NotRequired[ReadOnly[NumpyTimeScaleFactor]]


_EIGHT_BYTES: Final = Sized((8,), frozenset())


def time_rules(configuration: Any) -> Problems:
    """Eight bytes in a byte order, of a unit that NumPy has."""
    problems = unitless_time_rules(configuration)
    if "unit" in configuration or any(each.reason == reasons.WRONG_SIZE for each in problems):
        return problems
    return problems + missing("unit", reasons.MISSING_UNIT)


def unitless_time_rules(configuration: Any) -> Problems:
    """`time_rules` where the unit may be left out. A wrong size hides a wrong unit."""
    problems = _EIGHT_BYTES(configuration)
    unit = configuration.get("unit")
    if unit in (None, _GREEK_MICRO, *TIME_UNITS):
        return problems
    if any(each.reason == reasons.WRONG_SIZE for each in problems):
        return problems
    text = f"no unit of time {shown(unit)} (units: {' '.join(TIME_UNITS)})"
    return (*problems, Problem(("unit",), "invalid_value", text, reasons.WRONG_UNIT))


def _canonical(configuration: Any) -> Any:
    if configuration.get("unit") == _GREEK_MICRO:
        return {**configuration, "unit": "us"}
    return configuration


def canonical_ticks(value: Any, _: AcceptedField) -> JSONValue:
    """The fill value of a time; the least count is written "NaT"."""
    return "NaT" if value == _NOT_A_TIME else value


DATETIME64_DATA_TYPE_V2: Final = ZarrV2DataTypeDefinition(
    name="datetime64",
    configuration=ZarrV2TimeConfiguration,
    rules=time_rules,
    canonical=_canonical,
    fill_value=ZarrV2TimeFillValue,
    fill_value_canonical=canonical_ticks,
)
"""`<M8[ns]`: a time, counted in the unit from 1970 on."""

TIMEDELTA64_DATA_TYPE_V2: Final = ZarrV2DataTypeDefinition(
    name="timedelta64",
    configuration=ZarrV2TimeConfiguration,
    rules=time_rules,
    canonical=_canonical,
    fill_value=ZarrV2TimeFillValue,
    fill_value_canonical=canonical_ticks,
)
"""`<m8[ns]`: a duration, counted in the unit."""
