"""Reading v2 groups, attributes, and nodes from the documents that they are stored as."""

from collections.abc import Mapping
from typing import Any, NamedTuple

from zarrdb.metadata import reasons
from zarrdb.metadata.cache import FieldCache
from zarrdb.metadata.problem import Problem, Problems, under
from zarrdb.metadata.reading import Reading, not_an_object
from zarrdb.metadata.scope import Scope
from zarrdb.metadata.shape import compiled
from zarrdb.metadata.v2.array import ZARR_V2_ARRAY_METADATA_STORE_KEY
from zarrdb.metadata.v2.attributes import ZARR_V2_ATTRIBUTES_STORE_KEY
from zarrdb.metadata.v2.group import (
    ZARR_V2_GROUP_METADATA_STORE_KEY,
    ZarrV2GroupMetadataJSON,
    ZarrV2ZGroupJSON,
)
from zarrdb.metadata.v2.read_array import read_array
from zarrdb.metadata.value import text_of, unfit_attributes


class ZarrV2GroupReading(Reading):
    """The metadata of a v2 group, with its attributes."""

    __slots__ = ()

    def read_in(self, scope: Scope) -> "ZarrV2GroupReading":
        return read_group(self.value, FieldCache(scope))

    @property
    def members(self) -> dict[str, Any]:
        if not isinstance(self.value, dict):
            return {"": text_of(self.value)}
        said = {str(name): text_of(item) for name, item in self.value.items()}
        return {"attributes": text_of({})} | said


class ZarrV2UnknownReading(Reading):
    """Documents that are no node: both kinds at once, neither, or no JSON."""

    __slots__ = ()

    @property
    def members(self) -> dict[str, Any]:
        return {"": text_of(self.value)}


def read_group(value: Any, cache: FieldCache, *, stored: bool = False) -> ZarrV2GroupReading:
    """Read the metadata of a group, attributes included.

    `stored` reads a `.zgroup` as it lies in a store, which has no attributes.
    """
    if not isinstance(value, dict):
        return ZarrV2GroupReading(value, cache.scope, not_an_object(value))
    problems = compiled(ZarrV2ZGroupJSON if stored else ZarrV2GroupMetadataJSON).check(value)
    attributes = value.get("attributes")
    if not stored and isinstance(attributes, dict):
        problems += under("attributes", unfit_attributes(attributes, 1))
    return ZarrV2GroupReading(value, cache.scope, problems)


class NodeParts(NamedTuple):
    """A node, and its problems as they are located in the documents that have them."""

    reading: Reading
    own: Problems
    """In the document of the array or the group."""
    of_attributes: Problems


def read_node(documents: Mapping[str, Any], cache: FieldCache, *, fit: bool = False) -> Reading:
    """Read the node that parsed documents, by their names, are: an array or a group.

    Locations are those in the node with its attributes: a problem in `.zattrs` is located
    below `attributes`.
    """
    return read_parts(documents, cache, fit=fit).reading


def read_parts(documents: Mapping[str, Any], cache: FieldCache, *, fit: bool = False) -> NodeParts:
    """`read_node`, with the problems of each document apart too."""
    is_array = ZARR_V2_ARRAY_METADATA_STORE_KEY in documents
    is_group = ZARR_V2_GROUP_METADATA_STORE_KEY in documents
    reading: Reading
    if is_array == is_group:
        problem = _BOTH if is_array else _NEITHER
        reading = ZarrV2UnknownReading(dict(documents), cache.scope, (problem,))
    elif is_array:
        array = documents[ZARR_V2_ARRAY_METADATA_STORE_KEY]
        reading = read_array(array, cache, fit=fit, stored=True)
    else:
        reading = read_group(documents[ZARR_V2_GROUP_METADATA_STORE_KEY], cache, stored=True)
    own, value = reading.problems, reading.value
    has_attributes = ZARR_V2_ATTRIBUTES_STORE_KEY in documents and is_array != is_group
    if not has_attributes or not isinstance(value, dict):
        return NodeParts(reading, own, ())
    attributes = documents[ZARR_V2_ATTRIBUTES_STORE_KEY]
    wrong = attributes_problems(attributes)
    whole = {**value, "attributes": attributes}
    problems = own + under("attributes", wrong)
    return NodeParts(type(reading)(whole, reading.scope, problems, reading.fields), own, wrong)


def attributes_problems(value: Any) -> Problems:
    """Problems of a `.zattrs` document, which counts one level more within its node."""
    return unfit_attributes(value, 1) if isinstance(value, dict) else not_an_object(value)


_BOTH = Problem(
    (ZARR_V2_GROUP_METADATA_STORE_KEY,),
    "invalid_value",
    "beside a `.zarray`: a node is an array or a group",
    reasons.ARRAY_AND_GROUP,
)
_NEITHER = Problem((), "missing_key", "neither `.zarray` nor `.zgroup`", reasons.NO_NODE)
