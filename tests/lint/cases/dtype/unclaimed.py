from helpers_lint import array2, array3, fails, passes

FAILING = [
    fails({".zarray": array2(dtype="<t4")}, {"pointer": "/dtype", "level": "info"}),
    fails({".zarray": array2(dtype=[["a", "|T16"]], fill_value=None)}, {"pointer": "/dtype/0/1"}),
]

FAILING += [
    fails(
        {"zarr.json": array3(data_type="int31")}, {"level": "info", "hint": "did you mean int32?"}
    ),
    fails({"zarr.json": array3(data_type="bfloat16")}, {"pointer": "/data_type"}),
]

PASSING = [passes({".zarray": array2()})]
