"""`[tool.zarrdb.check]` in `zarrdb.toml` or `pyproject.toml`: the options of a project.

[tool.zarrdb.check]
ignore = ["portability", "chunk/missing"]
level = { "container/free-pages" = "warning" }
fail-on = "warning"

[[tool.zarrdb.check.overrides]]
keys = ["scratch/**"]
ignore = ["chunk"]
"""

import os
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NamedTuple, cast

from zarrdb._version import __version__
from zarrdb.errors import ConfigError
from zarrdb.keys import printable
from zarrdb.lint.finding import LEVELS, Level
from zarrdb.lint.report import FAILING, FailOn
from zarrdb.lint.selection import Override
from zarrdb.location import is_url

FORMATS: Final = ("text", "json", "sarif", "github", "junit")
_FILES: Final = ("zarrdb.toml", "pyproject.toml")
_OURS: Final = "tool.zarrdb"
_TABLE: Final = "tool.zarrdb.check"
_TABLES: Final = ("check", "scope")
_REQUIREMENT: Final = re.compile(r"(==|!=|>=|<=|>|<)\s*([0-9]+(?:\.[0-9]+)*)")


class Config(NamedTuple):
    """What a configuration file says; what it does not say is None or empty.

    `path` is the file, None without one; paths in it are relative to its directory.
    """

    path: str | None = None
    select: tuple[str, ...] = ()
    ignore: tuple[str, ...] = ()
    level: tuple[tuple[str, Level], ...] = ()
    fail_on: FailOn | None = None
    format: str | None = None
    baseline: str | None = None
    max_findings: int | str | None = None
    scope: tuple[str, ...] = ()
    plugins: tuple[str, ...] = ()
    overrides: tuple[Override, ...] = ()
    scope_table: Any = None
    """Its `[tool.zarrdb.scope]`, unread."""


def find_config(start: str) -> str | None:
    """The nearest configuration file, from a directory upwards.

    A `pyproject.toml` without a table of ours is passed over. Raises ConfigError for one that is
    no TOML.
    """
    folder = os.path.abspath(start)
    while True:
        for name in _FILES:
            path = os.path.join(folder, name)
            if os.path.isfile(path) and (name == _FILES[0] or toml_table(path, _OURS)):
                return path
        above = os.path.dirname(folder)
        if above == folder:
            return None
        folder = above


def load_config(path: str) -> Config:
    """Read a configuration file. Raises ConfigError, naming the member that is wrong."""
    ours = toml_table(path, _OURS)
    reader = _Reader(path)
    if os.path.basename(path) == _FILES[0]:
        reader.require_members(toml_table(path, ""), ("tool",), "")
        reader.require_members(toml_table(path, "tool"), ("zarrdb",), "tool")
    if ours is None:
        return Config(path)
    reader.require_members(ours, _TABLES, _OURS)
    table, scope_table = (ours.get(name) for name in _TABLES)
    if table is None:
        return Config(path, scope_table=scope_table)
    members = reader.members(table, _MEMBERS, _TABLE)
    wanted = members.pop("required_version", None)
    if wanted is not None:
        reader.require_version(wanted)
    config = Config(path, scope_table=scope_table, **members)
    folder = os.path.dirname(os.path.abspath(path))
    scopes = tuple(_from(folder, each) if each.endswith(".toml") else each for each in config.scope)
    baseline = None if config.baseline is None else _from(folder, config.baseline)
    return config._replace(scope=scopes, baseline=baseline)


def _from(folder: str, path: str) -> str:
    return path if is_url(path) else os.path.join(folder, path)


def toml_table(path: str, name: str) -> Any:
    """A table of a TOML file by its dotted name, None where there is none; "" is all of it.

    Raises ConfigError for a file that cannot be read or is no TOML.
    """
    import tomllib

    try:
        with open(path, "rb") as file:
            value: Any = tomllib.load(file)
    except OSError as error:
        raise ConfigError(f"{path}: cannot be read: {(error.strerror or '').lower()}") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise ConfigError(f"{path}: not valid TOML: {error}") from None
    for part in name.split(".") if name else ():
        value = value.get(part) if isinstance(value, dict) else None
    return value


class _Reader:
    """Turns members of a table into what they stand for, or says which one is wrong."""

    def __init__(self, path: str) -> None:
        self.path = path

    def members(
        self, table: Any, known: Mapping[str, Callable[["_Reader", str, Any], Any]], where: str
    ) -> dict[str, Any]:
        self.require_members(table, known, where)
        return {
            name.replace("-", "_"): known[name](self, f"{where}.{name}", value)
            for name, value in table.items()
        }

    def require_members(self, table: Any, known: Iterable[str], where: str) -> None:
        """Raise ConfigError for a table that is none, or has a member that nothing reads."""
        if table is None:
            return
        if not isinstance(table, dict):
            raise self.wrong(where, "a table")
        for name in table:
            if name not in known:
                place = f" in [{where}]" if where else ""
                raise ConfigError(
                    f"{self.path}: unknown member `{printable(name)}`{place}",
                    hint=f"{_guess(name, known)}the members are {', '.join(known)}",
                )

    def wrong(self, where: str, expected: str) -> ConfigError:
        return ConfigError(f"{self.path}: {where} has to be {expected}")

    def texts(self, where: str, value: Any) -> tuple[str, ...]:
        if not isinstance(value, list) or not all(isinstance(each, str) for each in value):
            raise self.wrong(where, "a list of texts")
        return tuple(value)

    def text(self, where: str, value: Any) -> str:
        if not isinstance(value, str):
            raise self.wrong(where, "a text")
        return value

    def text_or_texts(self, where: str, value: Any) -> tuple[str, ...]:
        return (value,) if isinstance(value, str) else self.texts(where, value)

    def levels(self, where: str, value: Any) -> tuple[tuple[str, Level], ...]:
        words = " or ".join(f'"{level}"' for level in LEVELS)
        if not isinstance(value, dict) or not all(each in LEVELS for each in value.values()):
            raise self.wrong(where, f"a table from rules to {words}")
        return tuple(value.items())

    def fail_on(self, where: str, value: Any) -> FailOn:
        if value not in FAILING:
            raise self.wrong(where, " or ".join(f'"{level}"' for level in FAILING))
        return cast(FailOn, value)

    def format(self, where: str, value: Any) -> str:
        if value not in FORMATS:
            raise self.wrong(where, " or ".join(f'"{name}"' for name in FORMATS))
        return str(value)

    def number_or_all(self, where: str, value: Any) -> int | str:
        if value == "all" or (type(value) is int and value >= 0):
            return cast(int | str, value)
        raise self.wrong(where, 'a number from 0, or "all"')

    def overrides(self, where: str, value: Any) -> tuple[Override, ...]:
        if not isinstance(value, list):
            raise self.wrong(where, "a list of tables")
        found = [Override(**self.members(each, _OVERRIDE, where)) for each in value]
        if not all(each.keys for each in found):
            raise self.wrong(f"{where}.keys", "given")
        return tuple(found)

    def require_version(self, text: str) -> None:
        """Raise ConfigError where this version is not among those that are asked for."""
        have = _numbers(__version__)
        for part in text.split(","):
            match = _REQUIREMENT.fullmatch(part.strip())
            if match is None:
                raise self.wrong("required-version", 'like ">=0.1,<1"')
            if not _HOLDS[match[1]](have, _numbers(match[2])):
                raise ConfigError(f"{self.path}: needs zarrdb {text}, this is {__version__}")


def _guess(name: str, known: Iterable[str]) -> str:
    from difflib import get_close_matches

    near = get_close_matches(name, known, 1)
    return f"did you mean `{near[0]}`? " if near else ""


def _numbers(version: str) -> tuple[int, ...]:
    """The numbers of a release, without zeros at its end: 1.0 is 1."""
    parts = re.match(r"[0-9]+(?:\.[0-9]+)*", version)
    numbers = [int(part) for part in parts[0].split(".")] if parts else []
    while numbers and not numbers[-1]:
        numbers.pop()
    return tuple(numbers)


_HOLDS: Final[dict[str, Callable[[tuple[int, ...], tuple[int, ...]], bool]]] = {
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    ">=": lambda a, b: a >= b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    "<": lambda a, b: a < b,
}

_OVERRIDE: Final[dict[str, Callable[[_Reader, str, Any], Any]]] = {
    "keys": _Reader.texts,
    "ignore": _Reader.texts,
    "level": _Reader.levels,
}
_MEMBERS: Final[dict[str, Callable[[_Reader, str, Any], Any]]] = {
    "select": _Reader.texts,
    "ignore": _Reader.texts,
    "level": _Reader.levels,
    "fail-on": _Reader.fail_on,
    "format": _Reader.format,
    "baseline": _Reader.text,
    "max-findings": _Reader.number_or_all,
    "scope": _Reader.text_or_texts,
    "plugins": _Reader.texts,
    "required-version": _Reader.text,
    "overrides": _Reader.overrides,
}
