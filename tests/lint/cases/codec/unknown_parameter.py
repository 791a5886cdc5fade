from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(compressor={"id": "zlib", "x": 1})}, {"pointer": "/compressor/x"}),
]

PASSING = [passes({".zarray": array2(compressor={"id": "zlib", "level": 1})})]
