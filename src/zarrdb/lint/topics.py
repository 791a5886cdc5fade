"""From a problem of the metadata engine to the topic that rules are chosen by.

A topic is `part:reason`: the part of the document where the problem lies, and the problem's
own reason. A rule lists topics; `*:reason` is one of any part, and `part:*` takes all of a part
that nobody else lists.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

from zarrdb.lint.rule import Rule
from zarrdb.metadata import Loc, Problem
from zarrdb.metadata.reasons import NOT_FINITE

_PARTS: Final = {
    "zarr_format": "format",
    "node_type": "format",
    "shape": "axes",
    "chunks": "axes",
    "dtype": "dtype",
    "data_type": "dtype",
    "fill_value": "fill-value",
    "compressor": "codec",
    "filters": "codec",
    "codecs": "codec",
    "chunk_grid": "grid",
    "chunk_key_encoding": "grid",
    "dimension_names": "names",
    "storage_transformers": "transformers",
    "attributes": "attributes",
    "consolidated_metadata": "consolidated",
}
_NETCDF: Final = "_nczarr_"
"""What members of netCDF's begin with: it puts them into `.zgroup` too, and readers pass over."""

_FIELDS: Final = "fields"
"""The step that a record's location has and the document has not."""


def topic(problem: Problem, zarr_format: int) -> str:
    """The topic of a problem located from the root of an array or group document."""
    reason = problem.reason
    if zarr_format == 3 and reason == "legacy-number":
        # Only v2 was ever written by libraries with that habit.
        reason = "wrong-type"
    part = _part(problem.loc, reason)
    if part == "member" and zarr_format == 2 and _is_of_netcdf(problem.loc):
        part = "netcdf"
    return f"{part}:{reason}"


def _is_of_netcdf(loc: Loc) -> bool:
    return len(loc) == 1 and str(loc[0]).lower().startswith(_NETCDF)


def _part(loc: Loc, reason: str) -> str:
    part = _PARTS.get(str(loc[0]), "member") if loc else "member"
    if part == "consolidated":
        return part
    if len(loc) == 1 and reason in ("missing-member", "unknown-member", "misplaced-member"):
        return "format" if part == "format" else "member"
    if part == "dtype" and _FIELDS in loc:
        # `(fields, i, 1)` is the data type of a field, all else is the record's form.
        inner = loc[len(loc) - loc[::-1].index(_FIELDS) :]
        return "dtype" if len(inner) == 2 and inner[1] == 1 else "record"
    if loc in (("filters",), ("codecs",)) and reason == "wrong-type":
        return "member"
    if part == "codec" and "index_location" in loc:
        return "shard"
    return part


def by_topic(rules: Iterable[Rule[Any]]) -> Mapping[str, Rule[Any]]:
    """The declaration that each topic belongs to."""
    return {each: rule for rule in rules for each in rule.reasons}


def rule_for(table: Mapping[str, Rule[Any]], name: str) -> Rule[Any] | None:
    """The rule that a topic belongs to: by itself, by its reason, or with all of its part."""
    part, _, reason = name.partition(":")
    if reason == NOT_FINITE:
        # What is no number in JSON is told of by the rules on text.
        return None
    return table.get(name) or table.get(f"*:{reason}") or table.get(f"{part}:*")


_HINTS: Final = {
    "number-as-text": "write the number without quotes",
    "wrong-spelling": "the names are NaN, Infinity and -Infinity, in exactly this spelling",
    "integral-float": "write it without the point",
    "legacy-number": "an old library wrote it; readers that do not know the habit refuse it",
    "misplaced-member": "readers do not look for it here",
}


def hint(problem: Problem) -> str | None:
    """What to do about a problem, where its reason alone tells."""
    return _HINTS.get(problem.reason)
