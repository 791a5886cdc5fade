"""Known faults of writers, mended where only one thing can have been meant."""

from typing import Any

import pytest

from zarrdb.metadata.repair import repaired
from zarrdb.metadata.v2 import ZarrV2Reader
from zarrdb.metadata.v2.repair import repairs

NAN, INF = float("nan"), float("inf")
ARRAY: dict[str, Any] = {
    "zarr_format": 2,
    "shape": [4],
    "chunks": [2],
    "dtype": "<f4",
    "compressor": None,
    "fill_value": NAN,
    "order": "C",
    "filters": None,
}
NOT_2 = (None, True, "2", 2.0, 3)
GROUP = {"zarr_format": 2, "consolidated_metadata": {"metadata": {}}}


@pytest.mark.parametrize(
    ("dtype", "fill_value", "mended"),
    [("<f4", NAN, "NaN"), (">f8", -INF, "-Infinity"), ("<c8", [INF, 0], ["Infinity", 0])],
)
def test_bare_numbers_get_their_names(dtype: str, fill_value: Any, mended: Any) -> None:
    value = {**ARRAY, "dtype": dtype, "fill_value": fill_value}
    made = repaired(value, repairs(".zarray", value))
    assert made == {**value, "fill_value": mended}
    assert ZarrV2Reader().document(".zarray", made).problems == ()


@pytest.mark.parametrize(
    ("dtype", "fill_value"),
    [("<i4", NAN), ("<f3", NAN), ("|O", NAN), ("<c8", NAN), ("<c8", [NAN]), ("<f4", [NAN])],
)
def test_what_cannot_be_meant_is_left(dtype: str, fill_value: Any) -> None:
    assert repairs(".zarray", {**ARRAY, "dtype": dtype, "fill_value": fill_value}) == ()


def test_entries_of_consolidated_metadata_are_mended() -> None:
    entries = {".zgroup": {"zarr_format": 2}, "g/.zgroup": GROUP, "g/a/.zarray": ARRAY}
    value = {"zarr_consolidated_format": 1, "metadata": entries}
    made = repairs(".zmetadata", value)
    assert [(each.loc[1:], each.removed) for each in made] == [
        (("g/.zgroup", "consolidated_metadata"), True),
        (("g/a/.zarray", "fill_value"), False),
    ]
    assert ZarrV2Reader().consolidated(repaired(value, made)).problems == ()


@pytest.mark.parametrize(
    ("name", "value"),
    [
        (".zarray", []),
        (".zgroup", GROUP),
        (".zmetadata", {"metadata": []}),
        (".zmetadata", {"metadata": {".zgroup": GROUP, "g/.zgroup": 5}}),
        *((".zmetadata", {"metadata": {"g/.zgroup": {**GROUP, "zarr_format": n}}}) for n in NOT_2),
        *((".zarray", {**ARRAY, "zarr_format": said}) for said in NOT_2),
        (".zarray", {name: item for name, item in ARRAY.items() if name != "zarr_format"}),
        (".zarray", {**ARRAY, "dtype": "<f04"}),
    ],
)
def test_nothing_else_is_touched(name: str, value: Any) -> None:
    assert repairs(name, value) == ()
