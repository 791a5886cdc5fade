from helpers_lint import GROUP2, fails, group3, passes

FAILING = [fails({".zgroup": {}}, {"key": ".zgroup", "line": 1})]

FAILING += [
    fails({"zarr.json": group3(zarr_format=...)}, {"key": "zarr.json"}),
]

PASSING = [passes({".zgroup": GROUP2})]
