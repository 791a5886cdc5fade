from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(filters=[{"id": "delta"}])}, {"pointer": "/filters/0/dtype"}),
]

PASSING = [passes({".zarray": array2(filters=[{"id": "delta", "dtype": "<i4"}])})]
