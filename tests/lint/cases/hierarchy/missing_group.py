from helpers_lint import GROUP2, GROUP3, array2, array3, fails, passes

FAILING = [
    fails(
        {"zarr.json": GROUP3, "foo/bar/baz/zarr.json": array3()},
        {"node": "foo", "fixable": True},
        {"node": "foo/bar"},
    ),
    fails({"a/zarr.json": array3()}, {"node": ""}),
    fails({"a/.zarray": array2()}, {"node": ""}),
]

PASSING = [
    passes({"zarr.json": array3()}),
    passes({"zarr.json": GROUP3, "a/zarr.json": GROUP3, "a/b/zarr.json": array3()}),
    passes({".zgroup": GROUP2, "a/b/.zarray": array2()}, also=("hierarchy/implicit-group",)),
]
