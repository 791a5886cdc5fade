from helpers_lint import LITTLE, array2, array3, fails, passes

FAILING = [
    fails({".zarray": array2(compressor={"id": "zlib", "x": 1})}, {"pointer": "/compressor/x"}),
]

FAILING += [
    fails(
        {
            "zarr.json": array3(
                codecs=[LITTLE, {"name": "gzip", "configuration": {"level": 1, "x": 1}}]
            )
        },
        {"pointer": "/codecs/1/configuration/x"},
    ),
]

PASSING = [passes({".zarray": array2(compressor={"id": "zlib", "level": 1})})]
