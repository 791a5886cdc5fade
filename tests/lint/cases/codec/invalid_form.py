from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(compressor=compressor)}, {"pointer": pointer})
    for compressor, pointer in (
        ("zlib", "/compressor"),
        ([], "/compressor"),
        ({}, "/compressor/id"),
        ({"id": 1}, "/compressor/id"),
        ({"id": ""}, "/compressor/id"),
        ({"name": "zlib"}, "/compressor/id"),
    )
] + [fails({".zarray": array2(filters=[None])}, {"pointer": "/filters/0"})]

PASSING = [passes({".zarray": array2(compressor={"id": "zlib"})})]
