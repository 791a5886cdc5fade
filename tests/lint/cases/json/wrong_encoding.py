from helpers_lint import GROUP2, fails, passes

FAILING = [
    fails({".zgroup": '{"zarr_format": 2}'.encode(encoding)}, {"key": ".zgroup"})
    for encoding in ("utf-16", "utf-16-le", "utf-16-be", "utf-32")
] + [
    fails({".zgroup": GROUP2, ".zattrs": '{"a": "é"}'.encode("latin-1")}, {"column": 8}),
    fails({".zgroup": GROUP2, ".zattrs": b'{"a": "\xed\xa0\x80"}'}),
]

PASSING = [passes({".zgroup": GROUP2, ".zattrs": '{"a": "é😀"}'.encode()})]
