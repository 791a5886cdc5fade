from helpers_lint import CHUNK, GROUP2, GROUP3, array2, array3, fails, passes

FAILING = [
    fails(
        {".zgroup": GROUP2, "a/.zarray": array2(), "a/b/.zarray": array2(), "a/b/0": CHUNK},
        {"node": "a/b"},
    ),
    fails({"zarr.json": array3(), "x/zarr.json": GROUP3}, {"node": "x"}),
]

PASSING = [passes({".zgroup": GROUP2, "a/.zarray": array2(), "b/.zgroup": GROUP2})]
