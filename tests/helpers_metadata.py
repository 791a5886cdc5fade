"""Scopes written as in the vectors, and problems and fields in the form that they compare."""

import base64
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Annotated, Any

import pytest
from typing_extensions import TypedDict

from zarrdb.metadata import (
    AcceptedField,
    Definition,
    Interval,
    JSONValue,
    Problems,
    RefusedField,
    ResolvedField,
    Scope,
    UnclaimedField,
    canonical_of,
)
from zarrdb.metadata.definition import EmptyConfiguration
from zarrdb.metadata.v2 import (
    CORE_V2,
    ZarrV2CodecDefinition,
    ZarrV2Context,
    ZarrV2DataTypeDefinition,
    ZarrV2FloatFillValue,
    ZarrV2ScalarConfiguration,
)
from zarrdb.metadata.v2.data_type.typestr import Sized

KINDS: dict[str, Any] = {"data_type": ZarrV2DataTypeDefinition, "codec": ZarrV2CodecDefinition}
SLOTS = {"data_types": "data_type", "codecs": "codec"}
OUTCOMES: dict[type, str] = {
    AcceptedField: "accepted",
    UnclaimedField: "unclaimed",
    RefusedField: "refused",
}


class OpenParameters(TypedDict, extra_items=JSONValue):  # type: ignore[call-arg]
    """Anything."""


class LevelParameters(TypedDict, closed=True):
    """A level."""

    level: Annotated[int, Interval(ge=0, le=9)]


OWN_VECTORS = Path(__file__).parent / "metadata" / "vectors"


def rows(name: str, config: pytest.Config) -> Iterator[dict[str, Any]]:
    """The rows of a file of vectors: of the small copies, or of the folder of --vectors."""
    given = config.getoption("--vectors")
    for folder in [OWN_VECTORS] if given is None else [Path(given), Path(given) / "metadata"]:
        file = folder / name
        if file.is_file():
            yield from map(json.loads, file.read_text(encoding="utf-8").splitlines())


def own_definition(name: Any, variant: str, kind: str = "codec") -> Definition[Any]:
    """A definition of a variant that the vectors name."""
    if variant == "wide":
        return ZarrV2DataTypeDefinition(
            name=name,
            configuration=ZarrV2ScalarConfiguration,
            rules=Sized((2, 4, 8, 16), frozenset()),
            fill_value=ZarrV2FloatFillValue,
        )
    shapes: dict[str, Any] = {
        "open": OpenParameters,
        "level": LevelParameters,
        "empty": EmptyConfiguration,
    }
    built: Definition[Any] = KINDS[kind](name=name, configuration=shapes[variant])
    return built


def definition(written: Any) -> Any:
    """A definition as the vectors write it; what is none is passed on as it is."""
    if not isinstance(written, dict):
        return written
    if "core" in written:
        core: dict[str, Any] = {**CORE_V2.data_types, **CORE_V2.codecs}
        return core[written["core"]]
    return own_definition(written["name"], written["variant"])


def slots(written: dict[str, Any], held: ZarrV2Context) -> dict[str, Any]:
    """Slots as the vectors write them; `...` stands for what the scope holds."""
    return {
        slot: _slot(given, getattr(held, slot)) if hasattr(held, slot) else given
        for slot, given in written.items()
    }


def _slot(given: Any, held: Any) -> Any:
    if isinstance(given, dict):
        built: dict[str, Any] = {}
        for name, each in given.items():
            built |= held if name == "..." else {name: definition(each)}
        return built
    listed: list[Any] = []
    for each in given:
        listed += held.values() if each == "..." else [definition(each)]
    return listed


def scope(written: dict[str, Any]) -> Any:
    """A scope as the vectors write it: a base, definitions left out, slots put in."""
    if written["base"] == "V3_CORE":
        return OtherFormat()
    base = CORE_V2 if written["base"] == "CORE_V2" else ZarrV2Context()
    for slot, names in written.get("drop", {}).items():
        held = getattr(base, slot)
        kept = {name: each for name, each in held.items() if name not in names}
        base = base.updated({slot: kept})
    return base.updated(slots(written.get("slots", {}), base))


class OtherFormat(Scope):
    """A scope of another format."""

    __slots__ = ()
    kinds = {}  # noqa: RUF012
    zarr_format = 3


class OtherKind(Definition[Any]):
    """A kind of another format."""

    label = "other"
    slot = "codecs"
    zarr_format = 3


def problems(found: Problems) -> list[str]:
    """Problems as a vector has them, sorted: messages and reasons are no part of it."""
    return sorted(json.dumps({"loc": list(each.loc), "kind": each.kind}) for each in found)


def expected_problems(row: dict[str, Any], member: str = "problems") -> list[str]:
    """The problems that a vector expects, sorted."""
    listed = [{"loc": each["loc"], "kind": each["kind"]} for each in row[member]]
    return sorted(map(json.dumps, listed))


def described(field: ResolvedField, found: Problems) -> dict[str, Any]:
    """A field as a vector describes it."""
    said: dict[str, Any] = {
        "expect": OUTCOMES[type(field)],
        "family_or_id": _name(field),
        "configuration": getattr(field, "configuration", None),
        "problems": problems(found),
    }
    if not found and not isinstance(field, RefusedField):
        said["canonical"] = canonical_of(field)
    nested = list(field.walk())[1:]
    if nested:
        said["nested"] = [
            {"loc": list(loc), "expect": OUTCOMES[type(each)], "family_or_id": _name(each)}
            for loc, each in nested
        ]
    return said


def _name(field: ResolvedField) -> str | None:
    return field.name if field.definition is None else field.definition.name


def value_of(row: dict[str, Any], member: str) -> Any:
    """A value of a vector, which may be written as text to hold what JSON cannot."""
    return json.loads(row[f"{member}_text"]) if f"{member}_text" in row else row[member]


def bytes_of(row: dict[str, Any]) -> bytes:
    """The document of a vector."""
    if "text" in row:
        return str(row["text"]).encode("utf-8", "surrogatepass")
    return base64.b64decode(row["bytes_base64"])


def exact(value: Any) -> str:
    """JSON text that keeps 1, 1.0, true and -0.0 apart; tuples are arrays."""
    return json.dumps(value, sort_keys=True)
