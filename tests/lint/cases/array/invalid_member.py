from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(order="f")}, {"pointer": "/order"}),
    fails({".zarray": array2(order=None)}, {"pointer": "/order"}),
    fails({".zarray": array2(dimension_separator="_")}, {"pointer": "/dimension_separator"}),
    fails({".zarray": array2(filters={"id": "shuffle"})}, {"pointer": "/filters"}),
]

PASSING = [passes({".zarray": array2(order="F", dimension_separator=".", filters=None)})]
