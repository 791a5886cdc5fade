from helpers_lint import array2, array3, fails, passes, regular

FAILING = [
    fails({".zarray": array2(shape=[0], chunks=[0])}, {"pointer": "/chunks/0", "level": "warning"})
]

FAILING += [
    fails({"zarr.json": array3(shape=[0], chunk_grid=regular(0))}, {"level": "warning"}),
]

PASSING = [passes({".zarray": array2(shape=[0], chunks=[1])})]
