import gzip
import zlib

import google_crc32c
import numcodecs

from helpers_lint import CHUNK, LITTLE, array2, array3, fails, passes, regular

GZIP, CRC32C = {"name": "gzip", "configuration": {"level": 1}}, {"name": "crc32c"}
SHARD = {
    "name": "sharding_indexed",
    "configuration": {
        "chunk_shape": [1],
        "codecs": [LITTLE, CRC32C],
        "index_codecs": [LITTLE, CRC32C],
    },
}
SHARDED = array3(chunk_grid=regular(2), codecs=[SHARD])


def checked(value: bytes) -> bytes:
    checksum: int = google_crc32c.value(value)
    return value + checksum.to_bytes(4, "little")


def shard(*values: bytes) -> bytes:
    index, place = b"", 0
    for value in values:
        index += place.to_bytes(8, "little") + len(value).to_bytes(8, "little")
        place += len(value)
    return b"".join(values) + checked(index)


def damaged(value: bytes, place: int) -> bytes:
    return value[:place] + bytes([value[place] ^ 0xFF]) + value[place + 1 :]


BLOSC = bytes(numcodecs.Blosc(cname="zstd").encode(bytes(range(8))))
ZLIB = zlib.compress(CHUNK)
SHORT = gzip.compress(CHUNK[:4])

FAILING = [
    fails(
        {".zarray": array2(compressor={"id": "zlib"}), "0": damaged(ZLIB, 6), "1": ZLIB},
        {"node": "", "count": 1},
        data=True,
    ),
    fails(
        {".zarray": array2(compressor={"id": "gzip"}), "0": gzip.compress(CHUNK)[:-1]},
        also=("chunk/wrong-header",),
        data=True,
    ),
    fails(
        {".zarray": array2(compressor={"id": "gzip"}), "0": SHORT, "1": SHORT},
        {"count": 2},
        also=("chunk/wrong-header",),
        data=True,
    ),
    fails(
        {"zarr.json": array3(codecs=[LITTLE, CRC32C]), "c/0": damaged(checked(CHUNK), 0)}, data=True
    ),
    fails(
        {"zarr.json": array3(codecs=[LITTLE, GZIP]), "c/0": SHORT},
        also=("chunk/wrong-header",),
        data=True,
    ),
    fails(
        {"zarr.json": SHARDED, "c/0": shard(checked(b"1234"), checked(b"1234")[:-1] + b"x")},
        data=True,
    ),
]

PASSING = [
    passes({".zarray": array2(compressor={"id": "zlib"}), "0": ZLIB}, data=True),
    passes({".zarray": array2(compressor={"id": "blosc"}), "0": BLOSC}, data=True),
    passes({".zarray": array2(compressor={"id": "zlib"}), "0": damaged(ZLIB, 6)}),
    passes({"zarr.json": array3(codecs=[LITTLE, CRC32C]), "c/0": checked(CHUNK)}, data=True),
    passes({"zarr.json": array3(codecs=[LITTLE, GZIP]), "c/0": gzip.compress(CHUNK)}, data=True),
    passes({"zarr.json": SHARDED, "c/0": shard(checked(b"1234"), checked(b"5678"))}, data=True),
]
