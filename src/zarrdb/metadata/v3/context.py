"""The class of a Zarr v3 scope: a slot for each kind of field that a document has."""

from collections.abc import Iterable, Mapping
from typing import Any, ClassVar, Literal, TypeAlias, Unpack, final

from typing_extensions import TypedDict

from zarrdb.metadata.scope import Scope
from zarrdb.metadata.v3.extra_field import (
    ZarrV3ArrayExtraFieldDefinition,
    ZarrV3GroupExtraFieldDefinition,
)
from zarrdb.metadata.v3.kinds import (
    ZarrV3ChunkGridDefinition,
    ZarrV3ChunkKeyEncodingDefinition,
    ZarrV3CodecDefinition,
    ZarrV3DataTypeDefinition,
    ZarrV3StorageTransformerDefinition,
)

ZarrV3Kind: TypeAlias = (
    ZarrV3DataTypeDefinition[Any]
    | ZarrV3ChunkGridDefinition[Any]
    | ZarrV3ChunkKeyEncodingDefinition[Any]
    | ZarrV3CodecDefinition[Any]
    | ZarrV3StorageTransformerDefinition[Any]
    | ZarrV3ArrayExtraFieldDefinition[Any]
    | ZarrV3GroupExtraFieldDefinition[Any]
)
"""A definition of any kind of v3 field."""


class ZarrV3ContextSlots(TypedDict, total=False, closed=True):
    """The slots of a v3 scope, each given as definitions or as a mapping from their names."""

    data_types: (
        Iterable[ZarrV3DataTypeDefinition[Any]] | Mapping[str, ZarrV3DataTypeDefinition[Any]]
    )
    """Data types, read from `data_type` and from fields that hold one."""
    chunk_grids: (
        Iterable[ZarrV3ChunkGridDefinition[Any]] | Mapping[str, ZarrV3ChunkGridDefinition[Any]]
    )
    """Chunk grids, read from `chunk_grid`."""
    chunk_key_encodings: (
        Iterable[ZarrV3ChunkKeyEncodingDefinition[Any]]
        | Mapping[str, ZarrV3ChunkKeyEncodingDefinition[Any]]
    )
    """Chunk key encodings, read from `chunk_key_encoding`."""
    codecs: Iterable[ZarrV3CodecDefinition[Any]] | Mapping[str, ZarrV3CodecDefinition[Any]]
    """Codecs, read from `codecs` and from codecs that hold some."""
    storage_transformers: (
        Iterable[ZarrV3StorageTransformerDefinition[Any]]
        | Mapping[str, ZarrV3StorageTransformerDefinition[Any]]
    )
    """Storage transformers, read from `storage_transformers`."""
    array_extra_fields: (
        Iterable[ZarrV3ArrayExtraFieldDefinition[Any]]
        | Mapping[str, ZarrV3ArrayExtraFieldDefinition[Any]]
    )
    """Members of an array that the specification does not define."""
    group_extra_fields: (
        Iterable[ZarrV3GroupExtraFieldDefinition[Any]]
        | Mapping[str, ZarrV3GroupExtraFieldDefinition[Any]]
    )
    """Members of a group that the specification does not define."""


@final
class ZarrV3Context(Scope):
    """A scope that reads Zarr v3 documents; `ZarrV3Context()` claims nothing.

    scope.update(codecs=[*scope.codecs.values(), MINE])        # adds, or conflicts
    scope.update(codecs={**scope.codecs, "gzip": MY_GZIP})     # replaces
    """

    __slots__ = ()

    kinds: ClassVar[Mapping[str, type[Any]]] = {
        "data_types": ZarrV3DataTypeDefinition,
        "chunk_grids": ZarrV3ChunkGridDefinition,
        "chunk_key_encodings": ZarrV3ChunkKeyEncodingDefinition,
        "codecs": ZarrV3CodecDefinition,
        "storage_transformers": ZarrV3StorageTransformerDefinition,
        "array_extra_fields": ZarrV3ArrayExtraFieldDefinition,
        "group_extra_fields": ZarrV3GroupExtraFieldDefinition,
    }

    zarr_format: ClassVar[Literal[3]] = 3
    indispensable: ClassVar[Mapping[str, str]] = {"codecs": "bytes"}

    def __init__(self, **slots: Unpack[ZarrV3ContextSlots]) -> None:
        super().__init__(**slots)

    @property
    def data_types(self) -> Mapping[str, ZarrV3DataTypeDefinition[Any]]:
        """The data types in scope, by name."""
        return self.definitions_of(ZarrV3DataTypeDefinition)

    @property
    def chunk_grids(self) -> Mapping[str, ZarrV3ChunkGridDefinition[Any]]:
        """The chunk grids in scope, by name."""
        return self.definitions_of(ZarrV3ChunkGridDefinition)

    @property
    def chunk_key_encodings(self) -> Mapping[str, ZarrV3ChunkKeyEncodingDefinition[Any]]:
        """The chunk key encodings in scope, by name."""
        return self.definitions_of(ZarrV3ChunkKeyEncodingDefinition)

    @property
    def codecs(self) -> Mapping[str, ZarrV3CodecDefinition[Any]]:
        """The codecs in scope, by name."""
        return self.definitions_of(ZarrV3CodecDefinition)

    @property
    def storage_transformers(self) -> Mapping[str, ZarrV3StorageTransformerDefinition[Any]]:
        """The storage transformers in scope, by name."""
        return self.definitions_of(ZarrV3StorageTransformerDefinition)

    @property
    def array_extra_fields(self) -> Mapping[str, ZarrV3ArrayExtraFieldDefinition[Any]]:
        """The further members of arrays in scope, by name."""
        return self.definitions_of(ZarrV3ArrayExtraFieldDefinition)

    @property
    def group_extra_fields(self) -> Mapping[str, ZarrV3GroupExtraFieldDefinition[Any]]:
        """The further members of groups in scope, by name."""
        return self.definitions_of(ZarrV3GroupExtraFieldDefinition)

    def update(self, **slots: Unpack[ZarrV3ContextSlots]) -> "ZarrV3Context":
        """This scope with the slots given holding what is given, and the others as they are."""
        return self.updated(slots)
