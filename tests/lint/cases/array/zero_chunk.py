from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(chunks=[0])}, {"pointer": "/chunks/0"}),
    fails({".zarray": array2(shape=[4, 4], chunks=[2, 0])}, {"pointer": "/chunks/1"}),
]

PASSING = [
    passes({".zarray": array2(shape=[0], chunks=[1])}),
    passes({".zarray": array2()}),
]
