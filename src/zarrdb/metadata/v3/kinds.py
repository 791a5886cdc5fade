"""The kinds of field that Zarr v3 documents hold, one at each extension point."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, ClassVar, Final, Literal, NotRequired, Self, TypeAlias

from typing_extensions import TypeAliasType, TypedDict

from zarrdb.errors import ConfigError
from zarrdb.metadata import reasons
from zarrdb.metadata.definition import C, Definition, Written
from zarrdb.metadata.problem import Loc, Problem, Problems
from zarrdb.metadata.resolve import AcceptedField
from zarrdb.metadata.shape import FieldOf
from zarrdb.metadata.v3 import envelope
from zarrdb.metadata.v3.chunk import UNKNOWN, Chunk, Lengths, Storage, StorageOf
from zarrdb.metadata.value import JSONValue

CodecKind: TypeAlias = Literal["array_array", "array_bytes", "bytes_bytes"]
"""What a codec makes of what: the three places of a pipeline, in order."""

CODEC_KINDS: Final[tuple[CodecKind, ...]] = ("array_array", "array_bytes", "bytes_bytes")


class ZarrV3NamedConfigJSON(TypedDict, closed=True):
    """A field with its configuration; one that takes none may be its bare name."""

    name: str
    configuration: NotRequired[Mapping[str, JSONValue]]
    must_understand: NotRequired[bool]


ZarrV3MetadataFieldJSON: TypeAlias = str | ZarrV3NamedConfigJSON
"""A field as any extension point has it (core specification, "Extension definition")."""


class ZarrV3Definition(Definition[C]):
    """What the kinds have in common: name and configuration."""

    zarr_format: ClassVar[int] = 3
    configuration_at: ClassVar[Loc] = envelope.CONFIGURATION
    kept_as_written: ClassVar[bool] = False

    @classmethod
    def name_refusal(cls, name: object) -> str | None:
        if isinstance(name, str) and not envelope.name_problems(name):
            return None
        return "a name is lower-case letters, digits and -_. after a letter, or a URI"

    @classmethod
    def filed_under(cls, name: str) -> str | None:
        return None if envelope.name_problems(name) else name

    @classmethod
    def written(cls, value: object) -> Written:
        return envelope.taken_apart(value)

    @classmethod
    def has_form(cls, value: object) -> bool:
        return envelope.has_form(value)

    @staticmethod
    def name_problems(value: object) -> Problems:
        return envelope.name_problems_of(value)

    @classmethod
    def joined(cls, name: str, configuration: dict[str, Any]) -> JSONValue:
        return envelope.object_of(name, configuration)


RAW_NAME: Final = "r*"
"""What raw bits are filed under: a document writes how many there are, `r16`."""

_RAW: Final = re.compile(r"r([0-9]{1,100})")


@dataclass(frozen=True, kw_only=True, repr=False)
class ZarrV3DataTypeDefinition(ZarrV3Definition[C]):
    """A data type, and the fill value of an array of it.

    `fill_value` is the shape of a fill value; its rules and its canonical form are given the
    value and the data type. `storage` says how values lie in memory: of all of them, or as a
    function of the field.
    """

    label: ClassVar[str] = "v3 data type"
    slot: ClassVar[str] = "data_types"

    fill_value: Any = JSONValue
    fill_value_rules: Callable[[Any, AcceptedField], Problems] | None = None
    fill_value_canonical: Callable[[Any, AcceptedField], JSONValue] | None = None
    storage: StorageOf = UNKNOWN

    @classmethod
    def name_refusal(cls, name: object) -> str | None:
        if name == RAW_NAME:
            return None
        if isinstance(name, str) and _RAW.fullmatch(name):
            return f"raw bits of every size are read as {RAW_NAME}"
        return super().name_refusal(name)

    @classmethod
    def declared(
        cls, name: str, configuration: Any, canonical: Any, options: dict[str, Any]
    ) -> Self:
        """A data type of a configuration file: `size` in bytes, and `fill-value`."""
        size, fill_value = options.pop("size", None), options.pop("fill-value", JSONValue)
        if size is not None and (type(size) is not int or size < 1):
            raise ConfigError(f"{cls.label} {name!r}: size is a number of bytes")
        if options:
            raise ConfigError(f"{cls.label} {name!r}: unknown member {min(options)!r}")
        return cls(
            name=name,
            configuration=configuration,
            canonical=canonical,
            fill_value=fill_value,
            storage=UNKNOWN if size is None else Storage(size, size > 1),
        )

    @classmethod
    def filed_under(cls, name: str) -> str | None:
        return RAW_NAME if _RAW.fullmatch(name) else super().filed_under(name)

    @classmethod
    def written(cls, value: object) -> Written:
        written = envelope.taken_apart(value)
        raw = None if written.configuration is None else _RAW.fullmatch(written.name or "")
        if raw is None:
            return written
        return written._replace(
            configuration={"bits": int(raw[1])},
            carried=True,
            omitted=False,
            beside=written.configuration,
        )

    @classmethod
    def restated(cls, problem: Problem) -> Problem:
        return problem._replace(loc=(), reason=reasons.WRONG_SIZE)

    @classmethod
    def joined(cls, name: str, configuration: dict[str, Any]) -> JSONValue:
        if name == RAW_NAME:
            return f"r{configuration['bits']}"
        return envelope.object_of(name, configuration) if configuration else name


@dataclass(frozen=True, kw_only=True, repr=False)
class ZarrV3CodecDefinition(ZarrV3Definition[C]):
    """A codec: its place in a pipeline, and what it can be given.

    `fixed_size` tells that the size of what it gives follows from the size of what it gets,
    as index codecs must. A codec that is given chunks may judge them (`chunk_rules`, located
    in the configuration), one that gives chunks says which (`hands_on`; without it nothing is
    known of them), and one with pipelines of its own says what each of them is given.
    """

    label: ClassVar[str] = "v3 codec"
    slot: ClassVar[str] = "codecs"

    kind: CodecKind | None
    """None for a codec of which it is not known; it may stand anywhere."""
    fixed_size: bool = False
    by_rank: bool = False
    """It looks at how many axes chunks have and not at their lengths, nor does it hand them on
    changed: verdicts then hold for chunks of every length."""
    chunk_rules: Callable[[AcceptedField, Chunk], Problems] | None = None
    hands_on: Callable[[AcceptedField, Chunk], Chunk] | None = None
    pipelines: Callable[[AcceptedField, Chunk], Mapping[str, Chunk]] | None = None
    """The chunks of each pipeline, by the member that holds its codecs."""

    @classmethod
    def declared(
        cls, name: str, configuration: Any, canonical: Any, options: dict[str, Any]
    ) -> Self:
        """A codec of a configuration file: `kind`, and `fixed-size`."""
        kind, fixed_size = options.pop("kind", None), options.pop("fixed-size", False)
        if kind not in (None, *CODEC_KINDS):
            raise ConfigError(f"{cls.label} {name!r}: kind is one of {', '.join(CODEC_KINDS)}")
        if not isinstance(fixed_size, bool):
            raise ConfigError(f"{cls.label} {name!r}: fixed-size is true or false")
        if options:
            raise ConfigError(f"{cls.label} {name!r}: unknown member {min(options)!r}")
        return cls(
            name=name,
            configuration=configuration,
            canonical=canonical,
            kind=kind,
            fixed_size=fixed_size,
        )


@dataclass(frozen=True, kw_only=True, repr=False)
class ZarrV3ChunkGridDefinition(ZarrV3Definition[C]):
    """A chunk grid: which shapes it fits, and the lengths of its chunks.

    `shape_rules` are given the field and the array's shape and locate problems in the
    configuration. `chunk_lengths` has an entry for each axis of a shape that the grid fits.
    """

    label: ClassVar[str] = "v3 chunk grid"
    slot: ClassVar[str] = "chunk_grids"

    shape_rules: Callable[[AcceptedField, tuple[int, ...]], Problems] | None = None
    chunk_lengths: Callable[[AcceptedField], Lengths] | None = None


class ZarrV3ChunkKeyEncodingDefinition(ZarrV3Definition[C]):
    """A chunk key encoding: how the index of a chunk becomes a key."""

    label: ClassVar[str] = "v3 chunk key encoding"
    slot: ClassVar[str] = "chunk_key_encodings"


class ZarrV3StorageTransformerDefinition(ZarrV3Definition[C]):
    """A storage transformer: it stands between the keys of an array and those of the store."""

    label: ClassVar[str] = "v3 storage transformer"
    slot: ClassVar[str] = "storage_transformers"


def _fixed_size_only(definition: Any) -> Problems:
    """The rule of places whose codecs a reader has to know the size of beforehand."""
    if not isinstance(definition, ZarrV3CodecDefinition) or definition.fixed_size:
        return ()
    text = f"`{definition.name}` makes data of varying size, and the size has to be known here"
    return (Problem((), "invalid_value", text, reasons.VARIABLE_SIZE),)


ZarrV3DataTypeField = TypeAliasType(
    "ZarrV3DataTypeField", Annotated[ZarrV3MetadataFieldJSON, FieldOf("data_types")]
)
"""A member that holds a data type, read in the scope of what holds it."""

ZarrV3CodecField = TypeAliasType(
    "ZarrV3CodecField", Annotated[ZarrV3MetadataFieldJSON, FieldOf("codecs")]
)
"""A member that holds a codec."""

ZarrV3FixedSizeCodecField = TypeAliasType(
    "ZarrV3FixedSizeCodecField",
    Annotated[ZarrV3MetadataFieldJSON, FieldOf("codecs", _fixed_size_only)],
)
"""A member that holds a codec of fixed size, as the index of a shard needs."""

ZarrV3ChunkGridField = TypeAliasType(
    "ZarrV3ChunkGridField", Annotated[ZarrV3MetadataFieldJSON, FieldOf("chunk_grids")]
)
"""A member that holds a chunk grid."""

ZarrV3ChunkKeyEncodingField = TypeAliasType(
    "ZarrV3ChunkKeyEncodingField",
    Annotated[ZarrV3MetadataFieldJSON, FieldOf("chunk_key_encodings")],
)
"""A member that holds a chunk key encoding."""

ZarrV3StorageTransformerField = TypeAliasType(
    "ZarrV3StorageTransformerField",
    Annotated[ZarrV3MetadataFieldJSON, FieldOf("storage_transformers")],
)
"""A member that holds a storage transformer."""
