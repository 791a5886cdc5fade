"""The class of a Zarr v2 scope: a slot of data types and a slot of codecs."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, TypeAlias, Unpack, final

from typing_extensions import TypedDict

from zarrdb.metadata.scope import Scope
from zarrdb.metadata.v2.kinds import ZarrV2CodecDefinition, ZarrV2DataTypeDefinition

ZarrV2Kind: TypeAlias = ZarrV2DataTypeDefinition[Any] | ZarrV2CodecDefinition[Any]
"""A definition of either kind of v2 field."""


class ZarrV2ContextSlots(TypedDict, total=False, closed=True):
    """The slots of a v2 scope, each given as definitions or as a mapping from their names."""

    data_types: (
        Iterable[ZarrV2DataTypeDefinition[Any]] | Mapping[str, ZarrV2DataTypeDefinition[Any]]
    )
    """Data types, read from `dtype`, filed under their family."""
    codecs: Iterable[ZarrV2CodecDefinition[Any]] | Mapping[str, ZarrV2CodecDefinition[Any]]
    """Codecs, read from `compressor` and `filters`, filed under their id."""


@final
class ZarrV2Context(Scope):
    """A scope that reads Zarr v2 documents; `ZarrV2Context()` claims nothing.

    scope.update(codecs=[*scope.codecs.values(), MINE])        # adds, or conflicts
    scope.update(codecs={**scope.codecs, "gzip": MY_GZIP})     # replaces
    """

    __slots__ = ()

    kinds: ClassVar[Mapping[str, type[Any]]] = {
        "data_types": ZarrV2DataTypeDefinition,
        "codecs": ZarrV2CodecDefinition,
    }

    zarr_format: ClassVar[Literal[2]] = 2

    def __init__(self, **slots: Unpack[ZarrV2ContextSlots]) -> None:
        super().__init__(**slots)

    @property
    def data_types(self) -> Mapping[str, ZarrV2DataTypeDefinition[Any]]:
        """The data types in scope, by family."""
        return self.definitions_of(ZarrV2DataTypeDefinition)

    @property
    def codecs(self) -> Mapping[str, ZarrV2CodecDefinition[Any]]:
        """The codecs in scope, by id."""
        return self.definitions_of(ZarrV2CodecDefinition)

    def update(self, **slots: Unpack[ZarrV2ContextSlots]) -> "ZarrV2Context":
        """This scope with the slots given holding what is given, and the others as they are."""
        return self.updated(slots)
