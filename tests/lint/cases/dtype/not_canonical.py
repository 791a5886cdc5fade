from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(dtype=dtype, fill_value=None)}, {"pointer": "/dtype", "level": "info"})
    for dtype in ("<u1", ">i1", "<b1", "<f04", "<M8[001ns]")
]

PASSING = [
    passes({".zarray": array2(dtype=dtype, fill_value=None)}) for dtype in ("|u1", "|b1", "<f4")
]
