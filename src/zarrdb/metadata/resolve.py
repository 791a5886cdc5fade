"""Reading one field of a document in a scope: accepted, unclaimed or refused.

Unclaimed is no problem: nobody in scope says what the name is. Accepted is not clean: unknown
members and problems of nested fields leave a field accepted. Refused is everything else.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol, TypeAlias, TypeVar, cast

from zarrdb.metadata import reasons
from zarrdb.metadata.checks import Compiled, missing
from zarrdb.metadata.definition import Definition, EmptyConfiguration, Written
from zarrdb.metadata.problem import Loc, Problem, Problems, below
from zarrdb.metadata.scope import Scope
from zarrdb.metadata.shape import compiled
from zarrdb.metadata.value import JSONValue, refined, replaced, text_of, without

D = TypeVar("D", bound=Definition[Any])
Kind: TypeAlias = type[Definition[Any]]


@dataclass(frozen=True, eq=False, repr=False)
class ResolvedField:
    """A field that was read: an AcceptedField, an UnclaimedField or a RefusedField.

    Fields are equal when they mean the same: accepted ones by their definition and canonical
    configuration, others by what is written.
    """

    kind: Kind
    name: str | None
    """The name as the document writes it; None when none can be read."""
    value: Any
    """What the document has."""
    definition: Definition[Any] | None = None
    """What claims the name, None when nothing does."""
    nested: tuple[tuple[Loc, "ResolvedField"], ...] = ()
    """Fields within, located from this one."""
    configuration: Any = None
    """What is configured: without unknown members when accepted, as written when unclaimed."""

    def walk(self, loc: Loc = ()) -> Iterator[tuple[Loc, "ResolvedField"]]:
        """This field and all within it, at any depth, located from where `loc` starts."""
        yield loc, self
        for at, field in self.nested:
            yield from field.walk((*loc, *at))

    @cached_property
    def identity(self) -> tuple[Any, ...]:
        """What makes two fields equal, as a hashable value."""
        return (type(self), self.kind, self.name, self.definition, text_of(self.value))

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, ResolvedField):
            return NotImplemented
        return self.identity == other.identity

    def __hash__(self) -> int:
        return hash(self.identity)

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.kind.label} {self.name!r}>"

    def refines(self, other: "ResolvedField") -> bool:
        """Whether this reading says all that the other one says, and perhaps more."""
        return self == other


class AcceptedField(ResolvedField):
    """A field that its definition reads."""

    definition: Definition[Any]

    def within(self, *loc: str | int) -> ResolvedField | None:
        """The field at a location of the configuration, None when there is none."""
        at = (*self.kind.configuration_at, *loc)
        return next((field for place, field in self.nested if place == at), None)

    @cached_property
    def canonical_configuration(self) -> Any:
        """The configuration with defaults filled in and everything in its simplest spelling."""
        canonical = self.definition.canonical
        return self.configuration if canonical is None else canonical(self.configuration)

    @cached_property
    def identity(self) -> tuple[Any, ...]:
        return (*self._own, tuple([(at, field.identity) for at, field in self.nested]))

    @cached_property
    def _own(self) -> tuple[Any, ...]:
        """Identity without the fields within."""
        start = len(self.kind.configuration_at)
        blank = {at[start:]: None for at, _ in self.nested}
        return self.definition, text_of(replaced(self.canonical_configuration, blank))

    @property
    def canonical(self) -> JSONValue:
        """The field in its simplest spelling; meant for a field without problems."""
        start = len(self.kind.configuration_at)
        inner = {at[start:]: canonical_of(field) for at, field in self.nested}
        configuration = replaced(self.canonical_configuration, inner)
        return self.kind.joined(self.definition.name, configuration)

    def refines(self, other: ResolvedField) -> bool:
        if isinstance(other, UnclaimedField):
            return self.kind is other.kind and self == _read_as(self, other.value)
        if not isinstance(other, AcceptedField):
            return False
        return (
            self._own == other._own
            and len(self.nested) == len(other.nested)
            and all(
                at == place and field.refines(match)
                for (at, field), (place, match) in zip(self.nested, other.nested, strict=True)
            )
        )


class UnclaimedField(ResolvedField):
    """A field that no definition in scope claims; it is not judged."""

    @cached_property
    def identity(self) -> tuple[Any, ...]:
        return (type(self), self.kind, self.name, text_of(self.configuration))

    @property
    def canonical(self) -> JSONValue:
        """The field in its simplest spelling, its configuration as written."""
        if self.kind.kept_as_written:
            return cast(JSONValue, self.value)
        return self.kind.joined(self.name or "", self.configuration)


class RefusedField(ResolvedField):
    """A field that cannot be read, whether its name is claimed or not."""


def resolve(
    value: Any, kind: type[D], scope: Scope, *, level: int = 0
) -> tuple[ResolvedField, Problems]:
    """Read a field of `kind` and give it with every problem, located from the field.

    A value that is not finite JSON through and through is refused with only those problems;
    `level` says how many levels of its document are above it. TypeError for a kind of another
    format than the scope's.
    """
    scope.definitions_of(kind)
    problems = refined(value, level)
    if problems:
        name = kind.written(value).name
        claimant = None if name is None else scope.claimant(kind, name)
        problems = kind.name_problems(value) + problems
        return RefusedField(kind, name, value, claimant), problems
    return resolve_refined(value, kind, scope)


class Claims(Protocol):
    """What reads a field: a scope, or as much of one as it takes."""

    @property
    def kinds(self) -> Mapping[str, Kind]:
        """The kind of field of each slot."""

    def claimant(self, kind: type[D], name: str) -> D | None:
        """The definition that reads a field with this name."""


class _ClaimsOf:
    """What a field and those within it are claimed by, and nothing else."""

    def __init__(self, field: ResolvedField) -> None:
        read = [each for _, each in field.walk()]
        self.kinds = {each.kind.slot: each.kind for each in read}
        self._filed = {
            (each.kind, each.definition.name): each.definition
            for each in read
            if each.definition is not None
        }

    def claimant(self, kind: type[D], name: str) -> D | None:
        return cast("D | None", self._filed.get((kind, kind.filed_under(name) or "")))


def _read_as(field: ResolvedField, value: Any) -> ResolvedField | None:
    """A value that was unclaimed, read as a field is; None where it holds other kinds."""
    try:
        return resolve_refined(value, field.kind, _ClaimsOf(field))[0]
    except KeyError:
        return None


def resolve_refined(value: Any, kind: Kind, scope: Claims) -> tuple[ResolvedField, Problems]:
    """`resolve` for a value that is known to be finite and not too deep."""
    written = kind.written(value)
    name, configuration = written.name, written.configuration
    definition = None if name is None else scope.claimant(kind, name)
    if configuration is None or (definition is None and written.problems):
        return RefusedField(kind, name, value, definition), written.remarks + written.problems
    if definition is None:
        carried: Any = (written.beside or {}) if written.carried else configuration
        return UnclaimedField(kind, name, value, configuration=carried), written.remarks
    return _configured(value, kind, written, definition, scope)


def _configured(
    value: Any, kind: Kind, written: Written, definition: Definition[Any], scope: Claims
) -> tuple[ResolvedField, Problems]:
    configuration: Any = written.configuration
    shape = compiled(definition.configuration)
    problems = shape.check(configuration)
    if written.omitted and problems:
        problems = written.remarks + missing(str(kind.configuration_at[0]))
        return RefusedField(kind, written.name, value, definition), problems
    fields, inner, bad = _fields_within(shape, configuration, kind, scope)
    bad = bad or _spoils(problems)
    if not bad and definition.rules is not None:
        problems += definition.rules(without(configuration, _unknown(problems)))
        bad = _spoils(problems)
    if problems:
        configuration = without(configuration, _unknown(problems))
    field = AcceptedField(kind, written.name, value, definition, fields, configuration)
    if not bad and definition.field_rules is not None:
        problems += definition.field_rules(field)
        bad = _spoils(problems)
    if written.carried:
        bad = bool(problems)
        problems = tuple(map(kind.restated, problems))
    else:
        problems = below(kind.configuration_at, problems)
    if written.beside:
        extra = compiled(EmptyConfiguration).check(written.beside)
        problems += below(kind.configuration_at, extra)
    problems = (*written.remarks, *written.problems, *problems, *inner)
    if bad or written.problems:
        return RefusedField(kind, written.name, value, definition, fields), problems
    return field, problems


def _fields_within(
    shape: Compiled, configuration: Any, kind: Kind, scope: Claims
) -> tuple[tuple[tuple[Loc, ResolvedField], ...], Problems, bool]:
    """The fields within a configuration, what is wrong with them, and whether one has no form."""
    if shape.nested is None:
        return (), (), False
    fields: list[tuple[Loc, ResolvedField]] = []
    problems: list[Problem] = []
    formless = False
    for loc, place, each in shape.nested(configuration):
        at = (*kind.configuration_at, *loc)
        field, found = resolve_refined(each, scope.kinds[place.slot], scope)
        if place.rules is not None and field.definition is not None:
            found += place.rules(field.definition)
        fields.append((at, field))
        problems += below(at, found)
        formless = formless or (type(field) is RefusedField and not field.kind.has_form(each))
    return tuple(fields), tuple(problems), formless


def _spoils(problems: Problems) -> bool:
    """Whether a configuration with these problems cannot be used; unknown members can wait."""
    return any(problem.kind != "unknown_key" for problem in problems)


def _unknown(problems: Problems) -> list[Loc]:
    return [problem.loc for problem in problems if problem.reason == reasons.UNKNOWN_MEMBER]


def canonical_of(field: ResolvedField) -> JSONValue:
    """The simplest spelling of a field without problems."""
    return field.canonical if isinstance(field, AcceptedField | UnclaimedField) else field.value
