from helpers_lint import CHUNK, GROUP2, GROUP3, array2, array3, fails, passes

FAILING = [
    fails({"zarr.json": GROUP3, "x/.zarray": array2(), "y/zarr.json": array3()}, {"node": "x"}),
    fails({".zgroup": GROUP2, "x/zarr.json": array3(), "x/c/0": CHUNK}, {"node": "x"}),
]

PASSING = [
    passes({".zgroup": GROUP2, "x/.zarray": array2()}),
    passes(
        {".zgroup": GROUP2, "zarr.json": GROUP3, "x/zarr.json": array3(), "y/.zarray": array2()},
        also=("hierarchy/two-formats",),
    ),
]
