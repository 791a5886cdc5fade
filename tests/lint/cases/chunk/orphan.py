from helpers_lint import CHUNK, GROUP2, GROUP3, array2, fails, passes

FAILING = [
    fails(
        {"zarr.json": GROUP3, "gone/c/0/0": CHUNK, "gone/c/0/1": CHUNK, "gone/c/1/0": CHUNK},
        {"node": "gone", "count": 3, "size": 24},
    ),
    fails({".zgroup": GROUP2, "g/gone/0.0": CHUNK, "g/.zgroup": GROUP2}, {"node": "g/gone"}),
    fails({".zgroup": GROUP2, "gone/0/1/2": CHUNK}, {"node": "gone"}),
]

PASSING = [
    passes({"zarr.json": GROUP3, "table/part-0.parquet": b"x", "blob/0": b"x", "c/x": b""}),
    passes({".zgroup": GROUP2, "a/.zarray": array2(), "a/0": CHUNK, "x1": b""}),
]
