from helpers_lint import GROUP3, fails, passes

FAILING = [
    fails({"zarr.json": GROUP3, "a\0b": b""}, {"key": "a\0b"}),
    fails({"zarr.json": GROUP3, "a\0b/c": b"", "a\0b/d": b""}, {"node": "a\0b"}),
]

PASSING = [passes({"zarr.json": GROUP3, "a0b": b""})]
