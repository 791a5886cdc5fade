"""The public names of `zarrdb.metadata.v2`: where they are and what they stand for."""

from importlib import import_module
from typing import Any, get_args

import pytest
from typing_extensions import is_typeddict

from zarrdb.metadata import compiled, v2
from zarrdb.metadata.v2 import ZarrV2CodecDefinition, ZarrV2DataTypeDefinition

NAMES = {
    "array": """ZARR_V2_ARRAY_DIMENSION_SEPARATOR ZARR_V2_ARRAY_METADATA_STORE_KEY
        ZARR_V2_ARRAY_ORDER ZarrV2ArrayDimensionSeparator ZarrV2ArrayMetadataJSON
        ZarrV2ArrayMetadataStoreKey ZarrV2ArrayOrder ZarrV2ZArrayJSON""",
    "group": """ZARR_V2_GROUP_METADATA_STORE_KEY ZarrV2GroupMetadataJSON
        ZarrV2GroupMetadataStoreKey ZarrV2ZGroupJSON""",
    "attributes": "ZARR_V2_ATTRIBUTES_STORE_KEY ZarrV2AttributesStoreKey ZarrV2ZAttrsJSON",
    "codec": "CODECS_V2 ZarrV2CodecMetadata",
    "codec.checksum": """ADLER32_CODEC_V2 CRC32C_CODEC_V2 CRC32_CODEC_V2 FLETCHER32_CODEC_V2
        ZarrV2Checksum32Parameters""",
    "codec.compression": """BLOSC_CODEC_V2 BZ2_CODEC_V2 GZIP_CODEC_V2 LZ4_CODEC_V2 LZMA_CODEC_V2
        ZLIB_CODEC_V2 ZSTD_CODEC_V2 ZarrV2BloscCName ZarrV2BloscParameters ZarrV2Bz2Parameters
        ZarrV2CompressionLevel ZarrV2GzipParameters ZarrV2Lz4Parameters ZarrV2LzmaParameters
        ZarrV2ZlibParameters ZarrV2ZstdParameters""",
    "codec.filters": """ASTYPE_CODEC_V2 BITROUND_CODEC_V2 DELTA_CODEC_V2
        FIXEDSCALEOFFSET_CODEC_V2 PACKBITS_CODEC_V2 QUANTIZE_CODEC_V2 SHUFFLE_CODEC_V2
        ZarrV2AsTypeParameters ZarrV2BitRoundParameters ZarrV2DeltaParameters
        ZarrV2FixedScaleOffsetParameters ZarrV2QuantizeParameters ZarrV2ShuffleParameters""",
    "codec.vlen": """VLEN_ARRAY_CODEC_V2 VLEN_BYTES_CODEC_V2 VLEN_UTF8_CODEC_V2
        ZarrV2VLenArrayParameters""",
    "consolidated": """ZARR_V2_CONSOLIDATED_METADATA_STORE_KEY ZarrV2ConsolidatedMetadataJSON
        ZarrV2ConsolidatedMetadataStoreKey""",
    "data_type": "DATA_TYPES_V2 ZarrV2DataTypeMetadata",
    "data_type.fixed_width": """BYTES_DATA_TYPE_V2 STR_DATA_TYPE_V2 VOID_DATA_TYPE_V2
        ZarrV2Base64FillValue""",
    "data_type.object": "OBJECT_DATA_TYPE_V2 ZarrV2ObjectConfiguration",
    "data_type.scalar": """BOOL_DATA_TYPE_V2 COMPLEX_DATA_TYPE_V2 FLOAT_DATA_TYPE_V2
        INT_DATA_TYPE_V2 UINT_DATA_TYPE_V2 ZarrV2ByteOrder ZarrV2ComplexComponent
        ZarrV2ComplexFillValue ZarrV2FloatFillValue ZarrV2FloatSpecial
        ZarrV2ScalarConfiguration""",
    "data_type.struct": "STRUCT_DATA_TYPE_V2 ZarrV2StructConfiguration ZarrV2StructRecord",
    "data_type.time": """DATETIME64_DATA_TYPE_V2 TIMEDELTA64_DATA_TYPE_V2
        ZarrV2TimeConfiguration ZarrV2TimeFillValue""",
    "definition": """CORE_V2 ZarrV2CodecDefinition ZarrV2Context ZarrV2ContextSlots
        ZarrV2DataTypeDefinition ZarrV2DataTypeField ZarrV2Kind""",
}

MEMBERS = {
    "ZarrV2ZArrayJSON": """zarr_format shape chunks dtype compressor fill_value order filters
        dimension_separator?""",
    "ZarrV2ArrayMetadataJSON": """zarr_format shape chunks dtype compressor fill_value order
        filters dimension_separator? attributes?""",
    "ZarrV2ZGroupJSON": "zarr_format",
    "ZarrV2GroupMetadataJSON": "zarr_format attributes?",
    "ZarrV2ConsolidatedMetadataJSON": "zarr_consolidated_format metadata",
    "ZarrV2CodecMetadata": "id",
    "ZarrV2Checksum32Parameters": "location?",
    "ZarrV2BloscParameters": "cname? clevel? shuffle? blocksize? typesize?",
    "ZarrV2Bz2Parameters": "level?",
    "ZarrV2GzipParameters": "level?",
    "ZarrV2Lz4Parameters": "acceleration?",
    "ZarrV2LzmaParameters": "format? check? preset? filters?",
    "ZarrV2ZlibParameters": "level?",
    "ZarrV2ZstdParameters": "level? checksum?",
    "ZarrV2AsTypeParameters": "encode_dtype decode_dtype",
    "ZarrV2BitRoundParameters": "keepbits",
    "ZarrV2DeltaParameters": "dtype astype?",
    "ZarrV2FixedScaleOffsetParameters": "offset scale dtype astype?",
    "ZarrV2QuantizeParameters": "digits dtype astype?",
    "ZarrV2ShuffleParameters": "elementsize?",
    "ZarrV2VLenArrayParameters": "dtype",
    "ZarrV2ObjectConfiguration": "byteorder",
    "ZarrV2ScalarConfiguration": "byteorder itemsize",
    "ZarrV2StructConfiguration": "fields",
    "ZarrV2TimeConfiguration": "byteorder itemsize unit? scale_factor?",
    "ZarrV2ContextSlots": "data_types? codecs?",
}

CONSTANTS: dict[str, Any] = {
    "ZARR_V2_ARRAY_METADATA_STORE_KEY": ".zarray",
    "ZARR_V2_GROUP_METADATA_STORE_KEY": ".zgroup",
    "ZARR_V2_ATTRIBUTES_STORE_KEY": ".zattrs",
    "ZARR_V2_CONSOLIDATED_METADATA_STORE_KEY": ".zmetadata",
    "ZARR_V2_ARRAY_ORDER": ("C", "F"),
    "ZARR_V2_ARRAY_DIMENSION_SEPARATOR": (".", "/"),
}

CHOICES = {
    "ZarrV2ArrayMetadataStoreKey": (".zarray",),
    "ZarrV2GroupMetadataStoreKey": (".zgroup",),
    "ZarrV2AttributesStoreKey": (".zattrs",),
    "ZarrV2ConsolidatedMetadataStoreKey": (".zmetadata",),
    "ZarrV2ArrayOrder": ("C", "F"),
    "ZarrV2ArrayDimensionSeparator": (".", "/"),
    "ZarrV2ByteOrder": ("<", ">", "|"),
    "ZarrV2FloatSpecial": ("NaN", "Infinity", "-Infinity"),
    "ZarrV2BloscCName": ("blosclz", "lz4", "lz4hc", "snappy", "zlib", "zstd"),
}

EACH = [(module, name) for module, names in NAMES.items() for name in names.split()]


@pytest.mark.parametrize(("module", "name"), EACH)
def test_a_name_is_in_its_module_and_in_the_package(module: str, name: str) -> None:
    home = import_module(f"zarrdb.metadata.v2.{module}")
    assert getattr(v2, name) is getattr(home, name)
    assert name in v2.__all__


@pytest.mark.parametrize("name", sorted(MEMBERS))
def test_an_object_has_these_members(name: str) -> None:
    shape: Any = getattr(v2, name)
    assert is_typeddict(shape)
    listed = MEMBERS[name].split()
    assert shape.__required_keys__ == {each for each in listed if not each.endswith("?")}
    assert shape.__optional_keys__ == {each[:-1] for each in listed if each.endswith("?")}


@pytest.mark.parametrize(("name", "value"), CONSTANTS.items())
def test_a_constant_has_this_value(name: str, value: Any) -> None:
    assert getattr(v2, name) == value


@pytest.mark.parametrize(("name", "values"), CHOICES.items())
def test_a_closed_set_has_these_values(name: str, values: Any) -> None:
    assert get_args(getattr(v2, name)) == values


@pytest.mark.parametrize(
    ("name", "good", "bad"),
    [
        ("ZarrV2CompressionLevel", [-1, 9], [-2, 10, 1.0]),
        ("ZarrV2Base64FillValue", ["AAAA", None], [0]),
        ("ZarrV2FloatFillValue", [0, 0.5, "NaN", None], ["nan", True]),
        ("ZarrV2ComplexComponent", [0, "Infinity"], [None]),
        ("ZarrV2ComplexFillValue", [[0, "NaN"], None], [[0], 0]),
        ("ZarrV2TimeFillValue", [-(2**63), "NaT", None], [2**63, "nat"]),
        ("ZarrV2StructRecord", [["a", "<f4"], ["a", [], [1]]], [["a"], ["a", "<f4", 1]]),
        ("ZarrV2ZAttrsJSON", [{}, {"a": [1]}], [[]]),
        ("ZarrV2ArrayMetadataJSON", [], [{}]),
        ("ZarrV2ZGroupJSON", [{"zarr_format": 2}], [{"zarr_format": 2, "attributes": {}}]),
        ("ZarrV2GroupMetadataJSON", [{"zarr_format": 2, "attributes": {}}], [{}]),
    ],
)
def test_a_type_describes_values(name: str, good: list[Any], bad: list[Any]) -> None:
    check = compiled(getattr(v2, name)).check
    assert not any(check(value) for value in good)
    assert all(check(value) for value in bad)


def test_definitions_are_filed_under_the_names_of_documents() -> None:
    for codec in v2.CODECS_V2:
        constant = f"{codec.name.replace('-', '_').upper()}_CODEC_V2"
        assert getattr(v2, constant) is v2.CORE_V2.codecs[codec.name]
    for data_type in v2.DATA_TYPES_V2:
        constant = f"{data_type.name.upper()}_DATA_TYPE_V2"
        assert getattr(v2, constant) is v2.CORE_V2.data_types[data_type.name]
    assert len(v2.CODECS_V2) == 21
    assert len(v2.DATA_TYPES_V2) == 12


def test_kinds_say_what_they_are() -> None:
    assert ZarrV2CodecDefinition.label == "v2 codec"
    assert ZarrV2DataTypeDefinition.label == "v2 data type"
    assert ZarrV2DataTypeDefinition.field_aliases == (v2.ZarrV2DataTypeField,)
    assert get_args(v2.ZarrV2Kind)
