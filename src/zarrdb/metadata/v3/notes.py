"""What is no fault of a v3 document, and yet stops a reader or misleads it."""

from collections.abc import Iterator
from typing import Any, Final

from zarrdb.metadata import reasons
from zarrdb.metadata.problem import Loc, Problem
from zarrdb.metadata.reading import Fields
from zarrdb.metadata.resolve import ResolvedField, UnclaimedField
from zarrdb.metadata.v3.read_extra import must_understand

_OF_V2: Final = {
    "chunks": "v3 writes `chunk_grid`",
    "dtype": "v3 writes `data_type`",
    "compressor": "v3 writes `codecs`",
    "filters": "v3 writes `codecs`",
    "order": "v3 writes a `transpose` codec",
    "dimension_separator": "v3 writes `chunk_key_encoding`",
}
_RENAMED: Final = {"endian": "bytes"}
"""Codecs by the names that they had in drafts."""


def notes(value: Any, fields: Fields) -> Iterator[Problem]:
    """Notes on an array or group, located from its root."""
    for name in must_understand(fields):
        if name in _OF_V2:
            text = f"a member of v2; {_OF_V2[name]}"
            yield Problem((name,), "unknown_key", text, reasons.MISPLACED_MEMBER)
        else:
            text = "no such member, and it does not say that readers may leave it alone"
            yield Problem((name,), "unknown_key", text, reasons.UNKNOWN_MEMBER)
    for at, field in fields:
        for loc, each in field.walk(at):
            yield from _renamed(loc, each)
    if not isinstance(value, dict):
        return
    transformers, names = value.get("storage_transformers"), value.get("dimension_names")
    if isinstance(transformers, list) and transformers:
        text = "what the codecs made is not what is stored"
        loc = ("storage_transformers",)
        yield Problem(loc, "invalid_value", text, reasons.STORAGE_TRANSFORMER)
    if isinstance(names, list):
        yield from _duplicates(names)


def _renamed(loc: Loc, field: ResolvedField) -> Iterator[Problem]:
    name = _RENAMED.get(field.name or "")
    if name is not None and isinstance(field, UnclaimedField) and field.kind.slot == "codecs":
        text = f"`{field.name}` is the name of a draft; the codec is called `{name}`"
        yield Problem(loc, "invalid_value", text, reasons.RENAMED)


def _duplicates(names: list[Any]) -> Iterator[Problem]:
    seen: set[str] = set()
    for axis, name in enumerate(names):
        if not isinstance(name, str) or not name:
            continue
        if name in seen:
            loc = ("dimension_names", axis)
            text = f"`{name}` names another axis too"
            yield Problem(loc, "invalid_value", text, reasons.DUPLICATE_NAME)
        seen.add(name)
