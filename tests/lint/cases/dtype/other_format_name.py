from helpers_lint import array2, array3, fails, passes

FAILING = [
    fails({".zarray": array2(dtype=name)}, {"pointer": "/dtype"})
    for name in ("int32", "float64", "bool", "string", "r16")
]

FAILING += [
    fails({"zarr.json": array3(data_type=name)}, {"pointer": "/data_type"})
    for name in ("<i4", "|u1", "<M8[ns]")
]

PASSING = [passes({".zarray": array2(dtype="<i4")})]
