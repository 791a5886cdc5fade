"""Reading the `zarr.json` of a v3 array."""

from collections.abc import Iterator
from functools import cached_property
from typing import Any, Final

from zarrdb.metadata import reasons
from zarrdb.metadata.cache import FieldCache
from zarrdb.metadata.fill_value import canonical_fill_value, fill_value_check
from zarrdb.metadata.problem import Loc, Problem, Problems, below, by_member, under
from zarrdb.metadata.reading import Reading, not_an_object
from zarrdb.metadata.resolve import AcceptedField, ResolvedField, resolve
from zarrdb.metadata.scope import Scope
from zarrdb.metadata.shape import compiled
from zarrdb.metadata.v3.array import ZarrV3ArrayMetadataJSON
from zarrdb.metadata.v3.chunk import Chunk, Lengths, storage_of
from zarrdb.metadata.v3.envelope import CONFIGURATION
from zarrdb.metadata.v3.extra_field import ZarrV3ArrayExtraFieldDefinition
from zarrdb.metadata.v3.kinds import (
    ZarrV3ChunkGridDefinition,
    ZarrV3ChunkKeyEncodingDefinition,
    ZarrV3CodecDefinition,
    ZarrV3DataTypeDefinition,
    ZarrV3StorageTransformerDefinition,
)
from zarrdb.metadata.v3.misspelled import explained
from zarrdb.metadata.v3.notes import notes
from zarrdb.metadata.v3.pipeline import Stage, is_by_rank, read_pipeline
from zarrdb.metadata.v3.read_extra import must_understand, read_extra_fields
from zarrdb.metadata.value import is_fit, refined, text_of, unfit_attributes

_LISTED: Final[tuple[tuple[str, type[Any]], ...]] = (
    ("codecs", ZarrV3CodecDefinition),
    ("storage_transformers", ZarrV3StorageTransformerDefinition),
)
_SINGLE: Final[tuple[tuple[str, type[Any]], ...]] = (
    ("data_type", ZarrV3DataTypeDefinition),
    ("chunk_grid", ZarrV3ChunkGridDefinition),
    ("chunk_key_encoding", ZarrV3ChunkKeyEncodingDefinition),
)
_ONE_PROBLEM: Final = ("shape", "dimension_names")
_BETTER_ABSENT: Final = ("dimension_names", "storage_transformers")
_CHUNK_SHAPE: Final = ("chunk_grid", *CONFIGURATION, "chunk_shape")


class ZarrV3ArrayReading(Reading):
    """The metadata of a v3 array."""

    __slots__ = ("__dict__",)

    def read_in(self, scope: Scope) -> "ZarrV3ArrayReading":
        return read_array(self.value, FieldCache(scope))

    @property
    def data_type(self) -> ResolvedField | None:
        """The data type, None when the document has none."""
        return self.field_at("data_type")

    @property
    def chunk_grid(self) -> ResolvedField | None:
        """The chunk grid, None when the document has none."""
        return self.field_at("chunk_grid")

    @property
    def chunk_key_encoding(self) -> ResolvedField | None:
        """The chunk key encoding, None when the document has none."""
        return self.field_at("chunk_key_encoding")

    @property
    def codecs(self) -> tuple[ResolvedField, ...]:
        """The codecs, in the order in which they encode."""
        return self._listed("codecs")

    @property
    def storage_transformers(self) -> tuple[ResolvedField, ...]:
        """The storage transformers, as listed."""
        return self._listed("storage_transformers")

    @cached_property
    def stages(self) -> tuple[Stage, ...]:
        """The codecs, each with the chunks that it is given."""
        axes = _lengths(self.value.get("shape")) if isinstance(self.value, dict) else None
        chunk = _chunk(axes, self.chunk_grid, self.data_type)
        return read_pipeline(self.codecs, chunk)[0]

    @property
    def item_size(self) -> int | None:
        """Bytes of one item, None where they are not known or vary."""
        return storage_of(self.data_type).size

    @property
    def must_understand(self) -> tuple[str, ...]:
        """The members that nobody in scope reads, and that a reader must not leave alone."""
        return must_understand(self.fields)

    @property
    def notes(self) -> Problems:
        """What is no fault of the document, and yet stops a reader or misleads it."""
        return tuple(notes(self.value, self.fields))

    @property
    def members(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            return {"": text_of(self.value)}
        said: dict[str, Any] = {"attributes": text_of({}), "storage_transformers": ()}
        said |= {str(name): text_of(item) for name, item in self.value.items()}
        said |= {str(loc[0]): field.identity for loc, field in self.fields if len(loc) == 1}
        for name, _ in _LISTED:
            if isinstance(self.value.get(name), list | tuple):
                said[name] = tuple(field.identity for field in self._listed(name))
        data_type = self.data_type
        is_good = not any(problem.loc[:1] == ("fill_value",) for problem in self.problems)
        if data_type is not None and "fill_value" in self.value and is_good:
            fill_value = canonical_fill_value(self.value["fill_value"], data_type)
            said["fill_value"] = text_of(fill_value)
        return said

    def _listed(self, member: str) -> tuple[ResolvedField, ...]:
        return tuple(field for loc, field in self.fields if loc[0] == member and len(loc) > 1)


def read_array(value: Any, cache: FieldCache, *, fit: bool = False) -> ZarrV3ArrayReading:
    """Read the metadata of an array.

    `fit` vouches that every number is finite and nothing nested too deep.
    """
    if not isinstance(value, dict):
        return ZarrV3ArrayReading(value, cache.scope, not_an_object(value))
    fit = fit or is_fit(value)
    problems = list(_member_problems(value, {} if fit else dict(_faults(value))))
    single: dict[str, ResolvedField] = {}
    for name, kind in _SINGLE:
        if name in value:
            single[name], found = _resolved(value[name], kind, cache, fit=fit)
            problems += under(name, found)
    data_type, grid = single.get("data_type"), single.get("chunk_grid")
    if "fill_value" in value and data_type is not None:
        problems += _fill_value_problems(value["fill_value"], data_type, cache, fit=fit)
    axes = _lengths(value.get("shape"))
    if axes is not None and grid is not None:
        problems += under("chunk_grid", _shape_problems(grid, axes))
    fields: list[tuple[Loc, ResolvedField]] = [((name,), each) for name, each in single.items()]
    for name, kind in _LISTED:
        listed = value.get(name)
        if not isinstance(listed, list | tuple) or not (listed or name == "codecs"):
            continue
        each, found = _resolved_each(listed, kind, cache, fit=fit)
        fields += [((name, index), field) for index, field in enumerate(each)]
        if name == "codecs":
            found += _pipeline_problems(each, data_type, grid, axes, cache)
        problems += under(name, found)
    extra, found = read_extra_fields(value, ZarrV3ArrayExtraFieldDefinition, cache.scope, fit=fit)
    problems += found
    if problems:
        problems = [_finer(each, value) for each in problems]
    return ZarrV3ArrayReading(value, cache.scope, tuple(problems), (*fields, *extra))


def _resolved(
    value: Any, kind: type[Any], cache: FieldCache, *, fit: bool
) -> tuple[ResolvedField, Problems]:
    if fit or is_fit(value, 1):
        return cache.resolve(value, kind)
    return resolve(value, kind, cache.scope, level=1)


def _resolved_each(
    values: Any, kind: type[Any], cache: FieldCache, *, fit: bool
) -> tuple[tuple[ResolvedField, ...], Problems]:
    """The fields of a list, and what is wrong with them, located from the list."""
    if fit or is_fit(values, 1):
        return cache.resolve_each(values, kind)
    read = [resolve(value, kind, cache.scope, level=2) for value in values]
    problems = [each for index, (_, found) in enumerate(read) for each in under(index, found)]
    return tuple(field for field, _ in read), tuple(problems)


def _pipeline_problems(
    codecs: tuple[ResolvedField, ...],
    data_type: ResolvedField | None,
    grid: ResolvedField | None,
    axes: tuple[int, ...] | None,
    cache: FieldCache,
) -> Problems:
    """What is wrong with the codecs in their places; most pipelines come again and again."""
    rank = -1 if axes is None else len(axes)
    known = cache.verdict(codecs, data_type, rank)
    if known is None:
        known = read_pipeline(codecs, _chunk(axes, grid, data_type))[1]
        if is_by_rank(codecs):
            cache.keep_verdict(codecs, data_type, rank, known)
    return known


def _faults(value: dict[str, Any]) -> Iterator[tuple[str, Problems]]:
    """Members that hold what is not finite or too deep, besides those judged by other means."""
    for name in ("shape", "fill_value"):
        problems = refined(value[name], 1) if name in value else ()
        if problems:
            yield name, under(name, problems)
    attributes = value.get("attributes")
    problems = unfit_attributes(attributes, 1) if isinstance(attributes, dict) else ()
    if problems:
        yield "attributes", under("attributes", problems)


def _member_problems(value: dict[str, Any], faults: dict[str, Problems]) -> Problems:
    """What is wrong with the members, fields and fill value aside."""
    problems = compiled(ZarrV3ArrayMetadataJSON).check(value)
    if problems or faults:
        problems = by_member(problems, faults, one_for_all=_ONE_PROBLEM)
    names = value.get("dimension_names")
    if not isinstance(names, list | tuple):
        return problems
    shape = _lengths(value.get("shape"))
    if shape is None or len(names) == len(shape):
        return problems
    if any(problem.loc[0] == "dimension_names" for problem in problems):
        return problems
    text = f"expected as many names as `shape` has lengths, {len(shape)}, got {len(names)}"
    loc = ("dimension_names",)
    return (*problems, Problem(loc, "invalid_value", text, reasons.RANK_MISMATCH))


def _fill_value_problems(
    value: Any, data_type: ResolvedField, cache: FieldCache, *, fit: bool
) -> Problems:
    if fit:
        problems = cache.fill_value_problems(value, data_type)
    else:
        problems = () if refined(value, 1) else fill_value_check(data_type)(value)
    return under("fill_value", explained(value, data_type, problems)) if problems else ()


def _chunk(
    axes: tuple[int, ...] | None, grid: ResolvedField | None, data_type: ResolvedField | None
) -> Chunk:
    """The chunks that the first codec is given."""
    if axes is None:
        return Chunk(None, data_type)
    lengths: Lengths = (None,) * len(axes)
    if isinstance(grid, AcceptedField) and not _shape_problems(grid, axes):
        definition: Any = grid.definition
        if definition.chunk_lengths is not None:
            lengths = definition.chunk_lengths(grid)
    return Chunk(lengths, data_type)


def _shape_problems(grid: ResolvedField, axes: tuple[int, ...]) -> Problems:
    """Why a grid does not fit a shape, located in the grid."""
    definition: Any = grid.definition
    if not isinstance(grid, AcceptedField) or definition.shape_rules is None:
        return ()
    return below(CONFIGURATION, definition.shape_rules(grid, axes))


def _lengths(value: Any) -> tuple[int, ...] | None:
    """A shape, None for what is none."""
    if not isinstance(value, list | tuple):
        return None
    for each in value:
        if type(each) is not int or each < 0:
            return None
    return tuple(value)


def _finer(problem: Problem, value: dict[str, Any]) -> Problem:
    """The problem, with the reason that only the whole document gives away."""
    loc = problem.loc
    if len(loc) == 1 and loc[0] in _BETTER_ABSENT and value.get(str(loc[0]), 0) is None:
        text = "null, where a member that says nothing is left out"
        return problem._replace(message=text, reason=reasons.NULL_MEMBER)
    if loc[:-1] != _CHUNK_SHAPE or problem.reason != reasons.OUT_OF_RANGE:
        return problem
    axis, shape = int(loc[-1]), _lengths(value.get("shape"))
    if value["chunk_grid"]["configuration"]["chunk_shape"][axis] != 0:
        return problem
    empty = shape is not None and axis < len(shape) and shape[axis] == 0
    reason = reasons.ZERO_CHUNK_ON_EMPTY_AXIS if empty else reasons.ZERO_CHUNK
    return problem._replace(message=f"chunk length 0 on axis {axis}", reason=reason)
