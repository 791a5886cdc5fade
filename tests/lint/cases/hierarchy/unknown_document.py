from helpers_lint import GROUP2, array2, array3, fails, group3, passes

FAILING = [
    fails({".zarray": array2(zarr_format=value)}, {"pointer": "/zarr_format"})
    for value in ("2", 2.0, 1, 3, None, True)
] + [
    fails({".zgroup": {"zarr_format": "2"}}, {"key": ".zgroup"}),
    fails({".zarray": array2(zarr_format="2", shape=None, order="x")}),
]

FAILING += [
    fails({"zarr.json": array3(**{name: value})}, {"key": "zarr.json"})
    for name, value in (
        ("zarr_format", 2),
        ("zarr_format", "3"),
        ("zarr_format", "https://zarr.dev/v3"),
        ("node_type", "arry"),
        ("node_type", 1),
        ("node_type", ...),
    )
]

PASSING = [passes({".zgroup": GROUP2}), passes({".zarray": array2()})]

PASSING += [
    passes({"zarr.json": array3()}),
    passes({"zarr.json": group3()}),
]
