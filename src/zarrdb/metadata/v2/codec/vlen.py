"""The v2 filters for items of varying length: vlen-utf8, vlen-bytes and vlen-array."""

from typing import Final

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata.definition import EmptyConfiguration
from zarrdb.metadata.v2.codec.parameters import Defaults, DtypeParameters
from zarrdb.metadata.v2.kinds import ZarrV2CodecDefinition


class ZarrV2VLenArrayParameters(TypedDict, closed=True):
    """`vlen-array`: the type of the elements of each array."""

    dtype: ReadOnly[str]


VLEN_UTF8_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="vlen-utf8", configuration=EmptyConfiguration
)
"""`numcodecs.VLenUTF8`, which takes no parameters."""

VLEN_BYTES_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="vlen-bytes", configuration=EmptyConfiguration
)
"""`numcodecs.VLenBytes`, which takes no parameters."""

VLEN_ARRAY_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="vlen-array",
    configuration=ZarrV2VLenArrayParameters,
    rules=DtypeParameters(("dtype",)),
    canonical=Defaults(dtypes=("dtype",)),
)
"""`numcodecs.VLenArray`."""
