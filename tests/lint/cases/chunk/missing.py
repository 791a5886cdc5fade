from helpers_lint import CHUNK, array2, array3, fails, passes, regular

FAILING = [
    fails({".zarray": array2(), "0": CHUNK}, {"node": "", "count": 1}),
    fails({"zarr.json": array3()}, {"count": 2}),
    fails(
        {"zarr.json": array3(shape=[2**70], chunk_grid=regular(1)), "c/5": CHUNK[:4]},
        {"count": 2**70 - 1},
    ),
]

PASSING = [
    passes({".zarray": array2(), "0": CHUNK, "1": CHUNK}),
    passes({".zarray": array2(shape=[0])}),
]
