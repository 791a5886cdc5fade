"""Sameness of JSON values as readers see it."""

from collections.abc import Iterator
from typing import Any


def same(entry: Any, value: Any) -> bool:
    """Whether two JSON values are equal, NaN and its name being one."""
    if entry == value and type(entry) is type(value):
        return True
    if isinstance(entry, dict) and isinstance(value, dict):
        return entry.keys() == value.keys() and all(same(entry[k], value[k]) for k in entry)
    if isinstance(entry, list) and isinstance(value, list):
        return len(entry) == len(value) and all(map(same, entry, value))
    return any(_named(entry)) and list(_named(entry)) == list(_named(value))


def _named(value: Any) -> Iterator[str]:
    """The name of what is no number: of NaN itself, or spelled out."""
    if isinstance(value, float) and value - value != 0:
        yield "NaN" if value != value else f"{'-' if value < 0 else ''}Infinity"
    elif value in ("NaN", "Infinity", "-Infinity"):
        yield value
