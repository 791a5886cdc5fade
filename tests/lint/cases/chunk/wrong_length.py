from helpers_lint import CHUNK, array2, fails, passes

FAILING = [
    fails({".zarray": array2(), "0": CHUNK[:-1], "1": CHUNK}, {"node": "", "count": 1}),
    fails({".zarray": array2(filters=[{"id": "crc32"}]), "0": CHUNK}, {"keys": ("0",)}),
    fails(
        {".zarray": array2(filters=[{"id": "delta", "dtype": "<i4", "astype": "<i2"}]), "0": CHUNK}
    ),
    fails({".zarray": array2(dtype="<U3", fill_value=""), "0": CHUNK}),
]

PASSING = [
    passes({".zarray": array2(), "0": CHUNK, "1": CHUNK}),
    passes({".zarray": array2(filters=[{"id": "crc32"}]), "0": CHUNK + b"1234"}),
    passes({".zarray": array2(filters=[{"id": "shuffle"}]), "0": CHUNK}),
    passes({".zarray": array2(compressor={"id": "something"}), "0": b"x"}),
    passes(
        {".zarray": array2(dtype="|O", filters=[{"id": "vlen-utf8"}], fill_value=""), "0": b"x"}
    ),
]
