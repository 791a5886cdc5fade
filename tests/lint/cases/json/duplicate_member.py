from helpers_lint import fails, passes

FAILING = [
    fails(
        {".zgroup": b'{"zarr_format": 1,\n "zarr_format": 2}'},
        {"key": ".zgroup", "pointer": "/zarr_format", "line": 2},
    ),
    fails(
        {
            "zarr.json": b'{"zarr_format": 3, "node_type": "group", "attributes": {}, "attributes": {}}'
        },
        {"pointer": "/attributes"},
    ),
]

PASSING = [passes({".zgroup": b'{"zarr_format": 2}'})]
