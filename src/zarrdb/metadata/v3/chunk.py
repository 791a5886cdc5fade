"""What a v3 codec is given: chunks of some lengths, and the values in them."""

from collections.abc import Callable
from typing import Any, Final, NamedTuple, TypeAlias

from zarrdb.metadata.resolve import AcceptedField, ResolvedField

Lengths: TypeAlias = tuple[int | frozenset[int] | None, ...]
"""The length of chunks along each axis, all of them where they differ; None is not known."""


def each_length(along: int | frozenset[int] | None) -> frozenset[int]:
    """The lengths along one axis, none where they are not known."""
    if isinstance(along, int):
        return frozenset({along})
    return along or frozenset()


class Chunk(NamedTuple):
    """The chunks that a codec is given; what is not known of them is None and never at fault."""

    lengths: Lengths | None = None
    """None where not even the number of axes is known."""
    data_type: ResolvedField | None = None

    @property
    def rank(self) -> int | None:
        """The number of axes."""
        return None if self.lengths is None else len(self.lengths)


class Storage(NamedTuple):
    """How the values of a data type lie in memory."""

    size: int | None = None
    """Bytes of one value; None where it is not known, or varies."""
    ordered: bool | None = None
    """Whether the order of bytes matters; None where it is not known."""
    varies: bool = False
    """Each value has as many bytes as it needs."""


UNKNOWN: Final = Storage()
VARIABLE: Final = Storage(varies=True)

StorageOf: TypeAlias = Storage | Callable[[AcceptedField], Storage]
"""The storage of all values of a data type, or what tells it from the field."""


def storage_of(data_type: ResolvedField | None) -> Storage:
    """How the values of a data type lie in memory; nothing is known of one that is not accepted."""
    if not isinstance(data_type, AcceptedField):
        return UNKNOWN
    storage: Any = getattr(data_type.definition, "storage", UNKNOWN)
    found: Storage = storage if isinstance(storage, Storage) else storage(data_type)
    return found
