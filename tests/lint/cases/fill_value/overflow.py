from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(dtype=dtype, fill_value=value)}, {"pointer": "/fill_value"})
    for dtype, value in (("<f2", 1e10), ("<f2", 65520), ("<f4", 1e39), ("<c8", [0.0, -1e39]))
]

PASSING = [
    passes({".zarray": array2(dtype=dtype, fill_value=value)})
    for dtype, value in (
        ("<f2", 65504),
        ("<f4", 3.4028234663852886e38),
        ("<f8", 1e300),
        ("<f4", "Infinity"),
        ("<f4", None),
    )
]
