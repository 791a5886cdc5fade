"""Types of JSON values, compiled once to plain functions that check a value.

`compiled(shape)` takes what a configuration is written with: a `TypedDict`, `int`, `float`
(an integer is a number too), `str`, `bool`, `None`, `Literal`, unions, `tuple[X, ...]` and
`list[X]` (arrays of any length), `tuple[X, Y]` (of that length), `Mapping[str, X]`, `JSONValue`,
bounds in `Annotated` (`Ge`, `Le`, `Interval`, or anything with such attributes), and
`Annotated[…, FieldOf(slot)]` for a member that holds a field of its own.
"""

from collections.abc import Callable, Mapping
from functools import lru_cache
from types import NoneType, UnionType
from typing import (
    Annotated,
    Any,
    Final,
    Literal,
    NamedTuple,
    Never,
    NotRequired,
    Required,
    Union,
    get_args,
    get_origin,
)

from typing_extensions import (
    NoExtraItems,
    ReadOnly,
    TypeAliasType,
    get_type_hints,
    is_typeddict,
)

from zarrdb.metadata import checks
from zarrdb.metadata.checks import Compiled, Member
from zarrdb.metadata.problem import Problems
from zarrdb.metadata.value import JSONValue


class Interval:
    """Bounds of a number, both included; None is no bound.

    No tuple: `Annotated` takes notes that are equal for one and the same.
    """

    __slots__ = ("ge", "le")

    def __init__(self, ge: float | None = None, le: float | None = None) -> None:
        self.ge = ge
        self.le = le

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Interval) and (self.ge, self.le) == (other.ge, other.le)

    def __hash__(self) -> int:
        return hash((Interval, self.ge, self.le))

    def __repr__(self) -> str:
        return f"Interval(ge={self.ge}, le={self.le})"


def Ge(bound: float) -> Interval:  # noqa: N802
    """The number is at least `bound`."""
    return Interval(ge=bound)


def Le(bound: float) -> Interval:  # noqa: N802
    """The number is at most `bound`."""
    return Interval(le=bound)


class FieldOf(NamedTuple):
    """Marks a member that holds a field, read in the scope of its container.

    `slot` is where that scope files the definitions of such fields, as `data_types`. `rules`
    are those of the place: given what claims the field, they tell what does not belong there.
    """

    slot: str
    rules: Callable[[Any], Problems] | None = None


class MemberOf(NamedTuple):
    """A member of an `ObjectOf`."""

    name: str
    shape: Any
    required: bool = False


class ObjectOf(NamedTuple):
    """An object described by a value instead of a TypedDict: no class is needed to have one.

    Further members have the shape `others`; None forbids them.
    """

    members: tuple[MemberOf, ...]
    others: Any = None


_SCALARS: Final[dict[Any, Compiled]] = {
    NoneType: checks.scalar((NoneType,), "null"),
    bool: checks.scalar((bool,), "true or false"),
    int: checks.scalar((int,), "an integer"),
    float: checks.scalar((float, int), "a number"),
    str: checks.scalar((str,), "a string"),
}
_WRAPPERS: Final = (Required, NotRequired, ReadOnly)


def compiled(shape: Any) -> Compiled:
    """The shape as functions, made once. Raises TypeError for a type that no JSON value has."""
    return _compiled(shape)


@lru_cache(maxsize=1024)
def _compiled(shape: Any) -> Compiled:
    if isinstance(shape, ObjectOf):
        return _object(shape)
    if shape is None:
        shape = NoneType
    if shape in (JSONValue, Any, object):
        return checks.anything()
    if isinstance(shape, TypeAliasType):
        return compiled(shape.__value__)
    if shape in _SCALARS:
        return _SCALARS[shape]
    if is_typeddict(shape):
        return _typed_dict(shape)
    origin, arguments = get_origin(shape), get_args(shape)
    if origin is Annotated:
        return _annotated(arguments[0], arguments[1:])
    if origin in _WRAPPERS:
        return compiled(arguments[0])
    if origin is Literal:
        return checks.closed_set(arguments)
    if origin in (Union, UnionType):
        return checks.union([compiled(each) for each in arguments])
    if origin is list or (origin is tuple and arguments[1:] == (Ellipsis,)):
        return checks.array(compiled(arguments[0]))
    if origin is tuple:
        return checks.fixed_array([compiled(each) for each in arguments])
    if origin in (dict, Mapping):
        return checks.mapping(compiled(arguments[1]))
    raise TypeError(f"{shape!r} describes no JSON value")


def _annotated(shape: Any, notes: tuple[Any, ...]) -> Compiled:
    """A field, or a shape with bounds; what other notes say is somebody else's business."""
    for note in notes:
        if isinstance(note, FieldOf):
            return checks.a_field(note)
    inner = compiled(shape)
    for note in notes:
        bounds = tuple(getattr(note, bound, None) for bound in ("ge", "gt", "le", "lt"))
        if bounds != (None, None, None, None):
            inner = checks.bounded(inner, *bounds)
    return inner


def _object(shape: ObjectOf) -> Compiled:
    members = [Member(name, compiled(inner), required) for name, inner, required in shape.members]
    return checks.record(members, None if shape.others is None else compiled(shape.others))


def _typed_dict(shape: Any) -> Compiled:
    """Members as declared. Others have the type `extra_items=`, `closed=False` lets anything
    in, and where nothing is said there are no others: what goes unreported helps nobody."""
    hints = get_type_hints(shape, include_extras=True)
    members = [
        Member(name, compiled(hint), name in shape.__required_keys__)
        for name, hint in hints.items()
    ]
    others = None
    extra_items = getattr(shape, "__extra_items__", NoExtraItems)
    if extra_items is not NoExtraItems and extra_items is not Never:
        others = compiled(extra_items)
    elif getattr(shape, "__closed__", None) is False:
        others = checks.anything()
    return checks.record(members, others)
