from helpers_lint import GROUP3, fails, passes

FAILING = [
    fails({"zarr.json": GROUP3, ".": b""}, {"key": "."}),
    fails({"zarr.json": GROUP3, "../x": b""}, {"node": ".."}),
    fails({"zarr.json": GROUP3, "a/../b": b""}, {"node": "a/.."}),
    fails({"zarr.json": GROUP3, "c:/x": b""}, {"node": "c:"}),
    fails({"zarr.json": GROUP3, "C:\\x": b""}, {"key": "C:\\x"}),
    fails({"zarr.json": GROUP3, "a\\..\\b": b""}, {"key": "a\\..\\b"}),
    fails({"zarr.json": GROUP3, "\\x": b""}, {"key": "\\x"}),
    fails({"zarr.json": GROUP3, "a:stream": b""}, {"key": "a:stream"}),
]

PASSING = [
    passes({"zarr.json": GROUP3, "a..b/...": b"", "12:30:00": b"", "~/x": b"", "$(id)": b""}),
]
