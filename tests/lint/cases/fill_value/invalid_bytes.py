from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(dtype=dtype, fill_value=value)}, {"pointer": "/fill_value"})
    for dtype, value in (
        ("|S4", "X"),
        ("|S4", "_-8="),
        ("|S4", "QUJDREVG"),
        ("|V4", "QUJD"),
        ([["a", "<f4"]], "QUJD"),
    )
]

PASSING = [
    passes({".zarray": array2(dtype=dtype, fill_value=value)})
    for dtype, value in (("|S4", "QUI="), ("|S4", ""), ("|V4", "QUJDRA=="))
]
