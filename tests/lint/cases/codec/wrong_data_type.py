from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(filters=[{"id": "vlen-utf8"}])}, {"pointer": "/filters/0"}),
    fails(
        {".zarray": array2(filters=[{"id": "bitround", "keepbits": 3}])}, {"pointer": "/filters/0"}
    ),
    fails(
        {".zarray": array2(filters=[{"id": "quantize", "digits": 1, "dtype": "<i4"}])},
        {"pointer": "/filters/0/dtype"},
    ),
]

PASSING = [
    passes({".zarray": array2(dtype="|O", filters=[{"id": "vlen-utf8"}], fill_value="")}),
    passes({".zarray": array2(dtype="<f4", filters=[{"id": "bitround", "keepbits": 3}])}),
]
