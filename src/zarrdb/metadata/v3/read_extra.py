"""Reading the members of v3 documents that the specification does not define."""

from typing import Any

from zarrdb.metadata.problem import Loc, Problems, under
from zarrdb.metadata.reading import Fields
from zarrdb.metadata.resolve import RefusedField, ResolvedField, UnclaimedField, resolve_refined
from zarrdb.metadata.scope import Scope
from zarrdb.metadata.v3.extra_field import ZarrV3ExtraFieldDefinition, is_waived
from zarrdb.metadata.value import refined, unfit_attributes


def read_extra_fields(
    value: dict[str, Any], kind: type[ZarrV3ExtraFieldDefinition[Any]], scope: Scope, *, fit: bool
) -> tuple[Fields, Problems]:
    """The further members of a document, and what is wrong with them.

    One that nobody claims is not read, and may hold any number; one that is claimed is an
    object.
    """
    if value.keys() <= kind.defined:
        return (), ()
    fields: list[tuple[Loc, ResolvedField]] = []
    problems: Problems = ()
    for name, member in value.items():
        if name not in kind.defined:
            field, found = _read(name, member, kind, scope, fit=fit)
            fields.append(((name,), field))
            problems += found
    return tuple(fields), problems


def _read(
    name: str,
    member: Any,
    kind: type[ZarrV3ExtraFieldDefinition[Any]],
    scope: Scope,
    *,
    fit: bool,
) -> tuple[ResolvedField, Problems]:
    definition, written = scope.claimant(kind, name), {name: member}
    is_finite = definition is not None and definition.finite and isinstance(member, dict)
    unfit = () if fit else (refined if is_finite else unfit_attributes)(member, 1)
    if unfit:
        return RefusedField(kind, name, written, definition), under(name, unfit)
    if definition is None:
        return UnclaimedField(kind, name, written, configuration=member), ()
    field, problems = resolve_refined(written, kind, scope)
    return field, under(name, problems)


def must_understand(fields: Fields) -> tuple[str, ...]:
    """The members that nobody in scope reads and that say of no reader that it may go on."""
    return tuple(
        str(loc[0])
        for loc, field in fields
        if isinstance(field, UnclaimedField)
        and issubclass(field.kind, ZarrV3ExtraFieldDefinition)
        and not is_waived(field.configuration)
    )
