from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(dtype=dtype, fill_value=None)}, {"pointer": pointer})
    for dtype, pointer in (
        ([["a", "<f4"], ["a", "<i4"]], "/dtype/1/0"),
        ([["a", "<f4", [-1]]], "/dtype/0/2/0"),
        ([["a"]], "/dtype/0"),
        ([["a", "<f4"], ["o", "|O"]], "/dtype/1"),
        (["a"], "/dtype/0"),
    )
]

PASSING = [
    passes({".zarray": array2(dtype=[["a", "<f4"], ["b", [["c", "|u1"]]]], fill_value=None)}),
    passes({".zarray": array2(dtype=[["", "|u1"], ["", "|u1"]], fill_value=None)}),
]
