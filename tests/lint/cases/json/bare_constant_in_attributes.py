from helpers_lint import GROUP2, fails, passes

FAILING = [
    fails(
        {".zgroup": GROUP2, ".zattrs": b'{"a": [1, NaN],\n "b": -Infinity}'},
        {"key": ".zattrs", "pointer": "/a/1", "line": 1, "column": 11},
        {"pointer": "/b", "line": 2, "column": 7},
    ),
    fails(
        {"zarr.json": b'{"zarr_format": 3, "node_type": "group", "attributes": {"x": NaN}}'},
        {"key": "zarr.json", "pointer": "/attributes/x"},
    ),
]

PASSING = [passes({".zgroup": GROUP2, ".zattrs": b'{"a": "NaN", "b": null}'})]
