from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(dtype="<U3", fill_value="four")}, {"pointer": "/fill_value"}),
]

PASSING = [
    passes({".zarray": array2(dtype="<U3", fill_value="abc")}),
    passes({".zarray": array2(dtype="|O", filters=[{"id": "vlen-utf8"}], fill_value="four")}),
]
