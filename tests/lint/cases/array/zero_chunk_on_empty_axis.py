from helpers_lint import array2, fails, passes

FAILING = [
    fails({".zarray": array2(shape=[0], chunks=[0])}, {"pointer": "/chunks/0", "level": "warning"})
]

PASSING = [passes({".zarray": array2(shape=[0], chunks=[1])})]
