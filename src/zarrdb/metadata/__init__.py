"""Metadata documents read in a scope: JSON in, a reading and every problem out."""

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
