"""Definitions: what a document may write for one data type, codec, grid or encoding.

A definition is a frozen value: it can be compared, hashed, pickled and sent to a worker. Its
rules and its canonical form are module-level functions, or frozen callables with fields,
never closures.

A *kind* is a subclass: it says how a document writes fields of that kind, and which names
they have.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Generic, NamedTuple, Self, TypeVar

from typing_extensions import TypedDict

from zarrdb.errors import ConfigError
from zarrdb.metadata.problem import Loc, Problem, Problems
from zarrdb.metadata.value import JSONValue

C = TypeVar("C")
"""The configuration of a definition: a TypedDict."""


class EmptyConfiguration(TypedDict, closed=True):
    """The configuration of a field that takes none."""


class Written(NamedTuple):
    """A field taken apart, before any definition is asked."""

    name: str | None
    """The name as written, None when none can be read."""
    configuration: dict[str, Any] | None = None
    """What is configured, None when it cannot be read."""
    problems: Problems = ()
    """What is wrong with the form; a field with any of them is refused."""
    carried: bool = False
    """The name itself carries the configuration, as `<f4` does: problems in it have no place
    of their own, and any of them refuses the field."""
    remarks: Problems = ()
    """What is wrong beside name and configuration, which leaves the field readable."""
    omitted: bool = False
    """No configuration is written where there may be one; the one here is empty."""
    beside: Mapping[str, Any] | None = None
    """A configuration that is written although the name carries one."""


@dataclass(frozen=True, kw_only=True, repr=False)
class Definition(Generic[C]):
    """What fields of one name are: their configuration, further rules, and canonical form.

    `rules` run on a configuration whose members all have their types; `field_rules` then on
    the field, with the fields within it. `canonical` gives one spelling to all that mean the
    same; two configurations are the same when their canonical forms are. Raises TypeError for
    a name that no document can use.
    """

    label: ClassVar[str]
    """The kind in messages, such as "v2 codec"."""
    slot: ClassVar[str]
    """Where a scope files definitions of this kind, such as "codecs"."""
    zarr_format: ClassVar[int]
    configuration_at: ClassVar[Loc] = ()
    """Where the configuration lies in a written field."""
    kept_as_written: ClassVar[bool] = True
    """Whether a field that no definition claims has no simpler spelling than its own."""

    name: str
    configuration: type[C]
    rules: Callable[[C], Problems] | None = None
    field_rules: Callable[[Any], Problems] | None = None
    canonical: Callable[[C], C] | None = None

    def __post_init__(self) -> None:
        refusal = self.name_refusal(self.name)
        if refusal is not None:
            raise TypeError(f"no {self.label} can be named {self.name!r}: {refusal}")

    def __repr__(self) -> str:
        return f"<{type(self).__name__}: {self.name!r}>"

    @classmethod
    def name_refusal(cls, name: object) -> str | None:
        """Why no definition of this kind can have the name, None when one can."""
        raise NotImplementedError

    @classmethod
    def declared(
        cls, name: str, configuration: Any, canonical: Any, options: dict[str, Any]
    ) -> Self:
        """A definition that a configuration file declares.

        `options` is what the file says beside the configuration; a kind that has some takes
        them here. ConfigError for any other.
        """
        if options:
            raise ConfigError(f"{cls.label} {name!r}: unknown member {min(options)!r}")
        return cls(name=name, configuration=configuration, canonical=canonical)

    @classmethod
    def filed_under(cls, name: str) -> str | None:
        """The name that a definition reading `name` is filed under, None when there is none."""
        return name

    @classmethod
    def written(cls, value: object) -> Written:
        """A field of this kind taken apart."""
        raise NotImplementedError

    @classmethod
    def has_form(cls, value: object) -> bool:
        """Whether the parts of a field can be told apart; a field that holds one where they
        cannot is refused."""
        return cls.written(value).name is not None

    @staticmethod
    def name_problems(_: object) -> Problems:
        """What is wrong with the name of a field that is not JSON through and through."""
        return ()

    @classmethod
    def restated(cls, problem: Problem) -> Problem:
        """A problem of a configuration that the name carries, as one of the name."""
        return problem._replace(loc=())

    @classmethod
    def joined(cls, name: str, configuration: dict[str, Any]) -> JSONValue:
        """The field of a definition's name and a canonical configuration: undoes `written`."""
        raise NotImplementedError
