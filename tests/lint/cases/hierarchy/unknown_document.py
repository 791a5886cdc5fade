from helpers_lint import GROUP2, array2, fails, passes

FAILING = [
    fails({".zarray": array2(zarr_format=value)}, {"pointer": "/zarr_format"})
    for value in ("2", 2.0, 1, 3, None, True)
] + [
    fails({".zgroup": {"zarr_format": "2"}}, {"key": ".zgroup"}),
    fails({".zarray": array2(zarr_format="2", shape=None, order="x")}),
]

PASSING = [passes({".zgroup": GROUP2}), passes({".zarray": array2()})]
