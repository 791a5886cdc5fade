"""The scopes that documents are judged in: the core, a project's own, what is installed."""

from collections.abc import Iterable, Mapping
from typing import Any, Final, NamedTuple, TypeVar

from zarrdb.errors import ConfigError, UsageError
from zarrdb.metadata.scope import Scope
from zarrdb.metadata.v2.context import ZarrV2Context
from zarrdb.metadata.v2.definition import CORE_V2

S = TypeVar("S", bound=Scope)

_TABLE: Final = "tool.zarrdb.scope"


class Scopes(NamedTuple):
    """A scope for each format."""

    v2: ZarrV2Context = CORE_V2


CORE: Final = Scopes()


def project_scopes(tables: Iterable[tuple[str, Mapping[str, Any]]]) -> Scopes:
    """The union of what several `[tool.zarrdb.scope]` tables, named by their files, declare.

    Without any it is the core. Raises ConfigError for a table that is wrong, UsageError for
    tables that contradict one another.
    """
    found: list[Scopes] = []
    for path, table in tables:
        found.append(_declared(path, table))
    if not found:
        return CORE
    first, *others = found
    try:
        return Scopes(first.v2.union(*(each.v2 for each in others)))
    except ValueError as error:
        raise UsageError(f"--scope: the scopes contradict one another: {error}") from None


def scope_table(path: str) -> Mapping[str, Any]:
    """The `[tool.zarrdb.scope]` table of a TOML file. Raises ConfigError where it has none."""
    from zarrdb.lint.config import toml_table

    table = toml_table(path, _TABLE)
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: has no table [{_TABLE}]")
    return table


def _declared(path: str, table: Mapping[str, Any]) -> Scopes:
    from zarrdb.metadata.declared import declared_scope

    try:
        return Scopes(declared_scope(CORE_V2, table))
    except ConfigError as error:
        raise ConfigError(f"{path}: {error.message}", hint=error.hint) from None
