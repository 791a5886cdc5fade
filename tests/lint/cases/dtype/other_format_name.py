from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(dtype=name)}, {"pointer": "/dtype"})
    for name in ("int32", "float64", "bool", "string", "r16")
]

PASSING = [passes({".zarray": array2(dtype="<i4")})]
