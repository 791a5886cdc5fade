"""Metadata documents read in a scope: JSON in, a reading and every problem out.

A *definition* says what one data type, codec, grid or encoding may look like; a *scope* is an
immutable set of definitions; `resolve` reads one field in a scope, and a reader
(`v2.ZarrV2Reader`, `v3.ZarrV3Reader`) reads whole documents. What a scope does not know is
unclaimed, and nothing is wrong with that. To know one codec more takes ten lines:

    >>> from typing import Annotated, NotRequired
    >>> from typing_extensions import TypedDict
    >>> from zarrdb.metadata import Interval, resolve
    >>> from zarrdb.metadata.v2 import CORE_V2, ZarrV2CodecDefinition
    >>> class WebpParameters(TypedDict, closed=True):
    ...     level: NotRequired[Annotated[int, Interval(ge=0, le=100)]]
    >>> WEBP = ZarrV2CodecDefinition(name="imagecodecs_webp", configuration=WebpParameters)
    >>> scope = CORE_V2.update(codecs=[*CORE_V2.codecs.values(), WEBP])
    >>> field, problems = resolve({"id": WEBP.name, "level": 101}, ZarrV2CodecDefinition, scope)
    >>> [(each.loc, each.reason, each.message) for each in problems]
    [(('level',), 'out-of-range', 'expected an integer from 0 to 100, got 101')]

A codec of v3 says besides what it makes of what: `ZarrV3CodecDefinition(name="mine",
configuration=…, kind="bytes_bytes")` in `CORE_V3` of `zarrdb.metadata.v3`.

A location is the steps from the document's root to the fault; `document.stored_pointer` makes
a JSON pointer of it. `rules` (for what a type cannot say) and `canonical` (for what two
spellings have in common) are functions at module level, so that a scope can be pickled.
"""

from zarrdb.errors import MetadataError, ScopeConflictError
from zarrdb.metadata.cache import FieldCache
from zarrdb.metadata.definition import Definition, Written
from zarrdb.metadata.problem import Loc, Problem, ProblemKind, Problems
from zarrdb.metadata.resolve import (
    AcceptedField,
    RefusedField,
    ResolvedField,
    UnclaimedField,
    canonical_of,
    resolve,
)
from zarrdb.metadata.scope import Conflict, Scope
from zarrdb.metadata.shape import FieldOf, Ge, Interval, Le, compiled
from zarrdb.metadata.value import JSONObject, JSONValue

__all__ = [
    "AcceptedField",
    "Conflict",
    "Definition",
    "FieldCache",
    "FieldOf",
    "Ge",
    "Interval",
    "JSONObject",
    "JSONValue",
    "Le",
    "Loc",
    "MetadataError",
    "Problem",
    "ProblemKind",
    "Problems",
    "RefusedField",
    "ResolvedField",
    "Scope",
    "ScopeConflictError",
    "UnclaimedField",
    "Written",
    "canonical_of",
    "compiled",
    "resolve",
]
