from helpers_lint import GROUP2, fails, passes

FAILING = [
    fails({".zgroup": GROUP2, ".zattrs": b'{"a": 1, "a": 1}'}, {"pointer": "/a", "line": 1}),
    fails({".zgroup": GROUP2, ".zattrs": b'{"a": {"b": 1, "b": 2}}'}, {"pointer": "/a/b"}),
    fails(
        {"zarr.json": b'{"zarr_format": 3, "node_type": "group", "attributes": {"a": 1, "a": 2}}'},
        {"pointer": "/attributes/a"},
    ),
]

PASSING = [passes({".zgroup": GROUP2, ".zattrs": b'{"a": {"b": 1}, "b": 2}'})]
