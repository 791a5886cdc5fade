"""The v2 filters that numcodecs configures: shuffle, delta, fixedscaleoffset, quantize,
bitround, astype and packbits.

A parameter that names a dtype is a typestring, read the same in every scope.
"""

from typing import Annotated, Final, NotRequired

from typing_extensions import ReadOnly, TypedDict

from zarrdb.metadata.definition import EmptyConfiguration
from zarrdb.metadata.shape import Ge, Interval, Le
from zarrdb.metadata.v2.codec.parameters import Defaults, DtypeParameters
from zarrdb.metadata.v2.kinds import ZarrV2CodecDefinition


class ZarrV2ShuffleParameters(TypedDict, closed=True):
    """`shuffle`: items of 4 bytes unless given; of 1 or less nothing is moved.

    The size is passed to C as a `Py_ssize_t`.
    """

    elementsize: NotRequired[ReadOnly[Annotated[int, Le(2**63 - 1)]]]


class ZarrV2DeltaParameters(TypedDict, closed=True):
    """`delta`: stored as `dtype` too unless `astype` says otherwise."""

    dtype: ReadOnly[str]
    astype: NotRequired[ReadOnly[str | None]]


class ZarrV2FixedScaleOffsetParameters(TypedDict, closed=True):
    """`fixedscaleoffset`: stored as `dtype` too unless `astype` says otherwise."""

    offset: ReadOnly[float | int]
    scale: ReadOnly[float | int]
    dtype: ReadOnly[str]
    astype: NotRequired[ReadOnly[str | None]]


class ZarrV2QuantizeParameters(TypedDict, closed=True):
    """`quantize`: floats rounded to some decimal digits, stored as `dtype` too unless `astype`
    says otherwise.

    Outside these bounds 10 to the power of `-digits`, or the power of two above it, is no float.
    """

    digits: ReadOnly[Annotated[int, Interval(ge=-308, le=307)]]
    dtype: ReadOnly[str]
    astype: NotRequired[ReadOnly[str | None]]


class ZarrV2BitRoundParameters(TypedDict, closed=True):
    """`bitround`: the bits of the mantissa to keep."""

    keepbits: ReadOnly[Annotated[int, Ge(0)]]


class ZarrV2AsTypeParameters(TypedDict, closed=True):
    """`astype`: the type that is stored, and the type that is read."""

    encode_dtype: ReadOnly[str]
    decode_dtype: ReadOnly[str]


SHUFFLE_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="shuffle",
    configuration=ZarrV2ShuffleParameters,
    canonical=Defaults((("elementsize", 4),)),
)
"""`numcodecs.Shuffle`."""

DELTA_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="delta",
    configuration=ZarrV2DeltaParameters,
    rules=DtypeParameters(("dtype", "astype")),
    canonical=Defaults(dtypes=("dtype", "astype")),
)
"""`numcodecs.Delta`."""

FIXEDSCALEOFFSET_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="fixedscaleoffset",
    configuration=ZarrV2FixedScaleOffsetParameters,
    rules=DtypeParameters(("dtype", "astype")),
    canonical=Defaults(dtypes=("dtype", "astype")),
)
"""`numcodecs.FixedScaleOffset`."""

QUANTIZE_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="quantize",
    configuration=ZarrV2QuantizeParameters,
    rules=DtypeParameters(("dtype", "astype"), float_only=True),
    canonical=Defaults(dtypes=("dtype", "astype")),
)
"""`numcodecs.Quantize`."""

BITROUND_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="bitround", configuration=ZarrV2BitRoundParameters
)
"""`numcodecs.BitRound`."""

ASTYPE_CODEC_V2: Final = ZarrV2CodecDefinition(
    name="astype",
    configuration=ZarrV2AsTypeParameters,
    rules=DtypeParameters(("encode_dtype", "decode_dtype")),
    canonical=Defaults(dtypes=("encode_dtype", "decode_dtype")),
)
"""`numcodecs.AsType`."""

PACKBITS_CODEC_V2: Final = ZarrV2CodecDefinition(name="packbits", configuration=EmptyConfiguration)
"""`numcodecs.PackBits`, which takes no parameters."""
