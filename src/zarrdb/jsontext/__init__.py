"""Bytes of metadata documents: values and their oddities, places in them, and splices.

Reading only sets flags; places are looked for in a second walk, when there is something to
report. Lines end at `\\n` only, columns count code points from 1, a byte order mark is none.
"""

from typing import TYPE_CHECKING

from zarrdb.jsontext.read import (
    CONSTANT,
    DUPLICATE,
    MAX_DEPTH,
    MAX_DIGITS,
    OVERFLOW,
    SURROGATE,
    Parsed,
    parse,
)
from zarrdb.jsontext.text import Fault, Text, decode, pointer, position

if TYPE_CHECKING:
    from zarrdb.jsontext.edit import splice
    from zarrdb.jsontext.places import Place, locate
    from zarrdb.jsontext.survey import Oddity, oddities

__all__ = [
    "CONSTANT",
    "DUPLICATE",
    "MAX_DEPTH",
    "MAX_DIGITS",
    "OVERFLOW",
    "SURROGATE",
    "Fault",
    "Oddity",
    "Parsed",
    "Place",
    "Text",
    "decode",
    "locate",
    "oddities",
    "parse",
    "pointer",
    "position",
    "splice",
]

# Only findings need places: a listing does without these modules.
_LATER = {
    "Oddity": "survey",
    "Place": "places",
    "locate": "places",
    "oddities": "survey",
    "splice": "edit",
}


def __getattr__(name: str) -> object:
    """Load a name from its module at first use (PEP 562)."""
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    value: object = getattr(import_module(f"{__name__}.{_LATER[name]}"), name)
    globals()[name] = value
    return value
