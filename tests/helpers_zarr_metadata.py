"""zarr-metadata beside zarrdb.metadata: its fields and problems in the form that is compared."""

import json
from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import strategies as st

peer = pytest.importorskip("zarr_metadata")
definition = pytest.importorskip("zarr_metadata.definition")

OUTCOMES = {
    definition.AcceptedField: "accepted",
    definition.UnclaimedField: "unclaimed",
    definition.RefusedField: "refused",
}

numbers = st.one_of(
    st.integers(-3, 12),
    st.sampled_from(
        [-(2**31) - 1, -(2**31), 2**31 - 1, 2**31, 2**63 - 1, 2**63, -(2**63), 2**64, 10**400]
    ),
    st.sampled_from([0.0, -0.0, 1.0, 1.5, 1e2, 65519.9, 65520, 3.4028235677973366e38, 1e308]),
    st.floats(allow_nan=True, allow_infinity=True),
)


def plain(value: Any) -> Any:
    """A value of the peer as parsed JSON: it keeps tuples and read-only mappings."""
    if isinstance(value, tuple | list):
        return [plain(each) for each in value]
    return {k: plain(v) for k, v in value.items()} if hasattr(value, "items") else value


def name_of(field: Any) -> Any:
    """The name of what claims a field of either side, or of the field itself."""
    return field.definition.name if field.definition is not None else field.name


def walk(
    field: Any, loc: tuple[Any, ...], start: tuple[str, ...] = ()
) -> Iterator[tuple[tuple[Any, ...], Any]]:
    """Every field within one of the peer's, whose configuration starts at `start`."""
    for at, each in field.nested.items():
        inner = (*loc, *start, *at)
        yield inner, each
        yield from walk(each, inner, start)


def problems_of(found: Any) -> list[str]:
    """Problems of the peer, sorted."""
    return sorted(json.dumps({"loc": list(each.loc), "kind": each.kind}) for each in found)


def conflicts_of(error: Exception) -> list[Any]:
    """The conflicts of an error of either side."""
    found: Any = getattr(error, "conflicts", ())
    return sorted([list(each.loc), each.claimed.name, each.found is not None] for each in found)
