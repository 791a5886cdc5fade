from helpers_lint import CHUNK, array2, array3, fails, passes

GZIP = {"name": "gzip", "configuration": {"level": 1}}
LITTLE = {"name": "bytes", "configuration": {"endian": "little"}}

FAILING = [
    fails({".zarray": array2(), "0": b"", "1": b""}, {"node": "", "count": 2}),
    fails({"zarr.json": array3(codecs=[LITTLE, GZIP]), "c/0": b""}, {"keys": ("c/0",)}),
]

PASSING = [passes({".zarray": array2(), "0": CHUNK})]
