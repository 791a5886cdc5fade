"""A document that was read: what it says, in which scope, and every problem."""

from collections.abc import Iterator
from typing import Any, NamedTuple, Self

from zarrdb.errors import MetadataError
from zarrdb.metadata import reasons
from zarrdb.metadata.checks import wrong_type
from zarrdb.metadata.problem import Loc, Problems
from zarrdb.metadata.resolve import ResolvedField, UnclaimedField
from zarrdb.metadata.scope import Conflict, Scope, conflict_error

Fields = tuple[tuple[Loc, ResolvedField], ...]


def not_an_object(value: object) -> Problems:
    """The problem of a document that is no object."""
    return wrong_type("an object", value, reasons.NOT_AN_OBJECT)


class Unclaimed(NamedTuple):
    """A field that nobody in scope reads."""

    loc: Loc
    slot: str
    """Where its definition would be filed, such as `codecs`."""
    name: str


class Reading:
    """A metadata document, read in a scope.

    `value` is the document, an array's or a group's with its attributes in it. Two readings
    are equal when the documents mean the same: with every default written out and every
    field in its simplest spelling.
    """

    __slots__ = ("fields", "problems", "scope", "value")

    def __init__(self, value: Any, scope: Scope, problems: Problems, fields: Fields = ()) -> None:
        self.value = value
        self.scope = scope
        self.problems = problems
        """Every problem, located from the document's root."""
        self.fields = fields
        """The data type, codecs and other fields, located from the root; not those within."""

    def read_in(self, scope: Scope) -> Self:
        """The same document, read in another scope."""
        raise NotImplementedError

    @property
    def members(self) -> dict[str, Any]:
        """What the document says, member by member, each as a hashable value that is equal
        where two documents say the same."""
        raise NotImplementedError

    def differences(self, other: "Reading") -> list[str]:
        """The members in which two documents say something else, sorted."""
        mine, theirs = self.members, other.members
        absent = object()
        return sorted(
            name
            for name in mine.keys() | theirs.keys()
            if mine.get(name, absent) != theirs.get(name, absent)
        )

    def field_at(self, *loc: str | int) -> ResolvedField | None:
        """The field at a location, None when the document has none there."""
        return next((field for at, field in self.fields if at == loc), None)

    def walk(self) -> Iterator[tuple[Loc, ResolvedField]]:
        """Every field, those within others after them."""
        for loc, field in self.fields:
            yield from field.walk(loc)

    @property
    def unclaimed(self) -> tuple[Unclaimed, ...]:
        """The fields that no definition in scope claims."""
        return tuple(
            Unclaimed(loc, field.kind.slot, field.name or "")
            for loc, field in self.walk()
            if isinstance(field, UnclaimedField)
        )

    def refined_in(self, scope: Scope) -> Self:
        """The document in a scope that may claim what was unclaimed, and changes nothing else.

        ScopeConflictError, with every conflict, when a field would lose its definition or
        get another one; MetadataError when it has problems there.
        """
        conflicts = [
            Conflict(field.definition, found, loc)
            for loc, field in self.walk()
            if field.definition is not None
            and (found := scope.claimant(field.kind, field.name or "")) != field.definition
        ]
        if conflicts:
            raise conflict_error(conflicts)
        return self.with_context(scope)

    def with_context(self, scope: Scope) -> Self:
        """The document in any other scope. MetadataError when it has problems there."""
        return self.read_in(scope).clean()

    def clean(self) -> Self:
        """This reading. MetadataError, with all of them, when there are problems."""
        if self.problems:
            first, count = self.problems[0], len(self.problems)
            where = "/".join(map(str, first.loc)) or "the document"
            more = f" (and {count - 1} more)" if count > 1 else ""
            raise MetadataError(f"{where}: {first.message}{more}", self.problems)
        return self

    def refines(self, other: "Reading") -> bool:
        """Whether this reading says all that the other one says, and perhaps more: its scope
        claims more, and reads in the other document what it has itself."""
        if self == other:
            return True
        mine, theirs = dict(self.fields), dict(other.fields)
        return (
            type(self) is type(other)
            and mine.keys() == theirs.keys()
            and all(mine[loc].refines(field) for loc, field in theirs.items())
            and self == other.read_in(self.scope)
        )

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Reading):
            return NotImplemented
        return type(self) is type(other) and self.members == other.members

    def __hash__(self) -> int:
        return hash(frozenset(self.members.items()))

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {len(self.problems)} problems>"
