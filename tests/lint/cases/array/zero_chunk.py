from helpers_lint import array2, array3, fails, passes, regular

FAILING = [
    fails({".zarray": array2(chunks=[0])}, {"pointer": "/chunks/0"}),
    fails({".zarray": array2(shape=[4, 4], chunks=[2, 0])}, {"pointer": "/chunks/1"}),
]

FAILING += [
    fails(
        {"zarr.json": array3(chunk_grid=regular(0))},
        {"pointer": "/chunk_grid/configuration/chunk_shape/0"},
    ),
]

PASSING = [
    passes({".zarray": array2(shape=[0], chunks=[1])}),
    passes({".zarray": array2()}),
]
