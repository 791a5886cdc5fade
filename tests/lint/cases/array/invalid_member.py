from helpers_lint import array2, array3, fails, passes

FAILING = [
    fails({".zarray": array2(order="f")}, {"pointer": "/order"}),
    fails({".zarray": array2(order=None)}, {"pointer": "/order"}),
    fails({".zarray": array2(dimension_separator="_")}, {"pointer": "/dimension_separator"}),
    fails({".zarray": array2(filters={"id": "shuffle"})}, {"pointer": "/filters"}),
]

FAILING += [
    fails({"zarr.json": array3(attributes=None)}, {"pointer": "/attributes"}),
    fails({"zarr.json": array3(storage_transformers={})}, {"pointer": "/storage_transformers"}),
]

PASSING = [passes({".zarray": array2(order="F", dimension_separator=".", filters=None)})]

PASSING += [
    passes({"zarr.json": array3(storage_transformers=[])}),
]
