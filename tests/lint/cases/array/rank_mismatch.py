from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(shape=[4, 3])}, {"pointer": "/chunks"}),
    fails({".zarray": array2(chunks=[])}, {"pointer": "/chunks"}),
]

PASSING = [passes({".zarray": array2(shape=[4, 3], chunks=[2, 3])})]
