"""A project's own scope, as its configuration file declares it.

    [tool.zarrdb.scope]
    only = ["zstd", "blosc"]                # nothing else that is known, in either format

    [tool.zarrdb.scope.v2.codecs.imagecodecs_webp]
    parameters.level = { type = "integer", min = 0, max = 100, default = 80 }
    parameters.lossless = { type = "boolean", required = true }
    parameters.hint = { one-of = ["photo", "graph"], nullable = true }
    open = true                             # it may have further parameters

    [tool.zarrdb.scope.v3.codecs.jpegxl]
    kind = "array_bytes"                    # its place in a pipeline; anywhere if not said
    fixed-size = false                      # the size of what it gives follows from its input

    [tool.zarrdb.scope.v3.data_types.bfloat16]
    size = 2                                # bytes of a value
    fill-value = { type = "number" }

`only` names codecs and data types: a slot of which something is named keeps just that, the
others stay as they are; `bytes` of v3 stays in any case. A section `v2` or `v3` may have an
`only` of its own.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Final, Literal, TypeVar

from zarrdb.errors import ConfigError
from zarrdb.metadata.definition import Definition
from zarrdb.metadata.scope import Scope
from zarrdb.metadata.shape import Interval, MemberOf, ObjectOf, compiled
from zarrdb.metadata.value import JSONValue

S = TypeVar("S", bound=Scope)

_TYPES: Final[dict[str, Any]] = {
    "integer": int,
    "number": float,
    "string": str,
    "boolean": bool,
    "array": list[JSONValue],
    "object": dict[str, JSONValue],
    "any": JSONValue,
}
_SCALARS: Final = (str, int, float, bool)
_FORM: Final = frozenset({"type", "min", "max", "one-of", "nullable"})
_DESCRIBES: Final = _FORM | {"required", "default"}


@dataclass(frozen=True)
class Filled:
    """The canonical form of a declared configuration: its defaults filled in."""

    defaults: tuple[tuple[str, Any], ...]

    def __call__(self, configuration: Any) -> Any:
        return {**dict(self.defaults), **configuration}


def declared_scope(core: S, table: Mapping[str, Any]) -> S:
    """A core scope as a `[tool.zarrdb.scope]` table changes it.

    Raises ConfigError, naming the member, for what it does not understand.
    """
    _require(table.keys() <= {"only", "v2", "v3"}, "scope", "it may have only, v2 and v3")
    section = _table(table.get(f"v{core.zarr_format}", {}), f"scope.v{core.zarr_format}")
    for names in (table.get("only"), section.get("only")):
        if names is not None:
            core = _only(core, names)
    for slot, given in section.items():
        if slot == "only":
            continue
        where = f"scope.v{core.zarr_format}.{slot}"
        _require(slot in core.kinds, where, f"such a document has {', '.join(core.kinds)}")
        core = _with(core, slot, _table(given, where), where)
    return core


def _only(core: S, names: Any) -> S:
    """The scope with what is named, in each slot of which something is named."""
    are_names = isinstance(names, list) and all(isinstance(name, str) for name in names)
    _require(are_names, "scope.only", "expected a list of names")
    kept = {}
    for slot, kind in core.kinds.items():
        held = core.definitions_of(kind)
        if not held.keys().isdisjoint(names):
            stay = {*names, core.indispensable.get(slot)}
            kept[slot] = {name: each for name, each in held.items() if name in stay}
    return core.updated(kept)


def _with(core: S, slot: str, tables: Mapping[str, Any], where: str) -> S:
    kind = core.kinds[slot]
    extra: dict[str, Definition[Any]] = {}
    for name, given in tables.items():
        table = dict(_table(given, f"{where}.{name}"))
        configuration, canonical = _configuration(table, f"{where}.{name}")
        if "fill-value" in table:
            at = f"{where}.{name}.fill-value"
            fill_value = _table(table["fill-value"], at)
            _require_members(fill_value, _FORM, at)
            table["fill-value"] = _shape(fill_value, at)
        try:
            extra[name] = kind.declared(name, configuration, canonical, table)
        except TypeError as error:
            raise ConfigError(f"{where}: {error}") from None
    return core.updated({slot: {**core.definitions_of(kind), **extra}})


def _configuration(table: dict[str, Any], where: str) -> tuple[ObjectOf, Filled | None]:
    """The configuration that a table describes; what describes it is taken out of the table."""
    members: list[MemberOf] = []
    defaults: list[tuple[str, Any]] = []
    for name, given in _table(table.pop("parameters", {}), f"{where}.parameters").items():
        at = f"{where}.parameters.{name}"
        parameter = _table(given, at)
        _require_members(parameter, _DESCRIBES, at)
        shape = _shape(parameter, at)
        members.append(MemberOf(name, shape, _flag(parameter, "required", at)))
        if "default" in parameter:
            _require(isinstance(parameter["default"], _SCALARS), at, "a default is a single value")
            problems = compiled(shape).check(parameter["default"])
            _require(not problems, f"{at}.default", problems[0].message if problems else "")
            defaults.append((name, parameter["default"]))
    others = JSONValue if _flag(table, "open", where) else None
    table.pop("open", None)
    return ObjectOf(tuple(members), others), Filled(tuple(defaults)) if defaults else None


def _shape(parameter: Mapping[str, Any], where: str) -> Any:
    """The type of a parameter."""
    name, allowed = parameter.get("type", "any"), parameter.get("one-of")
    is_type = isinstance(name, str) and name in _TYPES
    _require(is_type, f"{where}.type", f"expected one of {', '.join(_TYPES)}")
    shape = _TYPES[name]
    if allowed is not None:
        alone = parameter.keys().isdisjoint({"type", "min", "max"})
        _require(alone, where, "one-of stands without type, min and max")
        is_list = isinstance(allowed, list) and all(isinstance(each, _SCALARS) for each in allowed)
        _require(is_list and bool(allowed), f"{where}.one-of", "expected a list of values")
        shape = Literal[tuple(allowed)]
    low, high = parameter.get("min"), parameter.get("max")
    if low is not None or high is not None:
        _require(name in ("integer", "number"), where, "only numbers have a min and a max")
        are_numbers = all(each is None or type(each) in (int, float) for each in (low, high))
        _require(are_numbers and low == low and high == high, where, "min and max are numbers")
        _require(low is None or high is None or low <= high, where, "min is not above max")
        shape = Annotated[shape, Interval(low, high)]
    return shape | None if _flag(parameter, "nullable", where) else shape


def _flag(table: Mapping[str, Any], name: str, where: str) -> bool:
    value = table.get(name, False)
    _require(isinstance(value, bool), f"{where}.{name}", "expected true or false")
    return value is True


def _require_members(table: Mapping[str, Any], known: frozenset[str], where: str) -> None:
    _require(table.keys() <= known, where, f"it may have {', '.join(sorted(known))}")


def _require(holds: bool, where: str, sentence: str) -> None:
    if not holds:
        raise ConfigError(f"{where}: {sentence}")


def _table(given: Any, where: str) -> Mapping[str, Any]:
    _require(isinstance(given, Mapping), where, "expected a table")
    table: Mapping[str, Any] = given
    return table
