import bz2
import gzip
import zlib

import numcodecs

from helpers_lint import CHUNK, array2, fails, passes

BLOSC, ZSTD, LZ4 = numcodecs.Blosc(), numcodecs.Zstd(), numcodecs.LZ4()
VALUES = {
    "blosc": bytes(BLOSC.encode(CHUNK)),
    "zstd": bytes(ZSTD.encode(CHUNK)),
    "lz4": bytes(LZ4.encode(CHUNK)),
    "gzip": gzip.compress(CHUNK),
    "zlib": zlib.compress(CHUNK),
    "bz2": bz2.compress(CHUNK),
}
LONGER = {
    "blosc": bytes(BLOSC.encode(CHUNK * 2)),
    "zstd": bytes(ZSTD.encode(CHUNK * 2)),
    "lz4": bytes(LZ4.encode(CHUNK * 2)),
    "gzip": gzip.compress(CHUNK * 2),
}

FAILING = [
    *(
        fails({".zarray": array2(compressor={"id": name}), "0": value}, {"node": "", "count": 1})
        for name, value in LONGER.items()
    ),
    *(
        fails({".zarray": array2(compressor={"id": name}), "0": b"no header of any kind"})
        for name in VALUES
    ),
    fails({".zarray": array2(compressor={"id": "blosc"}), "0": VALUES["blosc"][:-1]}),
]

PASSING = [
    passes({".zarray": array2(compressor={"id": name}), "0": value})
    for name, value in VALUES.items()
]
