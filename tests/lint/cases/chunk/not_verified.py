import gzip

from helpers_lint import CHUNK, array2, fails, passes

FAILING = [
    fails(
        {".zarray": array2(dtype="|O", filters=[{"id": "pickle"}], fill_value=None), "0": b"x"},
        {"node": "", "level": "info"},
        also=("codec/unsafe",),
        data=True,
    ),
    fails(
        {".zarray": array2(compressor={"id": "nobodys"}), "0": b"x"},
        {"node": ""},
        data=True,
    ),
]

FAILING += [
    fails(
        {
            ".zarray": array2(shape=[1 << 40], chunks=[1 << 40], compressor={"id": "gzip"}),
            "0": gzip.compress(b"x" * 1000),
        },
        {"node": ""},
        also=("array/huge-chunk", "chunk/wrong-header"),
        data=True,
    ),
]

PASSING = [
    passes({".zarray": array2(compressor={"id": "gzip"}), "0": gzip.compress(CHUNK)}, data=True),
    passes({".zarray": array2(compressor={"id": "nobodys"}), "0": b"x"}),
]
