from helpers_lint import CHUNK, GROUP2, GROUP3, array2, array3, fails, passes

MATRIX2 = array2(shape=[2, 4], chunks=[1, 2])

FAILING = [
    fails(
        {".zarray": MATRIX2, "0/0": CHUNK, "0/1": CHUNK, "1/0": CHUNK, "1/1": CHUNK},
        {"node": "", "count": 4, "keys": ("0/0", "0/1", "1/0")},
    ),
    fails(
        {".zgroup": GROUP2, "a/.zarray": array2(), "a/c/0": CHUNK},
        {"node": "a", "count": 1},
    ),
    fails(
        {"zarr.json": GROUP3, "a/zarr.json": array3(), "a/c.0": CHUNK, "a/c.1": CHUNK},
        {"node": "a", "count": 2, "size": 16},
    ),
    fails({"zarr.json": array3(chunk_key_encoding={"name": "v2"}), "c/0": CHUNK}, {"node": ""}),
]

PASSING = [
    passes({".zarray": {**MATRIX2, "dimension_separator": "/"}, "0/0": CHUNK, "1/1": CHUNK}),
    passes({".zarray": MATRIX2, "0.0": CHUNK}),
    passes({".zarray": array2(dimension_separator="/"), "0": CHUNK, "1": CHUNK}),
    passes({"zarr.json": array3(), "c/0": CHUNK}),
    passes({"zarr.json": array3()}),
]
