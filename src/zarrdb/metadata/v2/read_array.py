"""Reading the metadata of a v2 array."""

from collections.abc import Iterator
from typing import Any, Final

from zarrdb.metadata import reasons
from zarrdb.metadata.cache import FieldCache
from zarrdb.metadata.fill_value import canonical_fill_value, fill_value_check
from zarrdb.metadata.problem import Loc, Problem, Problems, below, by_member, under
from zarrdb.metadata.reading import Reading, not_an_object
from zarrdb.metadata.resolve import ResolvedField, resolve
from zarrdb.metadata.scope import Scope
from zarrdb.metadata.shape import compiled
from zarrdb.metadata.v2.array import ZarrV2ArrayMetadataJSON
from zarrdb.metadata.v2.data_type.misspelled import explained
from zarrdb.metadata.v2.kinds import ZarrV2CodecDefinition, ZarrV2DataTypeDefinition
from zarrdb.metadata.value import is_fit, refined, text_of, unfit_attributes

_AXES: Final = ("shape", "chunks")
_JUDGED_AS_FIELDS: Final = ("dtype", "compressor", "filters")
_CLOSED_SETS: Final = ("zarr_format", "order", "dimension_separator")
_MISPLACED: Final = Problem(
    ("attributes",),
    "invalid_value",
    "attributes belong in `.zattrs`",
    reasons.MISPLACED_MEMBER,
)


class ZarrV2ArrayReading(Reading):
    """The metadata of a v2 array, with its attributes."""

    __slots__ = ()

    def read_in(self, scope: Scope) -> "ZarrV2ArrayReading":
        return read_array(self.value, FieldCache(scope))

    @property
    def dtype(self) -> ResolvedField | None:
        """The data type, None when the document has none."""
        return self.field_at("dtype")

    @property
    def compressor(self) -> ResolvedField | None:
        """The compressor, None for null and when the document has none."""
        return self.field_at("compressor")

    @property
    def filters(self) -> tuple[ResolvedField, ...]:
        """The filters, in the order in which they encode."""
        return tuple(field for loc, field in self.fields if loc[0] == "filters")

    @property
    def members(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            return {"": text_of(self.value)}
        said: dict[str, Any] = {"dimension_separator": text_of("."), "attributes": text_of({})}
        said |= {str(name): text_of(item) for name, item in self.value.items()}
        for name in _JUDGED_AS_FIELDS:
            fields = tuple(field.identity for loc, field in self.fields if loc[0] == name)
            if fields:
                said[name] = fields
        data_type = self.dtype
        if data_type is not None and "fill_value" in self.value:
            fill_value = self.value["fill_value"]
            if not any(problem.loc[:1] == ("fill_value",) for problem in self.problems):
                said["fill_value"] = text_of(canonical_fill_value(fill_value, data_type))
        return said


def read_array(
    value: Any, cache: FieldCache, *, fit: bool = False, stored: bool = False
) -> ZarrV2ArrayReading:
    """Read the metadata of an array, attributes included.

    `fit` vouches that every number is finite and nothing nested too deep. `stored` reads a
    `.zarray` as it lies in a store, where attributes are out of place.
    """
    if not isinstance(value, dict):
        return ZarrV2ArrayReading(value, cache.scope, not_an_object(value))
    fit = fit or is_fit(value)
    faults = {} if fit else dict(_faults(value))
    problems = list(_member_problems(value, faults))
    if stored and "attributes" in value:
        problems = [each for each in problems if each.loc[0] != "attributes"] + [_MISPLACED]
    fields: list[tuple[Loc, ResolvedField]] = []
    for loc, kind, item in _fields_of(value):
        if fit:
            field, found = cache.resolve(item, kind)
        else:
            field, found = resolve(item, kind, cache.scope, level=len(loc))
        fields.append((loc, field))
        if found:
            problems += below(loc, found)
    if "fill_value" in value and "fill_value" not in faults and "dtype" in value:
        problems += _fill_value_problems(value["fill_value"], fields[0][1], cache, fit=fit)
    return ZarrV2ArrayReading(value, cache.scope, tuple(problems), tuple(fields))


def _member_problems(value: dict[str, Any], faults: dict[str, Problems]) -> Problems:
    """What is wrong with the members, fields and fill value aside."""
    problems = compiled(ZarrV2ArrayMetadataJSON).check(value)
    if problems or faults:
        problems = by_member(problems, faults, one_for_all=_AXES)
    return problems + _rank_problems(value, problems)


def _fields_of(value: dict[str, Any]) -> Iterator[tuple[Loc, type[Any], Any]]:
    if "dtype" in value:
        yield ("dtype",), ZarrV2DataTypeDefinition, value["dtype"]
    if value.get("compressor") is not None:
        yield ("compressor",), ZarrV2CodecDefinition, value["compressor"]
    filters = value.get("filters")
    if isinstance(filters, list | tuple):
        for index, item in enumerate(filters):
            yield ("filters", index), ZarrV2CodecDefinition, item


def _faults(value: dict[str, Any]) -> Iterator[tuple[str, Problems]]:
    """Members that hold what is not finite or too deep, besides those judged by other means."""
    for name, item in value.items():
        if name == "attributes":
            problems = unfit_attributes(item, 1) if isinstance(item, dict) else ()
        elif name in _JUDGED_AS_FIELDS or name in _CLOSED_SETS:
            continue
        else:
            problems = refined(item, 1)
        if problems:
            yield name, under(name, problems)


def _rank_problems(value: dict[str, Any], problems: Problems) -> Problems:
    shape, chunks = value.get("shape"), value.get("chunks")
    if not isinstance(shape, list | tuple) or not isinstance(chunks, list | tuple):
        return ()
    if len(shape) == len(chunks) or any(problem.loc[0] in _AXES for problem in problems):
        return ()
    text = f"expected as many lengths as `shape` has, {len(shape)}, got {len(chunks)}"
    return (Problem(("chunks",), "invalid_value", text, reasons.RANK_MISMATCH),)


def _fill_value_problems(
    value: Any, data_type: ResolvedField, cache: FieldCache, *, fit: bool
) -> Problems:
    if fit:
        problems = cache.fill_value_problems(value, data_type)
    else:
        problems = fill_value_check(data_type)(value)
    return under("fill_value", explained(value, data_type, problems)) if problems else ()
