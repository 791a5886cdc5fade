"""The scopes that documents are judged in: the core, a project's own, what is installed."""

from collections.abc import Iterable, Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, TypeVar

from zarrdb.errors import ConfigError, UsageError
from zarrdb.keys import printable

if TYPE_CHECKING:
    from zarrdb.metadata import Definition
    from zarrdb.metadata.scope import Scope
    from zarrdb.metadata.v2.context import ZarrV2Context
    from zarrdb.metadata.v3.context import ZarrV3Context

S = TypeVar("S", bound="Scope")

_TABLE: Final = "tool.zarrdb.scope"

Table = tuple[str, Mapping[str, Any]]
"""A file's name, and the `[tool.zarrdb.scope]` table in it."""


class Scopes:
    """A scope for each format, put together when documents of that format are met."""

    def __init__(
        self, tables: Iterable[Table] = (), more: "Iterable[Definition[Any]]" = ()
    ) -> None:
        self._tables = tuple(tables)
        self._more = tuple(more)

    def require_sound(self) -> None:
        """Raise ConfigError for a table that is wrong, UsageError for a contradiction."""
        if not self._tables:
            return
        from zarrdb.metadata.v2.definition import CORE_V2
        from zarrdb.metadata.v3.definition import CORE_V3

        known = {"v2": _names(CORE_V2) | _names(self.v2), "v3": _names(CORE_V3) | _names(self.v3)}
        for path, table in self._tables:
            _require_known(path, table.get("only"), known["v2"] | known["v3"])
            for section, names in known.items():
                _require_known(path, table.get(section, {}).get("only"), names)

    @cached_property
    def v2(self) -> "ZarrV2Context":
        """The scope of v2 documents."""
        from zarrdb.metadata.v2.definition import CORE_V2

        return _with(_declared(CORE_V2, self._tables), self._more)

    @cached_property
    def v3(self) -> "ZarrV3Context":
        """The scope of v3 documents."""
        from zarrdb.metadata.v3.definition import CORE_V3

        return _with(_declared(CORE_V3, self._tables), self._more)


def project_scopes(tables: Iterable[Table], more: "Iterable[Definition[Any]]" = ()) -> Scopes:
    """The union of what several tables declare; without any it is the core.

    `more` are definitions that plugins bring; they win over others of their names.

    Raises ConfigError for a table that is wrong, UsageError for tables that contradict one
    another.
    """
    scopes = Scopes(tables, more)
    scopes.require_sound()
    return scopes


def scope_table(path: str) -> Mapping[str, Any]:
    """The `[tool.zarrdb.scope]` table of a TOML file. Raises ConfigError where it has none."""
    from zarrdb.lint.config import toml_table

    table = toml_table(path, _TABLE)
    if not isinstance(table, dict):
        raise ConfigError(f"{path}: has no table [{_TABLE}]")
    return table


def _declared(core: S, tables: tuple[Table, ...]) -> S:
    if not tables:
        return core
    from zarrdb.metadata.declared import declared_scope

    found: list[S] = []
    for path, table in tables:
        try:
            found.append(declared_scope(core, table))
        except ConfigError as error:
            raise ConfigError(f"{path}: {error.message}", hint=error.hint) from None
    try:
        return found[0].union(*found[1:])
    except ValueError as error:
        raise UsageError(f"--scope: the scopes contradict one another: {error}") from None


def _names(scope: "Scope") -> set[str]:
    """The names of all that a scope knows."""
    return {name for kind in scope.kinds.values() for name in scope.definitions_of(kind)}


def _require_known(path: str, only: list[str] | None, known: set[str]) -> None:
    """Raise ConfigError for a name of `only` that keeps nothing, being a slip most likely."""
    from difflib import get_close_matches

    for name in only or ():
        if name not in known:
            near = get_close_matches(name, sorted(known), 1)
            guess = f"did you mean `{near[0]}`? " if near else ""
            raise ConfigError(
                f"{path}: `only` keeps `{printable(name)}`, which nothing is called",
                hint=f"{guess}what is not known otherwise has to be declared beside it",
            )


def _with(scope: S, more: "Iterable[Definition[Any]]") -> S:
    """A scope and the definitions for its format."""
    for definition in more:
        if definition.zarr_format == scope.zarr_format:
            slot = definition.slot
            held = scope.definitions_of(scope.kinds[slot])
            scope = scope.updated({slot: {**held, definition.name: definition}})
    return scope
