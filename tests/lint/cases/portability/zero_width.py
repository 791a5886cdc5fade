from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(dtype=dtype, fill_value=None)}, {"pointer": "/dtype"})
    for dtype in ("<U0", "|S0", "|V0")
]

PASSING = [passes({".zarray": array2(dtype="<U1", fill_value="")})]
