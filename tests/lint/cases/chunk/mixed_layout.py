from helpers_lint import CHUNK, array2, array3, fails, passes

MATRIX2 = array2(shape=[2, 4], chunks=[1, 2])

FAILING = [
    fails({".zarray": MATRIX2, "0.0": CHUNK, "0/1": CHUNK}, {"node": "", "count": 1}),
    fails({"zarr.json": array3(), "c/0": CHUNK, "1": CHUNK}, {"keys": ("1",)}),
]

PASSING = [
    passes({".zarray": MATRIX2, "0.0": CHUNK, "1.1": CHUNK}),
    passes({"zarr.json": array3(), "c/0": CHUNK, "c/1": CHUNK}),
]
