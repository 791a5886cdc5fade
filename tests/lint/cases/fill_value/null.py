from helpers_lint import array2, array3, fails, passes

FAILING = [fails({"zarr.json": array3(fill_value=None)}, {"pointer": "/fill_value"})]

PASSING = [
    passes({"zarr.json": array3(data_type="float32", fill_value="NaN")}),
    passes({".zarray": array2(fill_value=None)}),
]
