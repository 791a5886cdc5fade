import bz2
import gzip
import lzma
import zlib

from helpers_lint import CHUNK, LITTLE, array2, array3, fails, passes

MUCH = bytes(1 << 20)
VALUES = {
    "gzip": gzip.compress(MUCH)[:-8] + gzip.compress(CHUNK)[-8:],
    "zlib": zlib.compress(MUCH),
    "bz2": bz2.compress(MUCH),
}

FAILING = [
    fails({".zarray": array2(compressor={"id": name}), "0": value}, {"count": 1}, data=True)
    for name, value in VALUES.items()
]
FAILING += [
    fails(
        {".zarray": array2(compressor={"id": "lzma"}), "0": lzma.compress(MUCH)},
        {"count": 1},
        data=True,
    ),
    fails(
        {
            "zarr.json": array3(codecs=[LITTLE, {"name": "gzip", "configuration": {"level": 1}}]),
            "c/0": VALUES["gzip"],
        },
        {"count": 1},
        data=True,
    ),
]

PASSING = [
    passes({".zarray": array2(compressor={"id": "gzip"}), "0": gzip.compress(CHUNK)}, data=True),
    passes({".zarray": array2(compressor={"id": "zlib"}), "0": zlib.compress(CHUNK)}, data=True),
    passes({".zarray": array2(compressor={"id": "gzip"}), "0": VALUES["gzip"]}),
]
