from helpers_lint import array2, fails, passes

ONLY = {"only": ["zstd", "float"]}

FAILING = [
    fails(
        {".zarray": array2(compressor={"id": "zlib"}, dtype="<f4")},
        {"pointer": "/compressor"},
        scope=ONLY,
    ),
    fails({".zarray": array2(compressor={"id": "zstd"})}, {"pointer": "/dtype"}, scope=ONLY),
]

PASSING = [
    passes({".zarray": array2(compressor={"id": "zstd"}, dtype="<f4")}, scope=ONLY),
    passes({".zarray": array2(compressor={"id": "zlib"})}),
]
