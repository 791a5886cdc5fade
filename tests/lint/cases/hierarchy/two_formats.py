from helpers_lint import GROUP2, GROUP3, array2, array3, fails, passes

FAILING = [
    fails({"zarr.json": GROUP3, ".zgroup": GROUP2}, {"node": ""}),
    fails({"zarr.json": array3(), ".zarray": array2(), "0": b"01234567", "c/0": b"01234567"}),
]

PASSING = [passes({".zgroup": GROUP2}), passes({"zarr.json": GROUP3})]
