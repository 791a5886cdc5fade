from helpers_lint import GROUP2, fails, passes

POINTER = b"version https://git-lfs.github.com/spec/v1\noid sha256:00\nsize 1\n"

FAILING = [
    fails({".zgroup": b'{"zarr_format": 2,}'}, {"key": ".zgroup", "line": 1, "column": 18}),
    fails({".zgroup": b'{\n "zarr_format": 2\n'}, {"line": 2}),
    fails({".zgroup": b""}, {"line": 1, "column": 1}),
    fails({".zgroup": b" \n"}, {"key": ".zgroup"}),
    fails({"zarr.json": POINTER}, {"hint": "`git lfs pull` fetches the file"}),
    fails({".zgroup": GROUP2, ".zattrs": b"{} x"}, {"key": ".zattrs", "column": 4}),
    fails({".zgroup": GROUP2, "a/.zarray": b"{}\0\0", "a/0": b"x"}, {"key": "a/.zarray"}),
]

PASSING = [passes({".zgroup": b' {"zarr_format": 2}\n'})]
