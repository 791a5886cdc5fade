from helpers_lint import array2, array3, encoded, fails, passes

FAILING = [
    fails({".zarray": array2(fill_value=0.0)}, {"pointer": "/fill_value", "level": "warning"}),
    fails({".zarray": encoded(array2(fill_value=...))[:-1] + b', "fill_value": 1e2}'}),
]

FAILING += [
    fails({"zarr.json": array3(fill_value=0.0)}, {"level": "warning"}),
]

PASSING = [
    passes({".zarray": array2(fill_value=0)}),
    passes({".zarray": array2(dtype="<f4", fill_value=0.0)}),
]
