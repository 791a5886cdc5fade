from helpers_lint import array2, array3, fails, passes

FAILING = [fails({".zarray": array2(attributes={"a": 1})}, {"pointer": "/attributes"})]

FAILING += [
    fails({"zarr.json": array3(**{name: value})}, {"pointer": f"/{name}"})
    for name, value in (("dtype", "<i4"), ("chunks", [2]), ("compressor", None), ("order", "C"))
]

PASSING = [passes({".zarray": array2(), ".zattrs": {"a": 1}})]
