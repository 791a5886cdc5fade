from helpers_lint import array2, fails, passes

FAILING = [
    fails(
        {".zarray": array2(dtype="|O", filters=[{"id": "pickle"}], fill_value=None)},
        {"pointer": "/filters/0"},
    ),
    fails({".zarray": array2(compressor={"id": "pickle"})}, {"pointer": "/compressor"}),
]

PASSING = [passes({".zarray": array2(compressor={"id": "zlib"})})]
