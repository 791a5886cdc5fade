from helpers_lint import LITTLE, array2, array3, fails, passes

FAILING = [
    fails({".zarray": array2(compressor=compressor)}, {"pointer": pointer})
    for compressor, pointer in (
        ({"id": "zlib", "level": 10}, "/compressor/level"),
        ({"id": "zlib", "level": "1"}, "/compressor/level"),
        ({"id": "bz2", "level": 0}, "/compressor/level"),
        ({"id": "blosc", "cname": "LZ4"}, "/compressor/cname"),
        ({"id": "blosc", "clevel": True}, "/compressor/clevel"),
    )
] + [
    fails(
        {".zarray": array2(filters=[{"id": "delta", "dtype": "int32"}])},
        {"pointer": "/filters/0/dtype"},
    )
]

FAILING += [
    fails({"zarr.json": array3(codecs=[LITTLE, {"name": "gzip", "configuration": {"level": 10}}])}),
    fails({"zarr.json": array3(codecs=[{"name": "bytes", "configuration": {"endian": "x"}}])}),
]

PASSING = [
    passes({".zarray": array2(compressor={"id": "zlib", "level": 9})}),
    passes({".zarray": array2(compressor={"id": "blosc", "shuffle": True})}),
]
