"""Reading the `zarr.json` of v3 groups, and of nodes of either kind."""

from typing import Any, Final, Literal

from typing_extensions import TypedDict

from zarrdb.metadata import reasons
from zarrdb.metadata.cache import FieldCache
from zarrdb.metadata.problem import Problem, Problems, under
from zarrdb.metadata.reading import Reading, not_an_object
from zarrdb.metadata.scope import Scope
from zarrdb.metadata.shape import compiled
from zarrdb.metadata.v3.extra_field import (
    CONSOLIDATED_METADATA_V3,
    ZarrV3GroupExtraFieldDefinition,
)
from zarrdb.metadata.v3.group import ZarrV3GroupMetadataJSON
from zarrdb.metadata.v3.notes import notes
from zarrdb.metadata.v3.read_array import read_array
from zarrdb.metadata.v3.read_extra import must_understand, read_extra_fields
from zarrdb.metadata.value import JSONValue, is_fit, text_of, unfit_attributes

CONSOLIDATED: Final = CONSOLIDATED_METADATA_V3.name


class ZarrV3GroupReading(Reading):
    """The metadata of a v3 group; the documents that it may list are read by themselves."""

    __slots__ = ()

    def read_in(self, scope: Scope) -> "ZarrV3GroupReading":
        return read_group(self.value, FieldCache(scope))

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
        said = {"attributes": text_of({})}
        said |= {str(name): text_of(item) for name, item in self.value.items()}
        return said | {str(loc[0]): field.identity for loc, field in self.fields}


class ZarrV3UnknownReading(Reading):
    """A document that is no node of v3: of another format or node type, or no JSON."""

    __slots__ = ()

    @property
    def members(self) -> dict[str, Any]:
        return {"": text_of(self.value)}


class _Envelope(TypedDict, extra_items=JSONValue):  # type: ignore[call-arg]
    zarr_format: Literal[3]
    node_type: Literal["array", "group"]


def read_node(value: Any, cache: FieldCache, *, fit: bool = False) -> Reading:
    """Read a `zarr.json` as what its `node_type` says.

    Of a document that says nothing of the kind nothing else is judged but its format.
    """
    if not isinstance(value, dict):
        return ZarrV3UnknownReading(value, cache.scope, not_an_object(value))
    node_type = value.get("node_type")
    if node_type == "array":
        return read_array(value, cache, fit=fit)
    if node_type == "group":
        return read_group(value, cache, fit=fit)
    return ZarrV3UnknownReading(value, cache.scope, compiled(_Envelope).check(value))


def read_group(value: Any, cache: FieldCache, *, fit: bool = False) -> ZarrV3GroupReading:
    """Read the metadata of a group; `fit` vouches for its numbers and depth."""
    if not isinstance(value, dict):
        return ZarrV3GroupReading(value, cache.scope, not_an_object(value))
    problems = compiled(ZarrV3GroupMetadataJSON).check(value)
    fit = fit or is_fit(value)
    attributes = value.get("attributes")
    if not fit and isinstance(attributes, dict):
        problems += under("attributes", unfit_attributes(attributes, 1))
    fields, found = read_extra_fields(value, ZarrV3GroupExtraFieldDefinition, cache.scope, fit=fit)
    if found and value.get(CONSOLIDATED, 0) is None:
        found = tuple(map(_null_copy, found))
    return ZarrV3GroupReading(value, cache.scope, problems + found, fields)


def _null_copy(problem: Problem) -> Problem:
    if problem.loc != (CONSOLIDATED,):
        return problem
    return problem._replace(
        message="null, where a group without a copy has no such member", reason=reasons.NULL_MEMBER
    )
