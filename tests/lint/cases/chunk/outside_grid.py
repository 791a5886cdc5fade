from helpers_lint import CHUNK, GROUP3, array2, array3, fails, passes, regular

FAILING = [
    fails(
        {".zarray": array2(), "0": CHUNK, **dict.fromkeys(("7", "01", "-1", "1.0"), CHUNK)},
        {"node": "", "count": 4, "size": 32},
    ),
    fails({".zarray": array2(shape=[], chunks=[]), "0.0": CHUNK[:4]}, {"count": 1}),
    fails(
        {"zarr.json": GROUP3, "a/zarr.json": array3(), "a/c/2": CHUNK, "a/c/0/0": CHUNK},
        {"node": "a", "count": 2, "keys": ("a/c/0/0", "a/c/2")},
    ),
    fails(
        {"zarr.json": array3(shape=[2**62], chunk_grid=regular(2)), f"c/{2**61}": CHUNK},
        {"count": 1},
    ),
    fails({"zarr.json": array3(shape=[0]), "c/0": CHUNK}, {"count": 1}),
]

PASSING = [
    passes({".zarray": array2(), "0": CHUNK, "1": CHUNK, "extra.txt": b"x"}),
    passes({".zarray": array2(shape=[], chunks=[]), "0": CHUNK[:4]}),
    passes({"zarr.json": array3(shape=[], chunk_grid=regular()), "c": CHUNK[:4]}),
    passes({"zarr.json": array3(shape=[2**62], chunk_grid=regular(2)), f"c/{2**61 - 1}": CHUNK}),
]
