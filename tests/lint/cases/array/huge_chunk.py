from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(shape=[2**40], chunks=[2**40])}, {"pointer": "/chunks"}),
    fails({".zarray": array2(shape=[2**29 + 1], chunks=[2**29 + 1])}, {"pointer": "/chunks"}),
]

PASSING = [passes({".zarray": array2(shape=[2**40], chunks=[2**29])})]
