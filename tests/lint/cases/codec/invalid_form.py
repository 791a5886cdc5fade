from helpers_lint import LITTLE, array2, array3, fails, passes

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

FAILING += [
    fails({"zarr.json": array3(codecs=[LITTLE, codec])})
    for codec in (1, {}, {"name": 1}, {"name": ""}, None)
]

PASSING = [passes({".zarray": array2(compressor={"id": "zlib"})})]
