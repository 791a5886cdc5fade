from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(compressor=compressor)}, {"pointer": pointer})
    for compressor, pointer in (
        ({"id": "blosc", "cname": "snappy"}, "/compressor/cname"),
        ({"id": "zstd", "level": 23}, "/compressor/level"),
        ({"id": "lzma", "format": 0}, "/compressor/format"),
    )
]

PASSING = [
    passes({".zarray": array2(compressor=compressor)})
    for compressor in ({"id": "blosc"}, {"id": "zstd", "level": 22}, {"id": "lzma"})
]
