"""What zarr-python writes in v3 is claimed and without a fault."""

from typing import Any

import pytest

from zarrdb.metadata.v3 import ZarrV3Reader
from zarrdb.metadata.v3.registered import REGISTERED_V3

np = pytest.importorskip("numpy")
zarr = pytest.importorskip("zarr")
numcodecs = pytest.importorskip("zarr.codecs.numcodecs")

pytestmark = pytest.mark.filterwarnings("ignore")

TYPES = [
    *("bool", "i1", ">u2", "i4", "u8", "f2", "f4", ">f8", "c8", "c16", "S5", "V5", "U3"),
    *("M8[ns]", "m8[10s]", "variable_length_bytes", [("a", "i4"), ("b", "f4")]),
]
COMPRESSORS = [
    *("Zlib", "LZ4", "BZ2", "GZip", "LZMA", "Blosc", "Zstd", "Shuffle"),
    *("CRC32", "CRC32C", "Adler32", "Fletcher32", "JenkinsLookup3"),
]
FILTERS: list[tuple[str, dict[str, Any], str]] = [
    ("Delta", {"dtype": "<i4"}, "i4"),
    ("PackBits", {}, "bool"),
    ("BitRound", {"keepbits": 3}, "f4"),
    ("FixedScaleOffset", {"offset": 0, "scale": 10, "dtype": "<f4", "astype": "<i2"}, "f4"),
    ("Quantize", {"digits": 2, "dtype": "<f4"}, "f4"),
    ("AsType", {"encode_dtype": "<f4", "decode_dtype": "<f8"}, "f8"),
]


def check(**options: Any) -> None:
    """Write an array and read its document."""
    stored: dict[str, Any] = {}
    store = zarr.storage.MemoryStore(stored)
    zarr.create_array(store, shape=(4, 6), zarr_format=3, **options)
    data = stored["zarr.json"].to_bytes()
    reading = ZarrV3Reader(REGISTERED_V3).document_from_bytes("zarr.json", data)
    assert reading.problems == ()
    assert reading.unclaimed == ()


@pytest.mark.parametrize("dtype", TYPES, ids=str)
def test_data_types(dtype: Any) -> None:
    check(dtype=dtype, chunks=(2, 3))


def test_texts() -> None:
    check(dtype=np.dtypes.StringDType(), chunks=(2, 3))


@pytest.mark.parametrize("name", COMPRESSORS)
def test_compressors(name: str) -> None:
    check(dtype="i4", chunks=(2, 3), compressors=[getattr(numcodecs, name)()])


@pytest.mark.parametrize(("name", "parameters", "dtype"), FILTERS)
def test_filters(name: str, parameters: dict[str, Any], dtype: str) -> None:
    check(dtype=dtype, chunks=(2, 3), filters=[getattr(numcodecs, name)(**parameters)])


def test_shards_and_other_spellings() -> None:
    check(dtype="f4", chunks=(2, 3), shards=(4, 6))
    check(dtype="f4", chunks=(2, 3), order="F", dimension_names=["y", None])
    check(dtype="f4", chunks=(2, 3), filters=[zarr.codecs.TransposeCodec(order=(1, 0))])
    check(dtype="f4", chunks=(2, 3), chunk_key_encoding={"name": "v2", "separator": "/"})
    check(dtype="f4", chunks=(2, 3), compressors=[zarr.codecs.BloscCodec(shuffle="bitshuffle")])


def test_consolidated_groups() -> None:
    stored: dict[str, Any] = {}
    store = zarr.storage.MemoryStore(stored)
    root = zarr.create_group(store, zarr_format=3, attributes={"a": 1})
    root.create_group("g").create_array("x", shape=(4,), dtype="f4", fill_value=np.nan)
    zarr.consolidate_metadata(store)
    reader = ZarrV3Reader()
    group = reader.group(ZarrV3Reader().document_from_bytes("zarr.json", text(stored)).value)
    assert group.problems == ()
    copy = reader.consolidated(group)
    assert copy.problems == ()
    assert copy.nodes.keys() == {"g", "g/x"}
    own = reader.document_from_bytes("zarr.json", text(stored, "g/x/"))
    assert own.differences(copy.nodes["g/x"]) == []


def text(stored: dict[str, Any], prefix: str = "") -> bytes:
    """The bytes of a document."""
    data: bytes = stored[f"{prefix}zarr.json"].to_bytes()
    return data
