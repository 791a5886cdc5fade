from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(dtype="<t4")}, {"pointer": "/dtype", "level": "info"}),
    fails({".zarray": array2(dtype=[["a", "|T16"]], fill_value=None)}, {"pointer": "/dtype/0/1"}),
]

PASSING = [passes({".zarray": array2()})]
