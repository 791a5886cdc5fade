"""Bytes of metadata documents: values and their oddities, places in them, and splices.

Reading only sets flags; places are looked for in a second walk, when there is something to
report. Lines end at `\\n` only, columns count code points from 1, a byte order mark is none.
"""

from zarrdb.jsontext.places import Place, locate
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
from zarrdb.jsontext.splice import splice
from zarrdb.jsontext.survey import Oddity, oddities
from zarrdb.jsontext.text import Fault, Text, decode, pointer, position

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
