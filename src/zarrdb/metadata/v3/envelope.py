"""How Zarr v3 documents write a field: as a name, or as an object with name and configuration.

Zarr v3 core specification, "Extension definition" and "Extension names".
"""

import re
from functools import lru_cache
from typing import Any, Final

from zarrdb.metadata import reasons
from zarrdb.metadata.checks import missing
from zarrdb.metadata.definition import Written
from zarrdb.metadata.problem import Problem, Problems, shown

MEMBERS: Final = frozenset({"name", "configuration", "must_understand"})
"""The members of a field that is written as an object."""

CONFIGURATION: Final = ("configuration",)
"""Where the configuration lies in a field."""

_REGISTERED: Final = r"[a-z][a-z0-9_.-]+"
_URI: Final = r"[A-Za-z][A-Za-z0-9+.-]*:[A-Za-z0-9._~:/?#\[\]@!$&'()*+,;=%-]+"
_NAME: Final = re.compile(f"{_REGISTERED}|{_URI}")
_TYPESTR: Final = re.compile(r"[<>|]([A-Za-z])([0-9]*)(?:\[.*\])?")
_REMEMBERED_LENGTH: Final = 128
"""Characters of the longest name that is remembered."""

_NUMBERS: Final = {"i": "int", "u": "uint", "f": "float", "c": "complex"}
_TYPES: Final = {
    "b": "bool",
    "O": "string",
    "S": "null_terminated_bytes",
    "U": "fixed_length_utf32",
    "V": "raw_bytes",
    "M": "numpy.datetime64",
    "m": "numpy.timedelta64",
}


def taken_apart(value: object) -> Written:
    """A field of any kind, with its configuration; it has none where only a name is written."""
    if type(value) is dict and len(value) == 2:
        name, configuration = value.get("name"), value.get("configuration")
        if type(name) is str and type(configuration) is dict and not name_problems(name):
            return Written(name, configuration)
    if isinstance(value, str):
        problems = name_problems(value)
        return Written(value, None if problems else {}, problems, omitted=True)
    if not isinstance(value, dict):
        text = f"expected a name or an object with a `name`, got {shown(value)}"
        return Written(None, None, (Problem((), "invalid_type", text, reasons.WRONG_FORM),))
    name, problems = value.get("name"), _name_member_problems(value)
    remarks = tuple(_unknown(member) for member in value if member not in MEMBERS)
    if value.get("must_understand", True) is not True:
        remarks += _must_understand_problems(value["must_understand"])
    configuration = value.get("configuration", _NOTHING)
    if configuration is not _NOTHING and not isinstance(configuration, dict):
        text = f"expected an object, got {shown(configuration)}"
        problems += (Problem(CONFIGURATION, "invalid_type", text, reasons.WRONG_TYPE),)
    if not isinstance(name, str) or problems:
        return Written(name if isinstance(name, str) else None, None, problems, remarks=remarks)
    omitted = configuration is _NOTHING
    return Written(name, {} if omitted else configuration, remarks=remarks, omitted=omitted)


_NOTHING: Final[Any] = object()


def has_form(value: object) -> bool:
    """Whether name and configuration of a field can be told, good or bad."""
    if not isinstance(value, dict):
        return isinstance(value, str)
    return isinstance(value.get("name"), str) and isinstance(value.get("configuration", {}), dict)


def name_problems(text: str) -> Problems:
    """What is wrong with a name: it is neither a registered one nor, as in drafts, a URI."""
    return _known_problems(text) if len(text) <= _REMEMBERED_LENGTH else _name_problems(text)


def _name_problems(text: str) -> Problems:
    if _NAME.fullmatch(text):
        return ()
    reason, hint = reasons.WRONG_NAME, "lower-case letters, digits and -_. after a letter, or a URI"
    typestr = _TYPESTR.fullmatch(text)
    if typestr is not None:
        reason, hint = reasons.OTHER_FORMAT, f"a v2 typestring; v3 writes {_v3_name(typestr)}"
    message = f"{shown(text)} is no name ({hint})"
    return (Problem((), "invalid_value", message, reason),)


_known_problems: Final = lru_cache(maxsize=1024)(_name_problems)


def name_problems_of(value: object) -> Problems:
    """`name_problems` of a field, located in it; none where it has no name."""
    if isinstance(value, dict) and isinstance(value.get("name"), str):
        return tuple(each._replace(loc=("name",)) for each in name_problems(value["name"]))
    return name_problems(value) if isinstance(value, str) else ()


def object_of(name: str, configuration: dict[str, Any]) -> dict[str, Any]:
    """The field as an object, which readers of every 3.x specification take."""
    return {"name": name, "configuration": configuration} if configuration else {"name": name}


def _v3_name(typestr: re.Match[str]) -> str:
    code, size = typestr.groups()
    if code in _NUMBERS and size:
        return f"{_NUMBERS[code]}{8 * int(size[:3])}"
    return _TYPES.get(code, "a name")


def _name_member_problems(value: dict[str, Any]) -> Problems:
    if "name" not in value:
        return missing("name", reasons.OTHER_FORMAT if "id" in value else reasons.MISSING_NAME)
    name = value["name"]
    if isinstance(name, str):
        return name_problems_of(value)
    text = f"expected a name, a string, got {shown(name)}"
    return (Problem(("name",), "invalid_type", text, reasons.WRONG_NAME),)


def _unknown(name: str) -> Problem:
    text = f"unknown member {shown(name)} (known: name, configuration, must_understand)"
    return Problem((name,), "unknown_key", text, reasons.UNKNOWN_MEMBER)


def _must_understand_problems(value: object) -> Problems:
    loc = ("must_understand",)
    if value is False:
        text = "nothing can be read without it, so it cannot be skipped"
        return (Problem(loc, "invalid_value", text, reasons.NOT_SKIPPABLE),)
    text = f"expected true or false, got {shown(value)}"
    return (Problem(loc, "invalid_type", text, reasons.WRONG_TYPE),)
