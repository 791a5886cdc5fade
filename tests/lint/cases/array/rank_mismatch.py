from helpers_lint import LITTLE, array2, array3, fails, passes, regular

FAILING = [
    fails({".zarray": array2(shape=[4, 3])}, {"pointer": "/chunks"}),
    fails({".zarray": array2(chunks=[])}, {"pointer": "/chunks"}),
]

FAILING += [
    fails({"zarr.json": array3(chunk_grid=regular(2, 2))}),
    fails({"zarr.json": array3(dimension_names=["a", "b"])}, {"pointer": "/dimension_names"}),
    fails(
        {
            "zarr.json": array3(
                codecs=[{"name": "transpose", "configuration": {"order": [1, 0]}}, LITTLE]
            )
        }
    ),
]

PASSING = [passes({".zarray": array2(shape=[4, 3], chunks=[2, 3])})]

PASSING += [
    passes({"zarr.json": array3(dimension_names=["a"])}),
    passes({"zarr.json": array3(dimension_names=[None])}),
]
