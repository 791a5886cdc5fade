"""The v3 chunk key encodings: default, and v2."""

from typing import Any, Final, Literal, NotRequired, TypeAlias

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata.v3.kinds import ZarrV3ChunkKeyEncodingDefinition

ZarrV3Separator: TypeAlias = Literal["/", "."]
"""What stands between the indexes of a chunk."""


class ZarrV3SeparatorConfiguration(TypedDict, closed=True):
    """The separator, if it is another than the encoding's own."""

    separator: NotRequired[ReadOnly[ZarrV3Separator]]


def _without(own: str, configuration: Any) -> Any:
    """The separator that is meant where there is none is left out."""
    return {} if configuration.get("separator") == own else configuration


def _default_canonical(configuration: Any) -> Any:
    return _without("/", configuration)


def _v2_canonical(configuration: Any) -> Any:
    return _without(".", configuration)


DEFAULT_CHUNK_KEY_ENCODING_V3: Final = ZarrV3ChunkKeyEncodingDefinition[Any](
    name="default", configuration=ZarrV3SeparatorConfiguration, canonical=_default_canonical
)
"""`c/0/0`."""

V2_CHUNK_KEY_ENCODING_V3: Final = ZarrV3ChunkKeyEncodingDefinition[Any](
    name="v2", configuration=ZarrV3SeparatorConfiguration, canonical=_v2_canonical
)
"""`0.0`, as Zarr v2 has it."""

CHUNK_KEY_ENCODINGS_V3: Final[tuple[ZarrV3ChunkKeyEncodingDefinition[Any], ...]] = (
    DEFAULT_CHUNK_KEY_ENCODING_V3,
    V2_CHUNK_KEY_ENCODING_V3,
)
"""Every v3 chunk key encoding of the core scope."""
