from helpers_lint import GROUP2, fails, passes

FAILING = [
    fails({".zgroup": GROUP2, ".zattrs": text}, {"key": ".zattrs", "line": 1})
    for text in (b"[]", b"null", b"true", b'"x"', b"1")
] + [fails({"zarr.json": b"[]"}, {"key": "zarr.json"})]

PASSING = [passes({".zgroup": GROUP2, ".zattrs": b"{}"})]
