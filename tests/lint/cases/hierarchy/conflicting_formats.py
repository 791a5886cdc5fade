from helpers_lint import GROUP2, GROUP3, array2, array3, fails, group3, passes

FAILING = [
    fails({".zarray": array2(shape=[8]), "zarr.json": array3()}, {"node": ""}),
    fails({".zarray": array2(dtype="<f4"), "zarr.json": array3()}),
    fails({".zarray": array2(chunks=[4]), "zarr.json": array3()}),
    fails({".zgroup": GROUP2, "zarr.json": array3()}),
    fails({".zarray": array2(), "zarr.json": GROUP3}),
    fails({".zgroup": GROUP2, ".zattrs": {"a": 1}, "zarr.json": group3(attributes={"a": 2})}),
]

PASSING = [
    passes({".zarray": array2(), "zarr.json": array3()}, also=("hierarchy/two-formats",)),
    passes({".zgroup": GROUP2}),
]
