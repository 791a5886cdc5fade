from helpers_lint import array2, fails, passes

FAILING = [
    fails(
        {".zarray": array2(dtype=[["a", "<f4", [2]]], fill_value=None)},
        {"pointer": "/dtype/0", "level": "info"},
    ),
    fails(
        {".zarray": array2(dtype=[["a", [["b", "|u1", [3]]]]], fill_value=None)},
        {"pointer": "/dtype/0/1/0"},
    ),
    fails({".zarray": array2(dtype=[], fill_value=None)}, {"pointer": "/dtype"}),
]

PASSING = [passes({".zarray": array2(dtype=[["a", "<f4"]], fill_value=None)})]
