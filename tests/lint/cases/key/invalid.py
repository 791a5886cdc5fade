from helpers_lint import GROUP3, fails, passes

FAILING = [
    fails({"zarr.json": GROUP3, key: b"x"}, {"key": key})
    for key in ("/a", "a/", "a//b", "//", "/", "a//b/c")
]

PASSING = [passes({"zarr.json": GROUP3, "": b"x", "a b/c": b"x"})]
