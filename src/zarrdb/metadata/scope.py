"""Scopes: the definitions that a document is read with, as one immutable value.

A scope is passed down; there is no registry. Within a slot each name has one definition.
"""

from collections.abc import Iterable, Iterator, Mapping
from types import MappingProxyType
from typing import Any, ClassVar, NamedTuple, Self, TypeVar

from zarrdb.errors import ScopeConflictError
from zarrdb.metadata.definition import Definition
from zarrdb.metadata.problem import Loc

D = TypeVar("D", bound=Definition[Any])
Tables = dict[str, dict[str, Definition[Any]]]


class Conflict(NamedTuple):
    """A name with two claims: `claimed` was there first.

    `found` is the other definition, None when a scope that a document moves to has none.
    `loc` is the field in that document, None when scopes were put together.
    """

    claimed: Definition[Any]
    found: Definition[Any] | None
    loc: Loc | None = None

    def __str__(self) -> str:
        where = "" if self.loc is None else f" at {'/'.join(map(str, self.loc))}"
        what = "is not there" if self.found is None else "has another definition"
        return f"{self.claimed.label} {self.claimed.name!r}{where} {what}"


class Scope:
    """Definitions in scope, a table from name to definition in each slot.

    Slots are given as iterables of definitions or as mappings from their names. TypeError for
    an unknown slot, for what is no definition of the slot's kind and for a key that is not its
    definition's name. ScopeConflictError, with every conflict, for two different definitions
    of one name.
    """

    __slots__ = ("_hash", "_tables")

    kinds: ClassVar[Mapping[str, type[Definition[Any]]]]
    """The kind of definition that each slot holds."""
    zarr_format: ClassVar[int]
    """The Zarr format of the documents that this scope reads."""
    indispensable: ClassVar[Mapping[str, str]] = {}
    """In some slots the name of what no document can do without."""

    _tables: Tables
    _hash: int

    def __init__(self, **slots: Any) -> None:
        conflicts: list[Conflict] = []
        unknown = slots.keys() - self.kinds.keys()
        if unknown:
            raise TypeError(f"{type(self).__name__} has no slot {', '.join(sorted(unknown))}")
        self._tables = {
            slot: _table(kind, _definitions(kind, slots.get(slot, ())), conflicts)
            for slot, kind in self.kinds.items()
        }
        if conflicts:
            raise conflict_error(conflicts)

    def definitions_of(self, kind: type[D]) -> Mapping[str, D]:
        """Definitions of the kind by name, read-only. TypeError for another format's kind."""
        return MappingProxyType(self._table_of(kind))

    def claimant(self, kind: type[D], name: str) -> D | None:
        """The definition that reads a field with this name, as a document writes the name.

        To claim is not to accept. TypeError for a kind of another format.
        """
        filed = kind.filed_under(name)
        return None if filed is None else self._table_of(kind).get(filed)

    def updated(self, slots: Mapping[str, Any]) -> Self:
        """`update` of the scope's own class, whose keywords are its slots, for any slots."""
        return type(self)(**{**self._tables, **slots})

    def union(self, *others: Self) -> Self:
        """The scope with every definition of this one and the others.

        ScopeConflictError when two of them differ on a name; TypeError for another format.
        """
        for other in others:
            if type(other) is not type(self):
                raise TypeError(f"cannot unite {type(self).__name__} and {type(other).__name__}")
        scopes = (self, *others)
        slots = {
            slot: [each for scope in scopes for each in scope._tables[slot].values()]
            for slot in self.kinds
        }
        return type(self)(**slots)

    def _table_of(self, kind: type[D]) -> dict[str, D]:
        if self.kinds.get(getattr(kind, "slot", "")) is not kind:
            raise TypeError(f"{type(self).__name__} holds no definitions of {kind!r}")
        return self._tables[kind.slot]  # type: ignore[return-value]

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Scope):
            return NotImplemented
        return type(self) is type(other) and self._tables == other._tables

    def __hash__(self) -> int:
        try:
            return self._hash
        except AttributeError:
            contents = {each for table in self._tables.values() for each in table.values()}
            self._hash = hash((type(self), frozenset(contents)))
            return self._hash

    def __reduce__(self) -> tuple[Any, ...]:
        contents = {slot: tuple(table.values()) for slot, table in self._tables.items()}
        return _restored, (type(self), contents)

    def __copy__(self) -> Self:
        return self

    def __deepcopy__(self, _: dict[int, Any]) -> Self:
        return self

    def __repr__(self) -> str:
        count = sum(len(table) for table in self._tables.values())
        return f"<{type(self).__name__}: {count} definitions>"


def conflict_error(conflicts: Iterable[Conflict]) -> ScopeConflictError:
    """The error that carries all of the conflicts."""
    found = tuple(conflicts)
    return ScopeConflictError(
        "; ".join(map(str, found)),
        found,
        hint="replace a definition on purpose with `update`",
    )


def _restored(cls: type[Scope], contents: dict[str, tuple[Definition[Any], ...]]) -> Scope:
    return cls(**contents)


def _definitions(kind: type[Definition[Any]], given: Any) -> Iterator[Any]:
    """The definitions given for a slot; the key of each must be its name."""
    if not isinstance(given, Mapping):
        yield from given
        return
    for name, each in given.items():
        if getattr(each, "name", None) != name:
            raise TypeError(f"{name!r} is not the name of the {kind.label} under it")
        yield each


def _table(
    kind: type[Definition[Any]], given: Iterable[Any], conflicts: list[Conflict]
) -> dict[str, Definition[Any]]:
    table: dict[str, Definition[Any]] = {}
    for each in given:
        if not isinstance(each, kind):
            raise TypeError(f"{each!r} is no {kind.label}")
        filed = table.setdefault(each.name, each)
        if filed != each:
            conflicts.append(Conflict(filed, each))
    return table
