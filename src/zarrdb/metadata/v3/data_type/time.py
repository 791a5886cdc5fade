"""The v3 data types `numpy.datetime64` and `numpy.timedelta64` (zarr-extensions)."""

from typing import Any, Final, Literal, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata.v2.data_type.time import (
    NumpyTimeScaleFactor,
    NumpyTimeTicks,
    canonical_ticks,
)
from zarrdb.metadata.v3.chunk import Storage
from zarrdb.metadata.v3.kinds import ZarrV3DataTypeDefinition

ZarrV3TimeUnit: TypeAlias = Literal[
    "Y", "M", "W", "D", "h", "m", "s", "ms", "us", "\u03bcs", "ns", "ps", "fs", "as", "generic"
]
"""A unit of time; `generic` is none."""

ZarrV3TimeFillValue: TypeAlias = NumpyTimeTicks | Literal["NaT"]
"""The fill value of a time: a count, or "NaT"."""


class ZarrV3TimeConfiguration(TypedDict, closed=True):
    """The unit, and how many of it make one tick; both have to be written."""

    unit: ReadOnly[ZarrV3TimeUnit]
    scale_factor: ReadOnly[NumpyTimeScaleFactor]


def _time(name: str) -> ZarrV3DataTypeDefinition[Any]:
    return ZarrV3DataTypeDefinition(
        name=name,
        configuration=ZarrV3TimeConfiguration,
        fill_value=ZarrV3TimeFillValue,
        fill_value_canonical=canonical_ticks,
        storage=Storage(8, ordered=True),
    )


DATETIME64_DATA_TYPE_V3: Final = _time("numpy.datetime64")
"""A time, counted in the unit from 1970 on."""

TIMEDELTA64_DATA_TYPE_V3: Final = _time("numpy.timedelta64")
"""A duration, counted in the unit."""
