from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(dtype=dtype, fill_value=value)}, {"pointer": "/fill_value"})
    for dtype, value in (
        ("|b1", 0),
        ("|b1", 1),
        ("<U3", 0),
        ("|S3", 0),
        ("|V3", 0),
        ([["a", "<f4"]], 0),
    )
]

PASSING = [
    passes({".zarray": array2(dtype="|b1", fill_value=False)}),
    passes({".zarray": array2(dtype="<i4", fill_value=0)}),
]
