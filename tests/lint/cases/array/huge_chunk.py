from helpers_lint import array2, array3, fails, passes, regular

FAILING = [
    fails({".zarray": array2(shape=[2**40], chunks=[2**40])}, {"pointer": "/chunks"}),
    fails({".zarray": array2(shape=[2**29 + 1], chunks=[2**29 + 1])}, {"pointer": "/chunks"}),
]

FAILING += [
    fails({"zarr.json": array3(shape=[2**40], chunk_grid=regular(2**40))}, {"level": "warning"}),
]

PASSING = [passes({".zarray": array2(shape=[2**40], chunks=[2**29])})]
