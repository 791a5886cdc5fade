from helpers_lint import GROUP2, GROUP3, array2, fails, passes

FAILING = [
    fails({".zgroup": GROUP2, "a/.zattrs": {}}, {"key": "a/.zattrs"}),
    fails({"zarr.json": GROUP3, ".zattrs": {}}, {"key": ".zattrs"}),
]

PASSING = [passes({".zgroup": GROUP2, ".zattrs": {}, "a/.zarray": array2(), "a/.zattrs": {}})]
