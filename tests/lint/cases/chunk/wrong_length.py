from helpers_lint import CHUNK, LITTLE, array2, array3, fails, passes

CRC = {"name": "crc32c"}
SHARDS = {
    "name": "sharding_indexed",
    "configuration": {
        "chunk_shape": [1],
        "codecs": [LITTLE],
        "index_codecs": [LITTLE, CRC],
        "index_location": "end",
    },
}

FAILING = [
    fails({"zarr.json": array3(), "c/0": CHUNK[:-1]}, {"keys": ("c/0",)}),
    fails({"zarr.json": array3(codecs=[LITTLE, CRC]), "c/0": CHUNK}),
    fails({"zarr.json": array3(codecs=[SHARDS]), "c/0": bytes(35)}),
    fails({".zarray": array2(), "0": CHUNK[:-1], "1": CHUNK}, {"node": "", "count": 1}),
    fails({".zarray": array2(filters=[{"id": "crc32"}]), "0": CHUNK}, {"keys": ("0",)}),
    fails(
        {".zarray": array2(filters=[{"id": "delta", "dtype": "<i4", "astype": "<i2"}]), "0": CHUNK}
    ),
    fails({".zarray": array2(dtype="<U3", fill_value=""), "0": CHUNK}),
    fails({".zarray": array2(_nczarr_array={}), "0": CHUNK[:-1]}),
]

PASSING = [
    passes({"zarr.json": array3(codecs=[LITTLE, CRC]), "c/0": CHUNK + b"1234"}),
    passes(
        {
            "zarr.json": array3(data_type="string", codecs=[{"name": "vlen-utf8"}], fill_value=""),
            "c/0": b"x",
        }
    ),
    passes({".zarray": array2(), "0": CHUNK, "1": CHUNK}),
    passes({".zarray": array2(filters=[{"id": "crc32"}]), "0": CHUNK + b"1234"}),
    passes({".zarray": array2(filters=[{"id": "shuffle"}]), "0": CHUNK}),
    passes({".zarray": array2(compressor={"id": "something"}), "0": b"x"}),
    passes(
        {".zarray": array2(dtype="|O", filters=[{"id": "vlen-utf8"}], fill_value=""), "0": b"x"}
    ),
]
